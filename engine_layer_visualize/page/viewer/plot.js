// @ts-check
// A view below the drawing that is one canvas: its head, its pixels, its tooltip, and what the pointer is on.

import * as dom from "./dom.js";
import { el } from "./dom.js";

/** @import { App } from "./app.js" */
/** @import { Child, Context } from "./types.d.ts" */

/**
 * What the canvas shows: items, such as dots.
 * @template Item
 * @typedef {object} View
 * @property {boolean} [there] whether the open engine has it
 * @property {() => void} update shows what is true now
 * @property {() => void} layOut takes the size of the canvas
 * @property {(on: Context, over: Item | null) => void} draw
 * @property {(x: number, y: number) => Item | null} at
 * @property {(item: Item) => void} click
 * @property {(item: Item) => Child[]} told for the tooltip
 * @property {(item: Item | null) => void} [point] the pointer is on another item
 */

/** @template Item */
export class Plot {
  canvas = el("canvas", { tabindex: "0", role: "img" });
  plot = el("div", { class: "plot" }, this.canvas);
  words = el("p", { class: "muted" });
  keys = el("div", { class: "keys" });
  #tip = el("div", { class: "tip", hidden: true });
  #requested = 0;
  /** @type {Item | null} */
  #over = null;
  /** @type {Pick<App, "engine" | "panes">} */
  #app;
  /** @type {View<Item>} */
  #view;

  /**
   * @param {Pick<App, "engine" | "panes">} app
   * @param {string} id
   * @param {View<Item>} view
   * @param {...Child} controls
   */
  constructor(app, id, view, ...controls) {
    this.id = id;
    this.#app = app;
    this.#view = view;
    this.place = dom.find(id);
    const name = this.place.getAttribute("aria-label") ?? "";
    const close = dom.cross(`Close: ${name}`, () => app.panes.show(null));
    const tools = el("div", { class: "tools" }, el("h2", {}, name), ...controls, this.words, this.keys, close);
    dom.fill(this.place, tools, this.plot, this.#tip);
    const { canvas } = this;
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    canvas.addEventListener("pointerleave", () => this.leave());
    canvas.addEventListener("click", ({ offsetX, offsetY }) => {
      const item = view.at(offsetX, offsetY);
      if (item) view.click(item);
      this.focus();
    });
    dom.resized(this.plot, () => this.hidden || view.layOut());
  }

  get hidden() {
    return this.place.hidden || !this.#app.engine;
  }

  get there() {
    return this.#view.there ?? true;
  }

  update() {
    if (this.hidden) return;
    this.leave();
    this.#view.update();
  }

  reset() {
    this.update();
  }

  select() {
    this.request();
  }

  point() {
    this.request();
  }

  focus() {
    this.canvas.focus({ preventScroll: true });
  }

  /** Draws it at the next frame. */
  request() {
    this.#requested ||= dom.later(() => {
      this.#requested = 0;
      if (this.hidden) return;
      const { canvas } = this;
      const ratio = Math.min(3, devicePixelRatio || 1);
      [canvas.width, canvas.height] = [canvas.clientWidth, canvas.clientHeight].map((size) => Math.round(size * ratio));
      const on = dom.contextOf(canvas);
      on.scale(ratio, ratio);
      this.#view.draw(on, this.#over);
    });
  }

  /** @param {PointerEvent} event */
  #move({ offsetX, offsetY }) {
    const item = this.#view.at(offsetX, offsetY);
    if (item === this.#over) return;
    this.leave();
    this.#over = item;
    this.canvas.classList.toggle("over", Boolean(item));
    this.#view.point?.(item);
    if (!item) return;
    this.#tip.hidden = false;
    dom.fill(this.#tip, this.#view.told(item));
    const [own, around] = [this.canvas, this.place].map((each) => each.getBoundingClientRect());
    dom.beside(this.#tip, offsetX + own.left - around.left, offsetY + own.top - around.top, around);
  }

  /** Nothing is under the pointer. */
  leave() {
    if (this.#over) this.#view.point?.(null);
    this.#over = null;
    this.#tip.hidden = true;
    this.request();
  }
}
