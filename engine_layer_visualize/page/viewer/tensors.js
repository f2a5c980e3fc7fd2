// @ts-check
// A node or a tensor -> the sections of the panel that show its tensors, each with links to the nodes at their ends.

import * as dom from "./dom.js";
import { capital, el } from "./dom.js";
import { tensorEdges } from "./graph.js";
import { append } from "./maps.js";
import { close, link, list, row, rows, section, several } from "./parts.js";

/** @import { App } from "./app.js" */
/** @import { Engine, Text } from "./types.d.ts" */

/**
 * What this asks of the app.
 * @typedef {Pick<App, "close" | "colors" | "engine" | "lenses" | "select" | "selectTensor">} Host
 */

/**
 * What is known of a tensor as a layer has it: key, label, words.
 * @param {Engine} engine
 * @param {number} number
 */
function facts({ tensors, text }, number) {
  const dtype = text(tensors.dtype[number]);
  return tensors.fields
    .map(([key, label]) => [key, label, text(tensors[key][number]) || (key === "dtype" ? `unknown ${label}` : "")])
    .filter(([key, , words]) => words && (key !== "format" || words !== dtype));
}

/**
 * The same in one line.
 * @param {Engine} engine
 * @param {number} number
 */
export const factsInLine = (engine, number) =>
  facts(engine, number)
    .map(([key, label, words]) => (key === "strides" ? `${label} ${words}` : words))
    .join("  ·  ");

/**
 * Who writes and who reads the tensor of an edge.
 * @param {Engine} engine
 * @param {number} edge
 */
export function endsOf(engine, edge) {
  const all = tensorEdges(engine, edge);
  const { from, to } = engine.edges;
  return { writers: [...new Set(all.map((each) => from[each]))], readers: [...new Set(all.map((e) => to[e]))] };
}

/**
 * @param {Host} app
 * @param {number} edge
 */
export function page(app, edge) {
  const { engine } = app;
  const { writers, readers } = endsOf(engine, edge);
  const number = engine.edges.tensor[edge];
  /** @type {(title: string, nodes: number[]) => HTMLElement | null} */
  const side = (title, nodes) =>
    section(
      `${title} (${nodes.length})`,
      list({ class: "ranking" }, nodes, (node) => el("li", {}, link(app, node))),
    );
  return [
    el("div", { class: "top" }, dom.muted("Tensor"), close(app)),
    el("h2", { dir: "ltr" }, engine.text(engine.tensors.name[number]) || "(no name)"),
    section("Tensor", rows(...facts(engine, number).map(([, label, words]) => row(label, words)))),
    side("Written by", writers),
    side("Read by", readers),
  ];
}

/**
 * @param {Host} app
 * @param {number} number
 * @param {number[]} others
 * @param {string} word
 * @param {number | null} [edge] one that carries it
 */
export function tensorItem(app, number, others, word, edge = null) {
  const { engine, colors } = app;
  const { tensors, text } = engine;
  const name = text(tensors.name[number]) || "(no name)";
  const click = () => edge !== null && app.selectTensor(edge);
  const sign = el("i", { class: "edge", style: { background: colors.precisions[tensors.precision[number]][1] } });
  const called = edge === null ? name : dom.button({ class: "plain", title: "This tensor", on: { click } }, name);
  const ends = several(others, (node) => link(app, node));
  return el(
    "li",
    { class: "tensor" },
    el("div", { class: "name", dir: "ltr" }, sign, called),
    el("div", { class: "meta" }, factsInLine(engine, number)),
    others.length > 0 && el("div", { class: "ends" }, el("span", {}, word), ends),
  );
}

/**
 * @param {Host} app
 * @param {number} node
 */
export function sides(app, node) {
  const { engine } = app;
  const { edges, fields, tensors } = engine;
  /**
   * The tensors of a side, with the nodes at the other ends of the edges of that name.
   * @param {"in" | "out"} way
   * @param {Int32Array} own
   * @param {number[]} end
   * @param {string} word
   */
  const side = (way, own, end, word) => {
    /** @type {Map<Text, number[]>} */
    const found = new Map();
    for (const edge of own) append(found, tensors.name[edges.tensor[edge]], edge);
    const numbers = engine.layers[way][node];
    const items = list({}, numbers, (tensor) => {
      const [first = null, ...rest] = found.get(tensors.name[tensor]) ?? [];
      const others = first === null ? [] : [first, ...rest].map((edge) => end[edge]);
      return tensorItem(app, tensor, others, word, first);
    });
    return section(`${capital(fields[way].label)} (${numbers.length})`, items);
  };
  return [side("in", engine.into(node), edges.from, "from"), side("out", engine.out(node), edges.to, "to")];
}
