// @ts-check
// A node or a tensor -> the sections of the panel that show its tensors, each with links to the nodes at their ends.

import * as dom from "./dom.js";
import { capital, el } from "./dom.js";
import { tensorEdges } from "./graph.js";
import { append } from "./maps.js";
import { close, link, row, rows, section, several } from "./parts.js";

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
  const list = tensorEdges(engine, edge);
  const { from, to } = engine.edges;
  return { writers: [...new Set(list.map((each) => from[each]))], readers: [...new Set(list.map((e) => to[e]))] };
}

/**
 * @param {Host} app
 * @param {number} edge
 */
export function page(app, edge) {
  const { engine } = app;
  const { writers, readers } = endsOf(engine, edge);
  const number = engine.edges.tensor[edge];
  /** @type {(title: string, nodes: number[]) => HTMLElement} */
  const side = (title, nodes) =>
    section(
      `${title} (${nodes.length})`,
      el(
        "ul",
        { class: "ranking" },
        several(nodes, (node) => el("li", {}, link(app, node))),
      ),
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
  return el(
    "li",
    { class: "tensor" },
    el(
      "div",
      { class: "name", dir: "ltr" },
      el("i", { class: "edge", style: { background: colors.precisions[tensors.precision[number]][1] } }),
      edge === null ? name : dom.button({ class: "plain", title: "This tensor", on: { click } }, name),
    ),
    el("div", { class: "meta" }, factsInLine(engine, number)),
    others.length
      ? el(
          "div",
          { class: "ends" },
          el("span", {}, word),
          several(others, (node) => link(app, node)),
        )
      : null,
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
   * The nodes at the other ends of edges, by the name of the tensor.
   * @param {Int32Array} list
   * @param {number[]} end
   */
  const named = (list, end) => {
    /** @type {Map<Text, number[]>} */
    const found = new Map();
    for (const edge of list) append(found, tensors.name[edges.tensor[edge]], edge);
    return (/** @type {number} */ tensor, /** @type {string} */ word) => {
      const own = found.get(tensors.name[tensor]) || [];
      const others = own.map((edge) => end[edge]);
      return tensorItem(app, tensor, others, word, own[0] ?? null);
    };
  };
  const from = named(engine.into(node), edges.from);
  const to = named(engine.out(node), edges.to);
  const ins = engine.isLayer(node) ? engine.layers.in[node] : [];
  const outs = engine.isLayer(node) ? engine.layers.out[node] : [];
  return [
    ins.length
      ? section(
          `${capital(fields.in.label)} (${ins.length})`,
          el(
            "ul",
            {},
            several(ins, (number) => from(number, "from")),
          ),
        )
      : null,
    outs.length
      ? section(
          `${capital(fields.out.label)} (${outs.length})`,
          el(
            "ul",
            {},
            several(outs, (number) => to(number, "to")),
          ),
        )
      : null,
  ];
}
