// @ts-check
// What ForeignNodes hold: the data -> boxes after the layers and ports, their groups and edges, decoded for the
// engine; and what the panel says of such a box.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import { append, numbersOf } from "./maps.js";
import * as numbers from "./numbers.js";
import { close, link, list, long, row, rows, section } from "./parts.js";

/** @import { App } from "./app.js" */
/** @import { ById, Engine, Group, Raw } from "./types.d.ts" */

/**
 * What this asks of the app.
 * @typedef {Pick<App, "close" | "collapsed" | "engine" | "folded" | "levels" | "select">} Host
 */

/**
 * For every node the edges at one of its ends.
 * @param {number[]} ends
 * @param {number} count
 */
function beside(ends, count) {
  const start = new Int32Array(count + 1);
  for (const node of ends) start[node + 1]++;
  for (let node = 0; node < count; node++) start[node + 1] += start[node];
  const edges = new Int32Array(ends.length);
  const next = start.slice();
  ends.forEach((node, edge) => {
    edges[next[node]++] = edge;
  });
  /** @param {number} node */
  return (node) => edges.subarray(start[node], start[node + 1]);
}

/**
 * Groups, and the edges of each node. Those of layers and ports are the engine's own: what is inside of a layer is
 * no reader and no writer for the others.
 * @param {Raw} raw
 * @param {number} nodes layers and ports
 * @param {number} all these, and the boxes inside of layers
 */
export function decode({ edges, groups: raw, inside }, nodes, all) {
  const { from, to, instead } = edges;
  const own = from.length - instead.length;
  /** @type {(ends: number[]) => (node: number) => Int32Array} */
  const of = (ends) => {
    const [outer, inner] = [beside(ends.slice(0, own), all), beside(ends, all)];
    return (node) => (node < nodes ? outer : inner)(node);
  };
  /** @type {ById<number[]>} */
  const wires = new Map();
  instead.forEach((edge, at) => {
    if (edge >= 0) append(wires, edge, own + at);
  });
  /** @type {ById<number[]>} */
  const held = new Map();
  inside.of.forEach((layer, at) => {
    append(held, layer, nodes + at);
  });
  const labels = raw.map(({ label, path }) => label ?? path);
  const last = new Map(labels.map((label, g) => [label, g]));
  const several = new Set(labels.filter((label, g) => last.get(label) !== g));
  /** @type {Group[]} */
  const groups = raw.map((group, g) => {
    const members = numbersOf(group.nodes);
    const more = held.size && group.owner === undefined ? members.flatMap((node) => held.get(node) ?? []) : [];
    const label = labels[g];
    const head = several.has(label) ? (/[^/]+\/[^/]+$/.exec(group.path)?.[0] ?? label) : label;
    const known = { profile: false, ...group, label, head };
    return { ...known, nodes: members, members: more.length ? [...members, ...more] : members };
  });
  const topOf = new Map(groups.flatMap(({ top, owner }, g) => (top ? [[/** @type {number} */ (owner), g]] : [])));
  return { out: of(from), into: of(to), groups, topOf, wires };
}

/**
 * Nodes, and the boxes inside of those that are layers: all, or those that a search asks for.
 * @param {Engine} engine
 * @param {number[]} nodes
 * @param {((boxes: number[]) => number[]) | null} within
 */
export function withInside({ topOf, groups }, nodes, within) {
  if (!topOf.size) return nodes;
  return nodes.flatMap((node) => {
    const all = groups[topOf.get(node) ?? -1]?.nodes ?? [];
    const asked = within?.(all) ?? [];
    return [node, ...(asked.length ? asked : all)];
  });
}

/**
 * Edges, and those that take their place.
 * @param {Engine} engine
 * @param {Iterable<number>} edges
 */
export const withWires = ({ wires }, edges) => [...edges].flatMap((edge) => [edge, ...(wires.get(edge) ?? [])]);

/**
 * `+` of a box of a layer that can be unfolded, `−` of one that is; else empty.
 * @param {import("./scene.js").Scene} scene
 * @param {number} box
 */
export function sign({ engine, folded }, box) {
  const top = engine.topOf.get(folded.node[box]);
  return top === undefined ? "" : folded.of[engine.groups[top].nodes[0]] === box ? "+" : "−";
}

/**
 * The button that unfolds a layer in the drawing, or folds it.
 * @param {Host} app
 * @param {number} layer
 */
export function button(app, layer) {
  const group = app.engine.topOf.get(layer);
  if (group === undefined) return null;
  const words = app.collapsed.has(group) ? "Unfold in the drawing" : "Fold in the drawing";
  return dom.button(
    { id: "unfold", title: `${words} (Enter in the drawing)`, on: { click: () => app.levels.unfold(layer) } },
    words,
  );
}

/** What the panel calls the facts of a box. */
const FACTS = { estimate: "estimate", runs: "runs together", kernel: "kernel", precision: "precision" };

/**
 * One of them; null where it is unknown.
 * @param {Engine} engine
 * @param {keyof typeof FACTS} key
 * @param {number} node
 */
function fact({ inside, inner, text }, key, node) {
  const value = inside[key][inner(node)];
  if (key !== "estimate") return text(value ?? -1) ? row(FACTS[key], long(text(value ?? -1))) : null;
  const words = "which the builder measured of its fastest kernel; it is part of no sum";
  return value === null ? null : row(FACTS.estimate, `≈ ${numbers.milliseconds(value)}, ${words}`);
}

/**
 * What the panel says of a box inside of a layer.
 * @param {Host} app
 * @param {number} node
 * @param {HTMLElement[]} around the groups around it
 */
export function page(app, node, around) {
  const { engine } = app;
  const { edges } = engine;
  const name = engine.name(node);
  const ms = engine.inside.ms[engine.inner(node)];
  /** @type {(title: string, own: Int32Array, end: number[]) => HTMLElement | null} */
  const side = (title, own, end) => {
    const item = (/** @type {number} */ edge) => {
      const name = engine.text(engine.tensors.name[edges.tensor[edge]]);
      const ends = el("div", { class: "ends" }, link(app, end[edge]));
      return el("li", { class: "tensor" }, el("div", { class: "name", dir: "ltr" }, name), ends);
    };
    return section(`${title} (${own.length})`, list({}, [...own], item));
  };
  return [
    el("div", { class: "top" }, dom.muted("Inside of a layer"), close(app)),
    el("h2", { dir: "ltr" }, engine.headline(node)),
    el("p", { class: "muted", dir: "ltr" }, dom.unbroken(engine.within(node))),
    name ? el("p", { class: "whole", dir: "ltr" }, long(name)) : null,
    section(
      "Where",
      rows(
        row("layer", link(app, engine.owner(node))),
        ...around,
        fact(engine, "estimate", node),
        fact(engine, "runs", node),
        fact(engine, "kernel", node),
        fact(engine, "precision", node),
        ms === null ? null : row("time", [numbers.milliseconds(ms), numbers.percent(engine.share(node))].join("  ")),
      ),
    ),
    side("Reads", engine.into(node), edges.from),
    side("Read by", engine.out(node), edges.to),
  ];
}
