// @ts-check
// An engine -> its icicle: rows of modules or kernels down to the layers, as wide as their time. A
// click marks what is inside of a rectangle, Enter or a double click makes it the whole width.

import { sums, told } from "./hierarchy.js";
import * as numbers from "./numbers.js";
import { frame, words } from "./paint_time.js";
import * as text from "./text.js";
import { rectangles, tree } from "./time_tree.js";

/** @import { Host } from "./strip.js" */
/** @import { Chart, ChartHit, Color, Context, Key, TimeNode, TimeRect } from "./types.d.ts" */

const [LOWEST, HIGHEST] = [22, 34]; // rows
const AXIS = 18; // height of the times above
const APART = 90; // two of them, at least

/** What makes a rectangle's fill and words, and how many rows it takes; kept while the layout is. @typedef {TimeRect & { fill: Color; share: string; tall: number }} Drawn */

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
  #width = 0;

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

  /** @param {number} width @param {number} height */
  layOut(width, height) {
    const { engine, scene, hits } = this.#app;
    const found = hits && new Set(hits);
    const share = engine.now.ms !== null;
    this.#of = new Map();
    this.#width = width;
    const all = rectangles(this.#top, width);
    const rows = 1 + all.reduce((most, { row }) => Math.max(most, row), 0);
    this.rects = all.map((rect) => {
      const layer = rect.node?.layer ?? rect.layers[0];
      const own = layer >= 0;
      let fill = (!own && scene.groupFill(rect.layers)) || scene.layerFill(layer);
      if (found && !rect.layers.some((one) => found.has(one))) fill = scene.paled(fill);
      const part = share && rect.w > 30 ? numbers.percent(sums(engine, rect.layers).share) : "";
      const drawn = { ...rect, fill, share: part, tall: own ? rows - rect.row : 1 };
      if (own) for (const one of rect.layers) this.#of.set(one, drawn);
      return drawn;
    });
    if (this.#at) this.#at = this.#rectOf(this.#at.of[0]);
    this.#height = Math.max(LOWEST, Math.min(HIGHEST, Math.floor((height - AXIS - 2) / rows)));
    return AXIS + this.#height * rows + 2;
  }

  /** @param {TimeNode} node */
  #rectOf(node) {
    const own = this.rects.find((rect) => rect.node === node);
    return own ?? this.rects.find((rect) => !rect.node && rect.layers.includes(node.layers[0])) ?? null;
  }

  // ---- pixels ---------------------------------------------------------------------------------

  /** @param {Pick<Drawn, "x" | "w" | "row" | "tall">} rect */
  #place({ x, w, row, tall }) {
    return { x, y: AXIS + row * this.#height + 1, w: Math.max(0.6, w - 1), h: tall * this.#height - 1 };
  }

  /** The times, from 0 to that of what has the whole width. @param {Context} on */
  #axis(on) {
    const { colors, engine } = this.#app;
    const { sum } = this.#top;
    if (engine.now.ms === null || !sum) return;
    const least = (APART * sum) / this.#width;
    const power = 10 ** Math.floor(Math.log10(least));
    const step = power * ([1, 2, 5, 10].find((one) => one * power >= least) ?? 10);
    on.fillStyle = on.strokeStyle = colors.muted;
    on.lineWidth = 1;
    on.font = text.FONTS.plain;
    on.textAlign = "left";
    for (let at = 0; at <= sum; at += step) {
      const x = Math.min(this.#width - 1, Math.round((at / sum) * this.#width)) + 0.5;
      const told = numbers.milliseconds(at).replace(/\.?0+ /, (zeros) => (zeros[0] === "." ? " " : zeros));
      on.beginPath();
      on.moveTo(x, 4);
      on.lineTo(x, AXIS);
      on.stroke();
      if (x + text.width(told, text.FONTS.plain) + 10 < this.#width) on.fillText(told, x + 4, AXIS - 6);
    }
  }

  /** @param {Context} on @param {ChartHit | null} over */
  draw(on, over) {
    const { colors, scene, selected } = this.#app;
    this.#axis(on);
    for (const rect of this.rects) {
      const place = this.#place(rect);
      on.fillStyle = rect.fill;
      on.fillRect(place.x, place.y, place.w, place.h);
      if (rect.w < 20) continue;
      const layer = rect.node?.layer ?? -1;
      const short = layer < 0 ? undefined : String(layer);
      const line = { ...place, h: this.#height - 1 };
      on.fillStyle = colors.on(rect.fill);
      if (rect.tall > 1) words(on, { ...line, y: line.y + this.#height / 2 }, rect.share, "", "");
      words(on, line, rect.node?.label ?? "", rect.tall > 1 ? "" : rect.share, short);
    }
    const marked = [...scene.hoverLayers].map((layer) => this.#of.get(layer));
    const rect = /** @type {Drawn | undefined} */ (over?.part);
    for (const one of new Set([...marked, rect])) if (one) frame(on, this.#place(one), colors, colors.muted);
    const own = selected === null ? undefined : this.#of.get(selected);
    if (own) frame(on, this.#place(own), colors, colors.accent);
    if (this.#at) frame(on, this.#place({ tall: 1, ...this.#at }), colors, colors.ink);
  }

  // ---- pointer and keys -----------------------------------------------------------------------

  /** @param {number} x @param {number} y */
  at(x, y) {
    const row = Math.floor((y - AXIS) / this.#height);
    const rect = this.rects.find(
      (each) => row >= each.row && row < each.row + each.tall && x >= each.x && x < each.x + Math.max(each.w, 1),
    );
    return rect ? this.#hit(rect) : null;
  }

  /** @param {TimeRect} rect @returns {ChartHit} */
  #hit(rect) {
    const { engine } = this.#app;
    const { node, layers } = rect;
    const layer = node?.layer ?? -1;
    const title = node
      ? node.about || node.label
      : `${numbers.count(layers.length, "layer")}, each too short to be drawn`;
    const lines = [told(engine, layers).join("  ·  ")];
    if (layer >= 0) lines.push(engine.name(layer));
    return { layer, layers, title, words: lines, part: rect };
  }

  /** @param {ChartHit} hit */
  click({ layer, layers }) {
    if (layer >= 0) this.#app.select(layer);
    else this.#app.mark(layers);
  }

  /** @param {ChartHit} hit */
  dblclick({ part }) {
    const { node } = /** @type {TimeRect} */ (part);
    if (node?.children.length) this.#zoom(node);
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
    if (this.#at) this.#at = { x: 0, w: 0, row: 0, node: on, of: [on], layers: on.layers };
    this.#changed(this.#said());
  }

  /** @param {TimeNode} node */
  #go(node) {
    this.#at = this.#rectOf(node) ?? this.#at;
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
    if (side === "up") this.#go(first.parent ?? first);
    else if (side === "down") this.#go(at.node?.children[0] ?? first);
    else if (first === this.#top) this.#go(first);
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
