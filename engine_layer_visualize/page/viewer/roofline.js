// @ts-check
// An engine -> its roofline below the drawing: a dot for each layer that multiplies and has a time, under what the
// device can do. A click selects the layer.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import * as numbers from "./numbers.js";
import * as paint from "./paint_roofline.js";
import { limits } from "./parts.js";
import { Plot } from "./plot.js";
import { hasRoofline, place } from "./roofline_axes.js";
import * as text from "./text.js";

/** @import { App } from "./app.js" */
/** @import { Context, Dot, RooflinePlot } from "./types.d.ts" */

/**
 * What this asks of the app.
 * @typedef {Pick<App, "colors" | "engine" | "hits" | "panes" | "select" | "selected">} Host
 */

const NEAR = 6; // pixels from a dot that still point at it

export class RooflineView {
  #app;
  /** @type {RooflinePlot} */
  #plot = /** @type {any} */ (null);

  /** @param {Host} app */
  constructor(app) {
    this.#app = app;
    /** @type {Plot<Dot>} */
    this.pane = new Plot(app, "roofline", this);
    this.canvas = this.pane.canvas;
    const about = "Roofline: FLOP per second over FLOP per byte";
    this.canvas.setAttribute("aria-label", about);
  }

  /** Of an engine that has none the view cannot be opened. */
  get there() {
    return hasRoofline(this.#app.engine);
  }

  update() {
    const { engine, colors } = this.#app;
    const { shown, device, worst } = engine.rooflines[engine.shown];
    this.pane.place.classList.toggle("empty", !worst.length);
    dom.fill(this.pane.words, dom.unbroken(`${shown}.${device && ` ${device}.`}`));
    this.layOut();
    dom.fill(
      this.pane.keys,
      [...new Set(this.dots.map((dot) => dot.precision))].map((each) => {
        const [label, background] = colors.precisions[each];
        const swatch = el("i", { class: "swatch", style: { background }, "aria-hidden": "true" });
        return el("span", { class: "key" }, swatch, label);
      }),
    );
  }

  layOut() {
    this.#plot = place(this.#app.engine, this.canvas.clientWidth, this.canvas.clientHeight);
    this.pane.request();
  }

  /** The dots, where they lie. */
  get dots() {
    return this.#plot?.dots ?? [];
  }

  /** The smallest dot there. @param {number} x @param {number} y */
  at(x, y) {
    const near = this.dots.filter((dot) => Math.hypot(dot.x - x, dot.y - y) <= Math.max(NEAR, dot.r));
    return near.reduce((a, b) => (a && a.r < b.r ? a : b), /** @type {Dot | null} */ (null));
  }

  /** @param {Dot} dot */
  click({ node }) {
    this.#app.select(node);
  }

  /** @param {Dot} dot */
  told({ node, rate }) {
    const { engine } = this.#app;
    const time = [numbers.about(engine.head, engine.layers.ms[node]), numbers.percent(engine.share(node))];
    const room = Math.min(520, this.canvas.clientWidth - 40);
    return [
      el("b", {}, `${node} ${engine.headline(node)}`),
      el("span", {}, [...time, `${numbers.large(rate)}FLOP/s`].filter(Boolean).join("  ·  ")),
      ...limits(engine, node).map((words) => el("span", {}, words)),
      el("span", { dir: "ltr" }, text.tail(engine.name(node), text.FONTS.plain, room)),
    ];
  }

  /** @param {Context} on @param {Dot | null} over */
  draw(on, over) {
    const { colors, selected, hits } = this.#app;
    const found = hits && new Set(hits);
    if (!this.dots.length) return;
    paint.draw(
      on,
      this.#plot,
      colors,
      (dot) => dot.node === selected || dot === over,
      (dot) => Boolean(found && !found.has(dot.node)),
    );
  }
}
