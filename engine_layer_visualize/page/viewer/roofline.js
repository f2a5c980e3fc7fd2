// @ts-check
// An engine -> its roofline below the drawing: a dot for each layer that multiplies and has a time, under what the
// device can do. A click selects the layer; what is drawn comes from `drawings/roofline.py`.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import { stepped } from "./keys.js";
import * as numbers from "./numbers.js";
import * as paint from "./paint_roofline.js";
import { limits } from "./parts.js";
import { hasRoofline, place } from "./roofline_axes.js";
import * as text from "./text.js";

/** @import { App } from "./app.js" */
/** @import { Dot, Plot } from "./types.d.ts" */

/**
 * What this asks of the app.
 * @typedef {Pick<App, "colors" | "engine" | "hits" | "panes" | "select" | "selected">} Host
 */

const NEAR = 6; // pixels from a dot that still point at it
const WORDS = text.FONTS.plain;
const STEPS = new Map([
  ["ArrowRight", 1],
  ["ArrowLeft", -1],
  ["Home", -Infinity],
  ["End", Infinity],
]);

export class RooflineView {
  id = "roofline";
  #app;
  #place = dom.find("roofline");
  #words = el("p", { class: "muted" });
  #keys = el("div", { class: "keys" });
  #canvas = el("canvas", {
    tabindex: "0",
    role: "img",
    "aria-label": "Roofline: FLOP per second over FLOP per byte; the arrow keys go from layer to layer",
  });
  #tip = el("div", { class: "tip", hidden: true });
  /** @type {Plot | null} */
  #plot = null;
  /** @type {Dot | null} */
  #over = null;

  /** @param {Host} app */
  constructor(app) {
    this.#app = app;
    const close = dom.cross("Close the roofline", () => app.panes.show(null));
    const tools = el("div", { class: "tools" }, el("h2", {}, "Roofline"), this.#words, this.#keys, close);
    dom.fill(this.#place, tools, el("div", { class: "plot" }, this.#canvas, this.#tip));
    this.#canvas.addEventListener("pointermove", (event) => this.#point(event));
    this.#canvas.addEventListener("pointerleave", () => this.#leave());
    this.#canvas.addEventListener("click", (event) => {
      const dot = this.#under(event);
      if (dot) app.select(dot.node);
    });
    this.#canvas.addEventListener("keydown", (event) => this.#key(event));
    dom.resized(this.#canvas, () => this.update());
  }

  // ---- what others ask of it ------------------------------------------------------------------

  /** Of an engine that has none the view cannot be opened. */
  get there() {
    return hasRoofline(this.#app.engine);
  }

  /** Shows what is true now, unless it is hidden. */
  update() {
    if (this.#place.hidden || !this.#app.engine) return;
    const { engine, colors } = this.#app;
    const { shown, device, worst } = engine.rooflines[engine.shown];
    this.#place.classList.toggle("empty", !worst.length);
    this.#leave();
    const plot = place(engine, this.#canvas.clientWidth, this.#canvas.clientHeight);
    this.#plot = plot;
    dom.fill(this.#words, dom.unbroken(`${shown}.${device && ` ${device}.`}`));
    dom.fill(
      this.#keys,
      [...new Set(plot.dots.map((dot) => dot.precision))].map((each) => {
        const [label, background] = colors.precisions[each];
        const swatch = el("i", { class: "swatch", style: { background }, "aria-hidden": "true" });
        return el("span", { class: "key" }, swatch, label);
      }),
    );
    this.draw();
  }

  reset() {
    this.update();
  }

  select() {
    this.draw();
  }

  focus() {
    this.#canvas.focus({ preventScroll: true });
  }

  /** The dots, where they lie; for tests. */
  get dots() {
    return this.#plot?.dots ?? [];
  }

  // ---- pointer and keys -----------------------------------------------------------------------

  /** The smallest dot at the pointer. @param {MouseEvent} event */
  #under({ offsetX, offsetY }) {
    /** @type {Dot | null} */
    let found = null;
    for (const dot of this.dots) {
      const far = Math.hypot(dot.x - offsetX, dot.y - offsetY);
      if (far <= Math.max(NEAR, dot.r) && (!found || dot.r <= found.r)) found = dot;
    }
    return found;
  }

  /** @param {MouseEvent} event */
  #point(event) {
    const dot = this.#under(event);
    if (dot === this.#over) return;
    this.#leave();
    this.#over = dot;
    this.#canvas.classList.toggle("over", Boolean(dot));
    this.draw();
    if (dot) this.#tell(dot);
  }

  #leave() {
    this.#over = null;
    this.#tip.hidden = true;
    this.draw();
  }

  /** @param {Dot} dot */
  #tell(dot) {
    const { engine } = this.#app;
    const { clientWidth, clientHeight } = this.#canvas;
    const time = [numbers.about(engine.head, engine.layers.ms[dot.node]), numbers.percent(engine.share(dot.node))];
    this.#tip.hidden = false;
    dom.fill(
      this.#tip,
      el("b", {}, `${dot.node} ${engine.headline(dot.node)}`),
      el("span", {}, [...time, `${numbers.large(dot.rate)}FLOP/s`].filter(Boolean).join("  ·  ")),
      limits(engine, dot.node).map((words) => el("span", {}, words)),
      el("span", { dir: "ltr" }, text.tail(engine.name(dot.node), WORDS, Math.min(520, clientWidth - 40))),
    );
    const [w, h] = [this.#tip.offsetWidth, this.#tip.offsetHeight];
    this.#tip.style.left = `${Math.max(4, Math.min(dot.x + 14, clientWidth - w - 4))}px`;
    this.#tip.style.top = `${dot.y + 14 + h > clientHeight ? Math.max(0, dot.y - h - 12) : dot.y + 14}px`;
  }

  /** To the dot beside the selected one, by intensity. @param {KeyboardEvent} event */
  #key(event) {
    const by = STEPS.get(event.key);
    if (by === undefined || !this.dots.length) return;
    event.preventDefault();
    const order = [...this.dots].sort((a, b) => a.x - b.x || a.node - b.node);
    const now = order.findIndex((dot) => dot.node === this.#app.selected);
    this.#app.select(order[stepped(order.length, now, by)].node);
    this.focus();
  }

  // ---- pixels ---------------------------------------------------------------------------------

  draw() {
    const plot = this.#plot;
    if (!plot || this.#place.hidden) return;
    const { colors } = this.#app;
    const ratio = Math.min(3, devicePixelRatio || 1);
    const { clientWidth: wide, clientHeight: tall } = this.#canvas;
    [this.#canvas.width, this.#canvas.height] = [Math.round(wide * ratio), Math.round(tall * ratio)];
    const on = dom.contextOf(this.#canvas);
    on.scale(ratio, ratio);
    const { selected, hits } = this.#app;
    const found = hits && new Set(hits);
    if (plot.dots.length)
      paint.draw(
        on,
        plot,
        colors,
        (dot) => dot.node === selected || dot === this.#over,
        (dot) => Boolean(found && !found.has(dot.node)),
      );
  }
}
