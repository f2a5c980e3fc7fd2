// @ts-check
// An engine -> the table of its layers, of those that a search found: sorted, a click selects. Only the rows in view
// exist.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import * as numbers from "./numbers.js";
import { columnsWithValues, compare, FIRST, largestFirst } from "./table_columns.js";

/** @import { App } from "./app.js" */
/** @import { Engine, TableColumn } from "./types.d.ts" */

/**
 * What this asks of the app.
 * @typedef {Pick<App, "address" | "colors" | "engine" | "hits" | "panes" | "select" | "selected">} Host
 */

const HEIGHT = 26; // of a row
const SPARE = 8; // rows beyond the edge
const STEPS = new Map([
  ["ArrowDown", 1],
  ["ArrowUp", -1],
  ["PageDown", 12],
  ["PageUp", -12],
  ["Home", -Infinity],
  ["End", Infinity],
]);

/** @param {Engine} engine */
const several = (engine) => engine.times.profiles.length > 1;

export class Table {
  id = "table";
  #app;
  #place = dom.find("table");
  #count = el("span", { class: "muted", role: "status" });
  #header = el("div", { class: "head", role: "row" });
  #spacer = el("div", { class: "spacer", role: "presentation" });
  #body = el(
    "div",
    { class: "body", tabindex: "0", role: "rowgroup", "aria-label": "Rows; up and down choose a layer" },
    this.#spacer,
  );
  #grid = el("div", { class: "grid", role: "grid", "aria-label": "Layers" }, this.#header, this.#body);
  #sorted = FIRST; // key of a column
  #way = 1; // -1: downwards
  /** @type {TableColumn[]} */
  #columns = [];
  /** @type {number[]} */
  #order = [];
  #stale = true;
  #waiting = 0;

  /** @param {Host} app */
  constructor(app) {
    this.#app = app;
    const close = dom.cross("Close the table", () => app.panes.show(null));
    const tools = el("div", { class: "tools" }, el("h2", {}, "Layers"), this.#count, close);
    dom.fill(this.#place, tools, this.#grid);
    this.#body.addEventListener("scroll", () => {
      cancelAnimationFrame(this.#waiting);
      this.#waiting = requestAnimationFrame(() => this.#rows());
    });
    this.#body.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => {
      if (!this.#place.hidden) this.#rows();
    }).observe(this.#body);
  }

  // ---- what others ask of it ------------------------------------------------------------------

  focus() {
    this.#body.focus({ preventScroll: true });
    this.select(this.#app.selected);
  }

  /** Shows what is true now; a hidden table later. */
  update() {
    this.#heads();
    this.#stale = Boolean(this.#place.hidden);
    if (this.#stale) return;
    this.#order = this.#ordered();
    this.#count.textContent = this.#counted();
    this.#spacer.style.height = `${this.#order.length * HEIGHT}px`;
    this.#grid.setAttribute("aria-rowcount", String(this.#order.length + 1));
    this.#rows();
  }

  /**
   * Scrolls to the selected node.
   * @param {number | null} node
   */
  select(node) {
    if (this.#place.hidden) return;
    const at = node === null ? -1 : this.#order.indexOf(node);
    const [top, { scrollTop, clientHeight }] = [at * HEIGHT, this.#body];
    if (at >= 0 && (top < scrollTop || top + HEIGHT > scrollTop + clientHeight))
      this.#body.scrollTop = top - clientHeight / 2;
    this.#rows();
  }

  /** The layers in the order shown. */
  order() {
    return this.#stale || !this.#order.length ? this.#ordered() : this.#order;
  }

  /** What it is sorted by: ms, or -ms from the largest; null: as at first. */
  get sorting() {
    if (this.#sorted === FIRST && this.#way > 0) return null;
    return (this.#way < 0 ? "-" : "") + this.#sorted;
  }

  /**
   * Sorts by what `sorting` told; false: there is no such column.
   * @param {string | null} sorting
   */
  sort(sorting) {
    const key = sorting?.replace(/^-/, "") ?? FIRST;
    if (!this.#columns.some((column) => column.key === key)) return false;
    [this.#sorted, this.#way] = [key, sorting?.startsWith("-") ? -1 : 1];
    this.update();
    return true;
  }

  /** The columns that are shown. */
  get columns() {
    return this.#columns;
  }

  /** Another engine was opened. */
  reset() {
    this.#columns = columnsWithValues(this.#app.engine);
    if (!this.#columns.some(({ key }) => key === this.#sorted)) [this.#sorted, this.#way] = [FIRST, 1];
    this.#body.scrollTop = 0;
    this.update();
  }

  // ---- what it shows ----------------------------------------------------------------------------

  #ordered() {
    const { engine, hits } = this.#app;
    let list = hits ? hits.filter(engine.isLayer) : Array.from({ length: engine.count }, (_, n) => n);
    if (several(engine)) list = list.filter((n) => engine.isShown(n));
    const column = this.#columns.find(({ key }) => key === this.#sorted);
    const values = list.map((n) => column?.value(n) ?? null);
    const places = list.map((_, at) => at);
    places.sort((a, b) => compare(values[a], values[b], this.#way) || list[a] - list[b]);
    return places.map((at) => list[at]);
  }

  #counted() {
    const { engine } = this.#app;
    const { now } = engine;
    const whole = this.#order.length === now.layers; // else the rows that were asked for, added up
    const ms = whole ? now.ms : this.#order.reduce((sum, n) => sum + (engine.layers.ms[n] || 0), 0);
    const of = several(engine) ? ` of optimisation profile ${now.number}` : "";
    return [
      `${numbers.grouped(this.#order.length)} of ${numbers.count(now.layers, "layer")}${of}`,
      now.ms === null ? "" : numbers.about(engine.head, ms),
      now.of ? `shares are ${now.of}` : "",
    ]
      .filter(Boolean)
      .join(", ");
  }

  #heads() {
    this.#grid.style.setProperty("--columns", this.#columns.map((column) => column.width).join(" "));
    dom.fill(
      this.#header,
      this.#columns.map((column) => {
        const { key, title, doc } = column;
        const sorted = this.#sorted === key;
        const sign = el("span", { "aria-hidden": "true" }, this.#way > 0 ? " ↑" : " ↓");
        const click = () => this.#sortBy(column);
        return el(
          "div",
          {
            role: "columnheader",
            class: column.right ? "right" : null,
            "aria-sort": sorted ? (this.#way > 0 ? "ascending" : "descending") : "none",
          },
          dom.button({ "data-key": key, title: doc, on: { click } }, title, sorted && sign),
        );
      }),
    );
  }

  /** @param {TableColumn} column */
  #sortBy(column) {
    if (this.#sorted === column.key) this.#way = -this.#way;
    else [this.#sorted, this.#way] = [column.key, largestFirst(column) ? -1 : 1];
    this.update();
    this.#app.address.changed();
    const button = this.#header.querySelector(`[data-key="${column.key}"]`);
    if (button instanceof HTMLElement) button.focus();
  }

  #rows() {
    const { scrollTop, clientHeight } = this.#body;
    const first = Math.max(0, Math.floor(scrollTop / HEIGHT) - SPARE);
    const last = Math.min(this.#order.length, Math.ceil((scrollTop + clientHeight) / HEIGHT) + SPARE);
    dom.fill(
      this.#spacer,
      this.#order.slice(first, last).map((n, at) => this.#row(n, first + at)),
    );
  }

  /**
   * @param {number} n
   * @param {number} place
   */
  #row(n, place) {
    const app = this.#app;
    const { engine, colors } = app;
    const share = engine.share(n);
    const part = share === null ? null : share / engine.top;
    const heat = part === null ? null : { "--share": String(Math.min(1, part)), "--heat": colors.heat(part) };
    return el(
      "div",
      {
        class: "line",
        role: "row",
        "aria-rowindex": String(place + 2),
        "aria-selected": String(n === app.selected),
        "data-layer": String(n),
        style: { top: `${place * HEIGHT}px`, ...heat },
        on: { click: () => app.select(n) },
      },
      this.#columns.map((column) => this.#cell(column, n)),
    );
  }

  /**
   * @param {TableColumn} column
   * @param {number} n
   */
  #cell(column, n) {
    const { engine, colors } = this.#app;
    const words = column.format(column.value(n));
    const style = { background: colors.precisions[engine.layers.precision[n]][1] };
    const classes = [column.right && "right", column.key === "ms" && "heat"].filter(Boolean).join(" ");
    return el(
      "div",
      { role: "gridcell", class: classes || null, title: words.length > 14 ? words.slice(0, 600) : null, dir: "ltr" },
      column.key === "precision" && el("i", { class: "edge", style }),
      words.slice(0, 300),
    );
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const app = this.#app;
    const by = STEPS.get(event.key);
    if (by === undefined || !this.#order.length) return;
    event.preventDefault();
    const now = app.selected === null ? -1 : this.#order.indexOf(app.selected);
    app.select(this.#order[Math.max(0, Math.min(this.#order.length - 1, now + by))]);
  }
}
