// @ts-check
// An engine, a palette, what colours boxes -> the colours of layers, and of several as one.

import { sumOf } from "./numbers.js";

/** @import { Color, Engine, Mode, Palette } from "./types.d.ts" */

/** What may colour the boxes, and its words. @type {[Mode, string][]} */
export const MODES = [
  ["time", "time"],
  ["type", "layer type"],
  ["precision", "precision"],
  ["memory", "bytes moved"],
];
export const FADED = 0.3; // of the colour of a box that a search did not find

/**
 * The layer types in the order of the data, and the fill of each.
 * @param {Engine} engine
 * @param {Palette} colors
 */
function typesOf(engine, { fills }) {
  const order = engine.types.map(engine.text);
  const last = fills.types.length - 1;
  return { order, of: new Map(order.map((type, at) => [type, fills.types[Math.min(at, last)]])) };
}

export class Fills {
  /** What has the hottest colour: a share, a number of bytes. */
  top = 1;
  largest = 0;
  /** @type {Map<Color, Color>} */
  #pales = new Map();

  /** @param {Engine} engine @param {Palette} colors @param {Mode} mode */
  constructor(engine, colors, mode) {
    this.engine = engine;
    this.colors = colors;
    this.mode = mode;
    this.ofTime = mode === "time";
    this.types = typesOf(engine, colors);
  }

  /**
   * Of the layers among `nodes`, or of the kernels inside of one; null where none has a value.
   * @param {number[]} nodes
   * @param {"ms" | "share"} key
   */
  sum(nodes, key) {
    const { engine } = this;
    return sumOf(
      nodes.map((n) => (engine.isInner(n) ? engine.inside[key][engine.inner(n)] : (engine.layers[key][n] ?? null))),
    );
  }

  /** The bytes that layers move; null where those of none are known. @param {number[]} nodes */
  moved(nodes) {
    return sumOf(nodes.map((n) => this.engine.layers.traffic.get(n)));
  }

  /**
   * The shares of layers, where they are of the optimisation profile shown.
   * @param {number[]} list
   */
  share(list) {
    const { engine } = this;
    return this.sum(
      list.filter((n) => engine.isShown(n)),
      "share",
    );
  }

  /**
   * The fill where nothing colours.
   * @param {number} node
   * @param {boolean} grouped
   */
  uncolored(node, grouped) {
    return this.colors.marks[grouped || this.engine.isInner(node) ? "layer" : this.engine.kind(node)][2];
  }

  /**
   * @param {number[]} list
   * @param {boolean} grouped they are a group, even if there is one alone
   */
  color(list, grouped) {
    const { engine, colors, mode, ofTime } = this;
    const [first] = list;
    const own = this.uncolored(first, grouped);
    if (!engine.isLayer(engine.owner(first)) || engine.kind(first) === "opaque") return own;
    if (!ofTime && engine.isInner(first)) return own;
    if (ofTime) {
      const part = this.share(list);
      return part === null ? own : colors.heat(part / this.top);
    }
    if (mode === "memory") {
      const bytes = this.moved(list);
      return bytes === null || !this.largest ? own : colors.heat(bytes / this.largest);
    }
    const layer = grouped ? this.main(list)?.layer : first;
    if (layer === undefined) return own;
    if (mode === "precision") return colors.fills.precisions[engine.layers.precision[layer]];
    const typed = this.types.of.get(engine.text(engine.layers.type[layer]));
    return typed === undefined || colors.quiet.has(engine.kind(layer)) ? own : typed;
  }

  /**
   * A layer of the type or precision that most of these layers' time is of, else most of the layers, and
   * whether that is more than half; null: all of them only serve others.
   * @param {number[]} list
   */
  main(list) {
    const { engine, colors, mode } = this;
    const own = list.filter((n) => engine.isLayer(n) && !colors.quiet.has(engine.kind(n)));
    const column = mode === "precision" ? engine.layers.precision : engine.layers.type;
    const timed = own.some((n) => engine.layers.ms[n]);
    /** @type {Map<number, number>} */
    const sums = new Map();
    for (const n of own) sums.set(column[n], (sums.get(column[n]) ?? 0) + (timed ? (engine.layers.ms[n] ?? 0) : 1));
    const [key, most] = [...sums].reduce((best, each) => (each[1] > best[1] ? each : best), [-1, -1]);
    const layer = own.find((n) => column[n] === key);
    return layer === undefined ? null : { layer, half: 2 * most > [...sums.values()].reduce((a, b) => a + b) };
  }

  /**
   * What colours a group's box where that is not a number.
   * @param {number[]} list
   */
  mostly(list) {
    const { engine, mode } = this;
    const main = mode === "type" || mode === "precision" ? this.main(list) : null;
    if (!main) return "";
    const column = mode === "type" ? engine.layers.type : engine.layers.dtype;
    return `, ${main.half ? "mostly" : "partly"} ${engine.text(column[main.layer])}`;
  }

  /** @param {Color} color @param {boolean} quiet */
  seen(color, quiet) {
    const { colors } = this;
    if (color !== colors.paper && color !== colors.heat(0)) return color;
    return colors.mix(colors.paper, colors.ink, quiet ? 0.07 : 0.13);
  }

  /** A layer's fill outside of the drawing. @param {number} layer */
  layerFill(layer) {
    return this.seen(this.color([layer], false), this.colors.quiet.has(this.engine.kind(layer)));
  }

  /** That of several layers that are drawn too: of their box. @param {number[]} layers */
  groupFill(layers) {
    return this.seen(this.color(layers, true), true);
  }

  /** @param {Color} color */
  paled(color) {
    const found = this.#pales.get(color) ?? this.colors.mix(this.colors.paper, color, FADED);
    this.#pales.set(color, found);
    return found;
  }
}
