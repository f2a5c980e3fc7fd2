// @ts-check
// An engine -> the view of its times below the drawing: an icicle, whose rows are modules down to the layers, as wide as
// their time. A click marks what is inside of a rectangle, a double click makes it the whole width.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import { sums, told } from "./hierarchy.js";
import * as numbers from "./numbers.js";
import { AXIS, axis, frame, rectangle } from "./paint_time.js";
import { Plot } from "./plot.js";
import { rectangles, shown, tree } from "./time_tree.js";

/** @import { App } from "./app.js" */
/** @import { Context, Drawn, TimeNode } from "./types.d.ts" */

/**
 * What this asks of the app.
 * @typedef {Pick<App, "colors" | "engine" | "folded" | "hits" | "mark" | "panes" | "point" | "scene" | "select" | "selected">} Host
 */

const [LOWEST, HIGHEST] = [22, 34]; // rows

export class TimeView {
  #app;
  #out = dom.button({ title: "Back to what is around (Esc)", on: { click: () => this.out() } }, "Zoom out");
  #status = el("p", { class: "told", role: "status" });
  /** Of what the tree is: an engine, its optimisation profile. @type {unknown[]} */
  #of = [];
  /** @type {TimeNode} */
  #root = /** @type {any} */ (null);
  /** What takes the whole width. @type {TimeNode} */
  #top = /** @type {any} */ (null);
  /** @type {Drawn[]} */
  rects = [];
  /** The rectangle of each layer that has one. @type {Map<number, Drawn>} */
  #rectOf = new Map();
  #height = LOWEST; // of a row

  /** @param {Host} app */
  constructor(app) {
    this.#app = app;
    /** @type {Plot<Drawn>} */
    this.pane = new Plot(app, "time", this, this.#out);
    this.canvas = this.pane.canvas;
    this.pane.plot.before(this.#status);
    this.canvas.addEventListener("dblclick", ({ offsetX, offsetY }) => this.#open(this.at(offsetX, offsetY)));
  }

  // ---- what others ask of it ------------------------------------------------------------------

  /** Shows what is true now. */
  update() {
    const { engine } = this.#app;
    const of = [engine, engine.shown];
    if (of.some((each, n) => each !== this.#of[n])) {
      this.#of = of;
      this.#root = this.#top = tree(engine);
      this.pane.plot.scrollTop = 0;
    }
    this.layOut();
    dom.fill(this.pane.keys, this.#untimed());
    const words = this.#marked();
    if (this.#status.textContent !== words) dom.fill(this.#status, dom.unbroken(words));
  }

  /** Zooms out. Whether there is something around. */
  out() {
    const { parent } = this.#top;
    if (parent) this.#zoom(parent);
    return Boolean(parent);
  }

  // ---- words ----------------------------------------------------------------------------------

  #words() {
    const { now, head, summed } = this.#app.engine;
    const kind = head.estimated ? "estimates of the builder" : now.kind;
    const nothing = summed ? `${now.total}: no time of a run is known` : "Nothing is timed";
    return [
      now.ms === null ? `${nothing}: widths are numbers of layers` : `${now.total}, ${kind}`,
      now.brief,
      now.of && now.ms !== null ? `shares are ${now.of}` : "",
    ]
      .filter(Boolean)
      .join("  ·  ");
  }

  /** How many layers have no rectangle, and why; a click marks them. */
  #untimed() {
    const { engine } = this.#app;
    const { idle, missing, ms } = engine.layers;
    const layers = engine.now.ms === null ? [] : shown(engine).filter((layer) => !ms[layer]);
    if (!layers.length) return null;
    const [unknown, still] = [missing, idle].map((why) => layers.filter((layer) => why.has(layer)).length);
    const zero = layers.length - unknown - still;
    const why = [unknown && `${unknown} not timed`, still && `${still} run no kernel`, zero && `${zero} of 0 µs`];
    const on = { click: () => this.#app.mark(layers) };
    return dom.button({ class: "plain", title: "Mark them", on }, why.filter(Boolean).join(", "));
  }

  /** The sums of what is marked. */
  #marked() {
    const { engine, hits } = this.#app;
    const own = hits?.filter((node) => engine.isShown(node)) ?? [];
    return own.length ? `Marked: ${told(engine, own).join("  ·  ")}` : "";
  }

  /** @param {Drawn} rect */
  told({ node, layers }) {
    const { engine } = this.#app;
    const title = node?.about || node?.label;
    const own = node && node.layer >= 0 ? [engine.name(node.layer)] : [];
    return [
      el("b", {}, title ?? `${numbers.count(layers.length, "layer")}, each too short to be drawn`),
      ...[told(engine, layers).join("  ·  "), ...own].map((line) => el("span", { dir: "ltr" }, line)),
    ];
  }

  // ---- pixels ---------------------------------------------------------------------------------

  layOut() {
    const { place, plot, words } = this.pane;
    const { engine, scene, hits } = this.#app;
    const zoomed = this.#top !== this.#root;
    const found = hits && new Set(hits);
    if (!zoomed) place.style.maxHeight = "";
    const tall = plot.clientHeight;
    const all = rectangles(this.#top, plot.clientWidth);
    const rows = 1 + all.reduce((most, { row }) => Math.max(most, row), 0);
    this.#height = Math.max(LOWEST, Math.min(HIGHEST, Math.floor((tall - AXIS - 2) / rows)));
    this.#rectOf = new Map();
    this.rects = all.map((rect) => {
      const layer = rect.node?.layer ?? rect.layers[0];
      const own = layer >= 0;
      const fill = own ? scene.layerFill(layer) : scene.groupFill(rect.layers);
      const share = engine.now.ms !== null && rect.w > 30 ? numbers.percent(sums(engine, rect.layers).share) : "";
      const drawn = {
        ...rect,
        y: AXIS + rect.row * this.#height + 1,
        h: this.#height * (own ? rows - rect.row : 1) - 1,
        fill: found && !rect.layers.some((one) => found.has(one)) ? scene.paled(fill) : fill,
        share,
      };
      if (own) for (const one of rect.layers) this.#rectOf.set(one, drawn);
      return drawn;
    });
    const height = AXIS + this.#height * rows + 2;
    this.canvas.style.height = `${height}px`;
    if (!zoomed && height < tall) place.style.maxHeight = `${place.offsetHeight - tall + height}px`; // no empty rows
    dom.fill(words, dom.unbroken(this.#words()));
    this.canvas.setAttribute("aria-label", `Icicle of times. ${words.textContent}`);
    this.#out.hidden = !zoomed;
    this.pane.request();
  }

  /** @param {Context} on @param {Drawn | null} over */
  draw(on, over) {
    const { colors, engine, scene, selected } = this.#app;
    if (engine.now.ms !== null) axis(on, colors, this.#top.sum, this.canvas.clientWidth);
    for (const rect of this.rects) rectangle(on, colors, rect, this.#height - 1);
    const hovered = scene.hoverLayers.map((layer) => this.#rectOf.get(layer));
    for (const one of new Set([...hovered, over])) if (one) frame(on, colors, one, colors.muted);
    const own = this.#rectOf.get(selected ?? -1);
    if (own) frame(on, colors, own, colors.accent);
  }

  // ---- pointer -----------------------------------------------------------------------

  /** @param {number} x @param {number} y */
  at(x, y) {
    return (
      this.rects.find((one) => y >= one.y && y < one.y + one.h && x >= one.x && x < one.x + Math.max(one.w, 1)) ?? null
    );
  }

  /** @param {Drawn | null} rect */
  point(rect) {
    const layer = rect?.node?.layer ?? -1;
    this.#app.point(layer < 0 ? -1 : this.#app.folded.of[layer]);
  }

  /** @param {Drawn} rect */
  click({ node, layers }) {
    if (node && node.layer >= 0) this.#app.select(node.layer);
    else this.#app.mark(layers);
  }

  /** Gives a rectangle the whole width. @param {Drawn | null} rect */
  #open(rect) {
    if (rect?.node?.children.length) this.#zoom(rect.node);
  }

  /** @param {TimeNode} node takes the whole width */
  #zoom(node) {
    this.#top = node;
    this.layOut();
    this.pane.focus();
  }
}
