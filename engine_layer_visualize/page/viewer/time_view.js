// @ts-check
// An engine -> the view of its times below the drawing: an icicle, or the order of execution. What both share: the
// words, the canvas, the tooltip, what the pointer and the keys do.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import { told } from "./hierarchy.js";
import { Icicle } from "./icicle.js";
import * as numbers from "./numbers.js";
import { Strip } from "./strip.js";
import { shown, WAYS } from "./time_tree.js";

/** @import { App } from "./app.js" */
/** @import { Chart, ChartHit, Engine, Key } from "./types.d.ts" */

/**
 * What this asks of the app.
 * @typedef {Pick<App, "address" | "colors" | "engine" | "folded" | "hits" | "mark" | "panes" | "point" | "scene" | "select" | "selected">} Host
 */

const ORDER = "order";

export class TimeView {
  id = "time";
  #app;
  #place = dom.find("time");
  #choice = el(
    "select",
    { "aria-label": "What the view of times shows" },
    WAYS.map(([by, words]) => el("option", { value: by }, `by ${words}`)),
    el("option", { value: ORDER }, "in order of execution"),
  );
  #out = dom.button({ title: "Back to what is around (Esc)", on: { click: () => this.icicle.out() } }, "Zoom out");
  #words = el("p", { class: "muted" });
  #keys = el("div", { class: "keys" });
  #status = el("p", { class: "told", role: "status" });
  canvas = el("canvas", { tabindex: "0", role: "img" });
  #plot = el("div", { class: "plot" }, this.canvas);
  #tip = el("div", { class: "tip", hidden: true });
  /** @type {Engine | null} */
  #engine = null;
  #shown = -1;
  /** @type {ChartHit | null} */
  #over = null;
  /** Where a drag began, and where it is. @type {[from: number, to: number] | null} */
  #dragged = null;
  #requested = 0;

  /** @param {Host} app */
  constructor(app) {
    this.#app = app;
    this.icicle = new Icicle(app, (words) => this.#changed(words));
    this.strip = new Strip(app, (words) => this.#changed(words));
    /** @type {Chart} */
    this.chart = this.icicle;
    const close = dom.cross("Close the view of times", () => app.panes.show(null));
    const tools = el(
      "div",
      { class: "tools" },
      el("h2", {}, "Time"),
      this.#choice,
      this.#out,
      this.#words,
      this.#keys,
      close,
    );
    dom.fill(this.#place, tools, this.#status, this.#plot, this.#tip);
    this.#choice.addEventListener("change", () => this.choose(this.#choice.value));
    this.#pointer();
    dom.resized(this.#plot, () => {
      if (!this.#place.hidden && this.#engine) this.#layOut();
    });
  }

  // ---- what others ask of it ------------------------------------------------------------------

  /** What is shown: one of `WAYS`, or the order of execution. */
  get way() {
    return this.#choice.value;
  }

  /** @param {string} way */
  choose(way) {
    this.#choice.value = way;
    this.chart = way === ORDER ? this.strip : this.icicle;
    if (way !== ORDER) this.icicle.by = way;
    this.#shown = -1;
    this.update();
    this.#app.address.changed();
  }

  /** What there is to choose from. */
  get ways() {
    return [...this.#choice.options].map((option) => option.value);
  }

  /** Opens it as this, or closes it. @param {string} way */
  toggle(way) {
    const { panes } = this.#app;
    const there = panes.open === this.id && (this.way === ORDER) === (way === ORDER);
    if (!there) this.choose((this.way === ORDER) === (way === ORDER) ? this.way : way);
    panes.show(there ? null : this.id);
  }

  /** Shows what is true now, unless it is hidden. */
  update() {
    const { engine } = this.#app;
    if (this.#place.hidden || !engine) return;
    if (this.#engine !== engine || this.#shown !== engine.shown) {
      [this.#engine, this.#shown] = [engine, engine.shown];
      this.chart.reset();
      this.#plot.scrollTop = 0;
    }
    this.#leave();
    const { chart } = this;
    this.#place.classList.toggle("empty", Boolean(chart.empty));
    this.#layOut();
    dom.fill(this.#keys, this.#untimed());
    this.#tell(this.#marked());
  }

  reset() {
    this.update();
  }

  select() {
    this.#request();
  }

  point() {
    this.#request();
  }

  focus() {
    this.canvas.focus({ preventScroll: true });
  }

  /** Zooms out. Whether there is something around. */
  out() {
    return this.chart === this.icicle && this.icicle.out();
  }

  /** The keys of its canvas. @type {Key[]} */
  get keys() {
    const all = [...this.icicle.keys, ...this.strip.keys].flatMap((key) => key.keys);
    return [...new Set(all)].map((one) => ({
      keys: [one],
      about: "",
      call: () => this.chart.keys.find((key) => key.keys.includes(one))?.call(),
    }));
  }

  // ---- words ----------------------------------------------------------------------------------

  #told() {
    const { engine } = this.#app;
    const { now, times, head } = engine;
    const kind = head.estimated
      ? "estimates of the builder"
      : `${now.kind}${times.statistic === "median" ? ", medians" : ""}`;
    const nothing = engine.summed ? `${now.total}: no time of a run is known` : "Nothing is timed";
    const bars = this.chart === this.strip && this.strip.each > 1;
    return [
      now.ms === null ? `${nothing}: widths are numbers of layers` : `${now.total}, ${kind}`,
      now.brief,
      now.of && now.ms !== null ? `shares are ${now.of}` : "",
      bars ? `a bar is up to ${this.strip.each} layers, as high as the slowest` : "",
    ]
      .filter(Boolean)
      .join("  ·  ");
  }

  /** How many layers have no time, and why; a click marks them. */
  #untimed() {
    const { engine } = this.#app;
    const { idle, missing, ms } = engine.layers;
    const layers = engine.now.ms === null ? [] : shown(engine).filter((layer) => !ms[layer]);
    if (!layers.length) return null;
    const [unknown, still] = [missing, idle].map((why) => layers.filter((layer) => why.has(layer)).length);
    const zero = layers.length - unknown - still;
    const why = [unknown && `${unknown} not timed`, still && `${still} run no kernel`, zero && `${zero} of 0 µs`];
    const [title, words] = [why.filter(Boolean).join(", "), `${numbers.grouped(layers.length)} without a time`];
    return dom.button({ class: "plain", title, on: { click: () => this.#app.mark(layers) } }, words);
  }

  /** The sums of what is marked. */
  #marked() {
    const { engine, hits } = this.#app;
    const own = hits?.filter((node) => engine.isShown(node)) ?? [];
    return own.length ? `Marked: ${told(engine, own).join("  ·  ")}` : "";
  }

  /** @param {string} words */
  #tell(words) {
    if (this.#status.textContent !== words) dom.fill(this.#status, dom.unbroken(words));
  }

  /** @param {string} words */
  #changed(words) {
    this.#layOut();
    this.#tell(words || this.#marked());
    this.focus();
  }

  // ---- pixels ---------------------------------------------------------------------------------

  #layOut() {
    const [place, zoomed] = [this.#place, this.chart === this.icicle && this.icicle.zoomed];
    if (!zoomed) place.style.maxHeight = "";
    const tall = this.#plot.clientHeight;
    const height = this.chart.layOut(this.#plot.clientWidth, tall);
    this.canvas.style.height = `${height}px`;
    if (!zoomed && height < tall) place.style.maxHeight = `${place.offsetHeight - tall + height}px`; // no empty rows
    dom.fill(this.#words, dom.unbroken(this.chart.empty || this.#told()));
    this.canvas.setAttribute("aria-label", `${this.chart.about}. ${this.#words.textContent}`);
    this.#out.hidden = this.chart !== this.icicle || !this.icicle.zoomed;
    this.#request();
  }

  #request() {
    this.#requested ||= dom.later(() => {
      this.#requested = 0;
      if (!this.#place.hidden && this.#engine === this.#app.engine) this.draw();
    });
  }

  draw() {
    const { canvas } = this;
    const ratio = Math.min(3, devicePixelRatio || 1);
    const { clientWidth: wide, clientHeight: tall } = canvas;
    [canvas.width, canvas.height] = [Math.round(wide * ratio), Math.round(tall * ratio)];
    const on = dom.contextOf(canvas);
    on.scale(ratio, ratio);
    this.chart.draw(on, this.#over);
    if (!this.#dragged) return;
    const [from, to] = this.#dragged;
    on.fillStyle = this.#app.colors.accent;
    on.globalAlpha = 0.25;
    on.fillRect(Math.min(from, to), 0, Math.abs(to - from), tall);
  }

  // ---- pointer --------------------------------------------------------------------------------

  #pointer() {
    const { canvas } = this;
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    canvas.addEventListener("pointerleave", () => this.#leave());
    canvas.addEventListener("pointerdown", (event) => {
      if (!this.chart.brush || event.button) return;
      canvas.setPointerCapture(event.pointerId);
      this.#dragged = [event.offsetX, event.offsetX];
    });
    canvas.addEventListener("pointerup", (event) => {
      const drag = this.#dragged;
      this.#dragged = null;
      const brushed = drag && Math.abs(drag[1] - drag[0]) > 4 ? (this.chart.brush?.(...drag) ?? []) : null;
      if (brushed?.length) this.#app.mark(brushed);
      else if (brushed) this.#request();
      else this.#click(event);
    });
    canvas.addEventListener("pointercancel", () => {
      this.#dragged = null;
      this.#request();
    });
    canvas.addEventListener("dblclick", (event) => {
      const hit = this.chart.at(event.offsetX, event.offsetY);
      if (hit) this.chart.dblclick?.(hit);
    });
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const hit = this.chart.at(event.offsetX, event.offsetY);
    if (!hit || event.button) return;
    this.chart.click(hit);
    this.focus();
  }

  /** @param {PointerEvent} event */
  #move(event) {
    if (this.#dragged) this.#dragged[1] = event.offsetX;
    const hit = this.chart.at(event.offsetX, event.offsetY);
    if (hit?.part === this.#over?.part && !this.#dragged) return;
    this.#over = hit;
    this.canvas.classList.toggle("over", Boolean(hit));
    this.#app.point(hit && hit.layer >= 0 ? this.#app.folded.of[hit.layer] : -1);
    this.#request();
    this.#tip.hidden = !hit;
    if (!hit) return;
    const ms = this.#dragged && this.chart.brush ? this.chart.brush(...this.#dragged) : null;
    const { engine } = this.#app;
    const words = ms?.length ? told(engine, ms) : hit.words;
    dom.fill(
      this.#tip,
      el("b", {}, ms?.length ? `layers ${ms[0]} to ${ms.at(-1)}` : hit.title),
      words.map((line) => el("span", { dir: "ltr" }, line)),
    );
    const own = this.canvas.getBoundingClientRect();
    const around = this.#place.getBoundingClientRect();
    const [x, y] = [event.offsetX + own.left - around.left, event.offsetY + own.top - around.top];
    const [w, h] = [this.#tip.offsetWidth, this.#tip.offsetHeight];
    this.#tip.style.left = `${Math.max(4, Math.min(x + 14, around.width - w - 8))}px`;
    this.#tip.style.top = `${y + 18 + h > around.height ? y - h - 12 : y + 18}px`;
  }

  #leave() {
    if (this.#over) this.#app.point(-1);
    this.#over = null;
    this.#tip.hidden = true;
    this.#request();
  }
}
