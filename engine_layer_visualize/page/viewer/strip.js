// @ts-check
// An engine -> its layers in order of execution: bars as high as their time, a line of their sum, and a track that
// tells which have no time. A click selects a layer, a drag marks those that it runs over.

import { told } from "./hierarchy.js";
import { stepped } from "./keys.js";
import * as numbers from "./numbers.js";
import { frame } from "./paint_time.js";
import * as text from "./text.js";
import { bins } from "./time_bins.js";
import { runs, shown } from "./time_tree.js";

/** @import { App } from "./app.js" */
/** @import { Bin, Chart, ChartHit, Color, Context, Key } from "./types.d.ts" */

/**
 * What this asks of the app.
 * @typedef {Pick<App, "colors" | "engine" | "hits" | "mark" | "scene" | "select" | "selected">} Host
 */

const [LEFT, RIGHT, TOP, BOTTOM] = [62, 48, 32, 34]; // room for the words around
const TRACK = 8; // height of what tells of layers without a time
const MODULE = 18; // height of the names of modules
const TALLEST = 320;
const NAMED = 5; // bars whose times are written
const FLAT = 4; // times the next ones: a bar so much longer is cut

/** @implements {Chart} */
export class Strip {
  about = "Times in order of execution; left and right go from layer to layer, with Shift they mark layers";
  empty = "";
  /** @type {(Bin & { fill: Color })[]} */
  bins = [];
  #app;
  #changed;
  #height = 0;
  #width = 0;
  /** The time at the upper end of the axis: the slowest layer's, or less, where that would flatten all others. */
  #most = 0;
  /** The slowest layer's time. */
  #slowest = 0;
  /** The bars whose times are written, the slowest first. @type {number[]} */
  #named = [];
  /** The modules beneath, by bars. @type {ReturnType<typeof runs>} */
  #runs = [];
  /** Where each layer stands. @type {Map<number, number>} */
  #of = new Map();
  /** @type {number[]} */
  #layers = [];
  /** What the keys marked, by places in `#layers`: from here to the selected one; null: nothing. @type {[from: number, to: number] | null} */
  #marked = null;

  /** @param {Host} app @param {(words: string) => void} changed */
  constructor(app, changed) {
    this.#app = app;
    this.#changed = changed;
  }

  reset() {
    const { engine } = this.#app;
    const why = engine.summed ? "No time of a run is known" : "Nothing is timed";
    this.empty = engine.now.ms === null ? `${why}: the order of execution is that of the table.` : "";
    this.#layers = shown(engine);
    this.#marked = null;
  }

  /** @param {number} width @param {number} height */
  layOut(width, height) {
    const { engine, scene, hits } = this.#app;
    const found = hits && new Set(hits);
    [this.#width, this.#height] = [Math.max(10, width - LEFT - RIGHT), Math.min(TALLEST, height)];
    this.#of = new Map();
    this.bins = bins(engine, this.#width).map((bin, at) => {
      for (const layer of bin.layers) this.#of.set(layer, at);
      const fill = scene.layerFill(bin.slowest < 0 ? bin.layers[0] : bin.slowest);
      return { ...bin, fill: found && !bin.layers.some((n) => found.has(n)) ? scene.paled(fill) : fill };
    });
    this.#runs = runs(
      engine,
      this.bins.map(({ layers }) => layers[0]),
    );
    this.#named = this.bins.map((_, at) => at).filter((at) => this.#ms(at) > 0);
    this.#named.sort((a, b) => this.#ms(b) - this.#ms(a) || a - b);
    const next = this.#ms(this.#named[Math.min(NAMED, this.#named.length - 1)] ?? -1);
    this.#slowest = this.#ms(this.#named[0] ?? -1);
    this.#most = this.#slowest > FLAT * next && next > 0 ? 1.5 * next : this.#slowest;
    this.#named.length = Math.min(NAMED, this.#named.length);
    return this.#height;
  }

  /** How many layers a bar stands for, at most. */
  get each() {
    return this.bins.reduce((most, { layers }) => Math.max(most, layers.length), 0);
  }

  // ---- pixels ---------------------------------------------------------------------------------

  get #foot() {
    return this.#height - BOTTOM;
  }

  /** @param {number} at */
  #x(at) {
    return LEFT + (this.#width * at) / this.bins.length;
  }

  /** The time of a bar. @param {number} at */
  #ms(at) {
    return this.#app.engine.layers.ms[this.bins[at]?.slowest ?? -1] ?? 0;
  }

  /** @param {number} at */
  #bar(at) {
    const [tall, wide] = [this.#foot - TOP, this.#width / this.bins.length];
    const ms = this.#ms(at);
    const h = ms && this.#most ? Math.max(1, (tall * Math.min(ms, this.#most)) / this.#most) : 0;
    return { x: this.#x(at), y: this.#foot - h, w: Math.max(1, wide - (wide > 3 ? 1 : 0)), h };
  }

  /** @param {Context} on @param {ChartHit | null} over */
  draw(on, over) {
    const { colors, scene, selected } = this.#app;
    on.fillStyle = colors.group;
    on.fillRect(LEFT, TOP, this.#width, this.#foot - TOP);
    this.#grid(on);
    this.bins.forEach((bin, at) => {
      const { x, y, w, h } = this.#bar(at);
      on.fillStyle = bin.fill;
      on.fillRect(x, y, w, h);
      if (!bin.untimed) return;
      on.fillStyle = colors.muted;
      on.fillRect(x, this.#foot + 2, w, TRACK);
    });
    this.#sum(on);
    this.#names(on);
    this.#modules(on);
    const hovered = [...scene.hoverLayers].map((layer) => this.#of.get(layer));
    const part = /** @type {number | undefined} */ (over?.part);
    for (const at of new Set([...hovered, part])) if (at !== undefined) this.#mark(on, at, colors.muted);
    const own = selected === null ? undefined : this.#of.get(selected);
    if (own !== undefined) this.#mark(on, own, colors.accent);
  }

  /** @param {Context} on @param {number} at @param {Color} color */
  #mark(on, at, color) {
    const { x, w } = this.#bar(at);
    const wide = Math.max(4, w);
    frame(
      on,
      { x: x + w / 2 - wide / 2 - 1, y: TOP - 4, w: wide + 2, h: this.#foot - TOP + 6 + TRACK },
      this.#app.colors,
      color,
    );
  }

  /** Above the longest bars number and time, moved aside where they would touch; a bar that is cut has a gap. @param {Context} on */
  #names(on) {
    const { colors, engine } = this.#app;
    const told = this.#named.map((at) => {
      const words = `#${this.bins[at].slowest}  ${numbers.about(engine.head, this.#ms(at))}`;
      return { at, words, wide: text.width(words, text.FONTS.plain) + 10, left: 0 };
    });
    while (told.reduce((sum, { wide }) => sum + wide, 0) > this.#width) told.pop();
    told.sort((a, b) => a.at - b.at);
    const middle = (/** @type {number} */ at) => this.#bar(at).x + this.#bar(at).w / 2;
    let [first, last] = [LEFT, LEFT + this.#width + 10];
    for (const one of told) {
      one.left = Math.max(first, middle(one.at) - one.wide / 2);
      first = one.left + one.wide;
    }
    for (const one of told.reverse()) {
      one.left = Math.min(one.left, last - one.wide);
      last = one.left;
    }
    on.font = text.FONTS.plain;
    on.textAlign = "left";
    on.lineWidth = 0.8;
    for (const { at, words, wide, left } of told) {
      const { x, y, w } = this.#bar(at);
      if (this.#ms(at) > this.#most) {
        on.fillStyle = colors.group;
        on.fillRect(x - 1, y + 8, w + 2, 3);
      }
      on.fillStyle = colors.ink;
      on.fillText(words, left, TOP - 16);
      on.strokeStyle = colors.muted;
      on.beginPath();
      on.moveTo(left + wide / 2 - 5, TOP - 12);
      on.lineTo(middle(at), TOP - 3);
      on.lineTo(middle(at), y);
      on.stroke();
    }
  }

  /** Beneath the bars the modules, else which layers these are. @param {Context} on */
  #modules(on) {
    const { colors } = this.#app;
    const y = this.#height - MODULE;
    on.font = text.FONTS.plain;
    for (const { label, from, to } of this.#runs) {
      const [left, right] = [this.#x(from) + 1, this.#x(to)];
      on.fillStyle = colors.block;
      on.fillRect(left, y, right - left, MODULE);
      on.fillStyle = colors.ink;
      on.textAlign = "left";
      const words = [label, label.replace(/.*\//, "")];
      const shown = words.find((one) => text.width(one, text.FONTS.plain) + 8 < right - left);
      if (shown) on.fillText(shown, left + 4, y + 13);
    }
    if (this.#runs.length) return;
    on.fillStyle = colors.muted;
    on.textAlign = "left";
    on.fillText(`layer ${this.#layers[0] ?? ""}`, LEFT, y + 13);
    on.textAlign = "right";
    on.fillText(`layer ${this.#layers.at(-1) ?? ""}`, LEFT + this.#width, y + 13);
  }

  /** Both axes: the slowest layer's time, the part of the sum. @param {Context} on */
  #grid(on) {
    const { colors, engine } = this.#app;
    on.strokeStyle = colors.mix(colors.group, colors.muted, 0.3);
    on.lineWidth = 1;
    on.font = text.FONTS.plain;
    on.fillStyle = colors.muted;
    for (const part of [0, 0.5, 1]) {
      const y = Math.round(this.#foot + (TOP - this.#foot) * part) + 0.5;
      on.beginPath();
      on.moveTo(LEFT, y);
      on.lineTo(LEFT + this.#width, y);
      on.stroke();
      on.textAlign = "right";
      on.fillText(part ? numbers.about(engine.head, this.#most * part) : "0", LEFT - 6, y + 4);
      on.textAlign = "left";
      on.fillText(`${part * 100} %`, LEFT + this.#width + 6, y + 4);
    }
  }

  /** @param {Context} on */
  #sum(on) {
    const { colors } = this.#app;
    const tall = this.#foot - TOP;
    for (const [color, wide] of /** @type {[Color, number][]} */ ([
      [colors.paper, 4],
      [colors.ink, 1.6],
    ])) {
      on.strokeStyle = color;
      on.lineWidth = wide;
      on.beginPath();
      on.moveTo(LEFT, this.#foot);
      this.bins.forEach(({ share }, at) => {
        on.lineTo(this.#x(at + 1), this.#foot - tall * Math.min(1, share));
      });
      on.stroke();
    }
  }

  // ---- pointer and keys -----------------------------------------------------------------------

  /** @param {number} x */
  #under(x) {
    return Math.floor(((x - LEFT) / this.#width) * this.bins.length);
  }

  /** @param {number} x */
  at(x) {
    const at = this.#under(x);
    return this.bins[at] ? this.#hit(at) : null;
  }

  /** @param {number} at @returns {ChartHit} */
  #hit(at) {
    const { engine } = this.#app;
    const { layers, slowest, ms, share } = this.bins[at];
    const sum = `up to here ${numbers.about(engine.head, ms)}, ${numbers.percent(share)}`;
    const one = layers.length === 1;
    const words = [told(engine, layers).join("  ·  "), sum];
    if (!one && slowest >= 0)
      words.splice(
        1,
        0,
        `the slowest: ${engine.label(slowest)}, ${numbers.about(engine.head, engine.layers.ms[slowest])}`,
      );
    const title = one ? engine.label(layers[0]) : `layers ${layers[0]} to ${layers.at(-1)}`;
    return { layer: one ? layers[0] : slowest, layers, title, words, part: at };
  }

  /** @param {ChartHit} hit */
  click({ layer, layers }) {
    this.#app.select(layer < 0 ? layers[0] : layer);
  }

  /** @param {number} from @param {number} to */
  brush(from, to) {
    const [a, b] = [Math.max(0, this.#under(Math.min(from, to))), this.#under(Math.max(from, to))];
    return this.bins.slice(a, Math.max(a, b + 1)).flatMap((bin) => bin.layers);
  }

  /**
   * To the layer beside the selected one; marks all from where it began.
   * @param {number} by
   * @param {boolean} [marks]
   */
  #step(by, marks = false) {
    const { selected } = this.#app;
    const list = this.#layers;
    const now = selected === null ? -1 : list.indexOf(selected);
    const next = stepped(list.length, now, by);
    const [start, end] = this.#marked ?? [-1, -1];
    this.#marked = marks ? [now >= 0 && end === now ? start : now < 0 ? next : now, next] : null;
    this.#app.select(list[next]);
    if (this.#marked) this.#app.mark(list.slice(Math.min(...this.#marked), Math.max(...this.#marked) + 1));
    const hit = this.#hit(this.#of.get(list[next]) ?? 0);
    this.#changed(marks ? "" : [hit.title, ...hit.words].join(": "));
  }

  /** @type {Key[]} */
  keys = [
    { keys: ["ArrowRight"], about: "", call: () => this.#step(1) },
    { keys: ["ArrowLeft"], about: "", call: () => this.#step(-1) },
    { keys: ["Home"], about: "", call: () => this.#step(-Infinity) },
    { keys: ["End"], about: "", call: () => this.#step(Infinity) },
    {
      keys: ["Shift+ArrowRight"],
      shown: "Shift and arrows",
      about: "in order of execution: mark layers",
      call: () => this.#step(1, true),
    },
    { keys: ["Shift+ArrowLeft"], about: "", call: () => this.#step(-1, true) },
  ];
}
