// @ts-check
// A scene -> the elements of the legend: the colours, edges and borders that occur, with their meaning.

import { el } from "./dom.js";
import { ofMarks } from "./marks.js";
import * as numbers from "./numbers.js";

/** @import { Scene } from "./scene.js" */
/** @import { Color, Entry, Tick } from "./types.d.ts" */

/**
 * A sample: of an edge, of a box, or of a border of this style.
 * @param {string} kind
 * @param {Color} color
 */
function sign(kind, color) {
  if (kind === "edge" || kind === "box")
    return el("i", { class: kind === "edge" ? "edge" : "swatch", style: { background: color }, "aria-hidden": "true" });
  if (kind === "bar") return el("i", { class: "swatch side", "aria-hidden": "true" });
  if (kind === "mark")
    return el("i", { class: "swatch mark", style: { "border-color": color }, "aria-hidden": "true" });
  if (kind === "badge") return el("i", { class: "swatch dot", "aria-hidden": "true" });
  const style = { "border-color": color, "border-style": kind };
  return el("i", { class: "swatch open", style, "aria-hidden": "true" });
}

/**
 * The ticks of the heat scale; of that of the engine itself as far as it is in use: the last is that of the box that has
 * the most.
 * @param {Scene} scene
 * @returns {Tick[]}
 */
export function ticks({ mode, colors, slowest, hottest, top, largest }) {
  if (mode === "time" && slowest)
    return colors.ticks.map((tick) => [colors.heat((tick * hottest) / top), numbers.milliseconds(tick * slowest)]);
  if (mode === "memory" && largest)
    return colors.ticks.map((tick) => [colors.heat(tick), numbers.bytes(Math.round(tick * largest))]);
  return [];
}

/**
 * @param {Scene} scene
 * @returns {Entry[]}
 */
export function entries({ badges, engine, folded, colors, mode, types }) {
  /** @type {Entry[]} */
  const found = [];
  const last = colors.fills.types.length - 1;
  if (mode === "type") {
    for (const type of types.order.slice(0, last)) found.push(["box", types.of.get(type) ?? "", type]);
    if (types.order.length > last) found.push(["box", colors.fills.types[last], "other types"]);
  }
  const { from, to, tensor } = engine.edges;
  const drawn = tensor.filter((_, edge) => folded.of[from[edge]] !== folded.of[to[edge]]);
  const used = new Set(drawn.map((number) => engine.tensors.precision[number]));
  colors.precisions.forEach(([label, color], at) => {
    if (used.has(at)) found.push(["edge", color, label]);
  });
  if (mode === "precision")
    for (const at of new Set(engine.layers.precision))
      if (!used.has(at)) found.push(["box", colors.fills.precisions[at], colors.precisions[at][0]]);
  const shown = Array.from({ length: engine.nodes }, (_, n) => n).filter((n) => !engine.marks.has(n));
  const kinds = new Set(shown.map(engine.kind));
  for (const [kind, [words, line, , dash]] of Object.entries(colors.marks)) {
    if (words && kinds.has(kind)) found.push([dash, line, words]);
  }
  if (folded.marks.size)
    found.push([
      "mark",
      colors.muted,
      `${numbers.count(engine.marks.size, "layer")} ${ofMarks(engine, [...engine.marks.keys()])}`,
    ]);
  if (engine.layers.dla.size) found.push(["bar", colors.ink, "runs on the DLA"]);
  if (badges.of.size) found.push(["badge", colors.warn, "finding"]);
  return found;
}

/**
 * @param {Entry} entry
 */
const key = ([kind, color, words]) => el("span", { class: "key" }, sign(kind, color), words);

/** @param {Scene} scene */
export function legend(scene) {
  const scale = ticks(scene).map(([color, words]) =>
    el("i", { style: { background: color, color: scene.colors.on(color) } }, words),
  );
  return el(
    "div",
    { class: "keys" },
    scale.length ? el("span", { class: "key scale" }, scale) : null,
    entries(scene).map(key),
  );
}
