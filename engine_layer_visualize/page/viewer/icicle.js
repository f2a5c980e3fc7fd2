// @ts-check
// An engine -> its icicle: rows of modules, types, precisions or kernels down to the layers, as wide as their time. A
// click marks what is inside of a rectangle, Enter or a double click makes it the whole width.

import { sums, told } from "./hierarchy.js";
import * as numbers from "./numbers.js";
import { frame, stripes, words } from "./paint_time.js";
import { rectangles, tree } from "./time_tree.js";

/** @import { Host } from "./strip.js" */
/** @import { Chart, ChartHit, Color, Context, Key, TimeNode, TimeRect } from "./types.d.ts" */

const [LOWEST, HIGHEST] = [22, 34]; // rows

/** What makes a rectangle's fill and words; kept while the layout is. @typedef {TimeRect & { fill: Color; share: string }} Drawn */

/** @implements {Chart} */
export class Icicle {
  about = "Icicle of times; the arrow keys go from rectangle to rectangle";
  empty = "";
  by = "scope";
  /** @type {TimeNode} */
  #root = /** @type {any} */ (null);
  /** What takes the whole width. @type {TimeNode} */
  #top = /** @type {any} */ (null);
  /** What the keys are on. @type {TimeRect | null} */
  #at = null;
  /** @type {Drawn[]} */
  rects = [];
  /** The rectangle of each layer that has one. @type {Map<number, Drawn>} */
  #of = new Map();
  #app;
  #changed;
  #height = LOWEST; // of a row

  /**
   * @param {Host} app
   * @param {(words: string) => void} changed is called for another layout, with what the keys are on
   */
  constructor(app, changed) {
    this.#app = app;
    this.#changed = changed;
  }

  reset() {
    this.#root = tree(this.#app.engine, this.by);
    this.#top = this.#root;
    this.#at = null;
  }

  get zoomed() {
    return this.#top !== this.#root;
  }

  /**
   * @param {number} width
   * @param {number} height
   */
  layOut(width, height) {
    const { engine, scene, hits } = this.#app;
    const found = hits && new Set(hits);
    const share = engine.now.ms !== null;
    this.#of = new Map();
    this.rects = rectangles(this.#top, width).map((rect) => {
      const layer = rect.node?.layer ?? rect.layers[0];
      const own = layer >= 0 && !rect.rest;
      let fill = (!own && scene.groupFill(rect.layers)) || scene.ruledFill(rect.layers) || scene.layerFill(layer);
      if (found && !rect.layers.some((one) => found.has(one))) fill = scene.paled(fill);
      const part = share && rect.w > 30 && !rect.rest ? numbers.percent(sums(engine, rect.layers).share) : "";
      const drawn = { ...rect, fill, share: part };
      if (own) for (const one of rect.layers) this.#of.set(one, drawn);
      return drawn;
    });
    if (this.#at) this.#at = this.#rectOf(this.#at.of[0], this.#at.rest);
    const rows = 1 + this.rects.reduce((most, { row }) => Math.max(most, row), 0);
    this.#height = Math.max(LOWEST, Math.min(HIGHEST, Math.floor((height - 2) / rows)));
    return this.#height * rows + 2;
  }

  /**
   * @param {TimeNode} node
   * @param {boolean} [rest]
   */
  #rectOf(node, rest = false) {
    const own = this.rects.find((rect) => rect.node === node && rect.rest === rest);
    return own ?? this.rects.find((rect) => !rect.node && rect.layers.includes(node.layers[0])) ?? null;
  }

  // ---- pixels ---------------------------------------------------------------------------------

  /** @param {TimeRect} rect */
  #place({ x, w, row }) {
    return { x, y: row * this.#height + 1, w: Math.max(0.6, w - 1), h: this.#height - 1 };
  }

  /**
   * @param {Context} on
   * @param {ChartHit | null} over
   */
  draw(on, over) {
    const { colors, engine, scene, selected } = this.#app;
    const guessed = engine.head.estimated ? stripes(on, colors, false) : null;
    for (const rect of this.rects) {
      const place = this.#place(rect);
      on.fillStyle = rect.fill;
      on.fillRect(place.x, place.y, place.w, place.h);
      const pattern = rect.rest ? stripes(on, colors, true) : rect.node?.layer !== -1 ? guessed : null;
      if (pattern) {
        on.fillStyle = pattern;
        on.fillRect(place.x, place.y, place.w, place.h);
      }
      if (rect.w < 20) continue;
      const layer = rect.node?.layer ?? -1;
      const label = rect.rest ? `${numbers.grouped(rect.layers.length)} without time` : (rect.node?.label ?? "");
      if (rect.rest) {
        on.fillStyle = colors.paper;
        on.fillRect(place.x + 3, place.y + 3, place.w - 6, place.h - 6);
      }
      on.fillStyle = rect.rest ? colors.ink : colors.on(rect.fill);
      words(on, place, label, rect.share, layer < 0 ? undefined : String(layer));
    }
    const marked = [...scene.hoverLayers].map((layer) => this.#of.get(layer));
    const rect = /** @type {Drawn | undefined} */ (over?.part);
    for (const one of new Set([...marked, rect])) if (one) frame(on, this.#place(one), colors, colors.muted);
    const own = selected === null ? undefined : this.#of.get(selected);
    if (own) frame(on, this.#place(own), colors, colors.accent);
    if (this.#at) frame(on, this.#place(this.#at), colors, colors.ink);
  }

  // ---- pointer and keys -----------------------------------------------------------------------

  /**
   * @param {number} x
   * @param {number} y
   */
  at(x, y) {
    const row = Math.floor(y / this.#height);
    const rect = this.rects.find((each) => each.row === row && x >= each.x && x < each.x + Math.max(each.w, 1));
    return rect ? this.#hit(rect) : null;
  }

  /**
   * @param {TimeRect} rect
   * @returns {ChartHit}
   */
  #hit(rect) {
    const { engine } = this.#app;
    const { node, layers, rest } = rect;
    const layer = node?.layer ?? -1;
    if (rest)
      return {
        layer,
        layers,
        title: `${numbers.count(layers.length, "layer")} without a time`,
        words: this.#why(layers),
        part: rect,
      };
    const title = node
      ? node.about || node.label
      : `${numbers.count(layers.length, "layer")}, each too short to be drawn`;
    const lines = [told(engine, layers).join("  ·  ")];
    if (layer >= 0) lines.push(engine.name(layer));
    return { layer, layers, title, words: lines, part: rect };
  }

  /** Why layers have no time: how many of each. @param {number[]} layers */
  #why(layers) {
    const { missing, idle } = this.#app.engine.layers;
    const [unknown, still] = [layers.filter((n) => missing.has(n)).length, layers.filter((n) => idle.has(n)).length];
    const zero = layers.length - unknown - still;
    return [unknown && `${unknown} not timed`, still && `${still} run no kernel`, zero && `${zero} of 0 µs`].filter(
      (one) => one !== 0,
    );
  }

  /** @param {ChartHit} hit */
  click({ layer, layers }) {
    if (layer >= 0) this.#app.select(layer);
    else this.#app.mark(layers);
  }

  /** @param {ChartHit} hit */
  dblclick({ part }) {
    const { node, rest } = /** @type {TimeRect} */ (part);
    if (node?.children.length && !rest) this.#zoom(node);
  }

  /** Back to what is around. Whether there is something. */
  out() {
    const { parent } = this.#top;
    if (parent) this.#zoom(parent, this.#top);
    return Boolean(parent);
  }

  /**
   * @param {TimeNode} node takes the whole width
   * @param {TimeNode} [on] where the keys are then, if they are anywhere
   */
  #zoom(node, on = node) {
    this.#top = node;
    if (this.#at) this.#at = { x: 0, w: 0, row: 0, node: on, of: [on], layers: on.layers, rest: false };
    this.#changed(this.#said());
  }

  /**
   * @param {TimeNode} node
   * @param {boolean} [rest]
   */
  #go(node, rest = false) {
    this.#at = this.#rectOf(node, rest) ?? this.#at;
    this.#changed(this.#said());
  }

  /** What the keys are on, in words. */
  #said() {
    const hit = this.#at && this.#hit(this.#at);
    return hit ? [hit.title, ...hit.words].join(": ") : "";
  }

  /** To the rectangle at this side; the first press goes to the topmost. @param {string} side */
  #move(side) {
    const at = this.#at;
    if (!at) {
      this.#go(this.#top);
      return;
    }
    const [first, last] = [at.of[0], at.of[at.of.length - 1]];
    if (side === "up") this.#go(at.rest ? first : (first.parent ?? first));
    else if (side === "down") this.#go(at.node?.children[0] ?? first);
    else if (at.rest) this.#go(first, side === "right");
    else if (first === this.#top) this.#go(first, side === "right" && first.rest.length > 0);
    else {
      const beside = first.parent?.children ?? [];
      const next = side === "left" ? beside.indexOf(first) - 1 : beside.indexOf(last) + 1;
      this.#go(beside[next] ?? first);
    }
  }

  /** @type {Key[]} */
  keys = [
    {
      keys: ["ArrowLeft"],
      shown: "arrows",
      about: "in the icicle: around, inside, beside",
      call: () => this.#move("left"),
    },
    { keys: ["ArrowRight"], about: "", call: () => this.#move("right") },
    { keys: ["ArrowUp"], about: "", call: () => this.#move("up") },
    { keys: ["ArrowDown"], about: "", call: () => this.#move("down") },
    { keys: ["Enter"], about: "in the icicle: to the whole width; Esc goes back", call: () => this.#enter() },
    {
      keys: [" "],
      shown: "Space",
      about: "in the icicle: marks the layers inside",
      call: () => this.#at && this.click(this.#hit(this.#at)),
    },
  ];

  #enter() {
    const node = this.#at?.node;
    if (node && node.layer >= 0) this.#app.select(node.layer);
    else if (this.#at) this.dblclick(this.#hit(this.#at));
  }
}
