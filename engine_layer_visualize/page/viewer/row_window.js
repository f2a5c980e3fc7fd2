// @ts-check
// A table of many rows of one height: only the rows in view exist. Up and down choose one.

import * as dom from "./dom.js";
import { el } from "./dom.js";

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

/**
 * @typedef {object} Rows
 * @property {string} title
 * @property {string} label of the grid
 * @property {string} one what a row is
 * @property {() => void} close
 * @property {(row: number) => { attributes: Attributes; cells: HTMLElement[] }} line what a row shows
 * @property {() => number} chosen the number of the chosen row; -1: none
 * @property {(row: number) => void} choose
 */
/** @import { Attributes } from "./types.d.ts" */

export class RowWindow {
  /** Its cells are the columns' names. */
  header = el("div", { class: "head", role: "row" });
  #place;
  #rows;
  #count = el("span", { class: "muted", role: "status" });
  #spacer = el("div", { class: "spacer", role: "presentation" });
  #body;
  #grid;
  #number = 0;
  #waiting = 0;

  /**
   * @param {HTMLElement} place
   * @param {Rows} rows
   */
  constructor(place, rows) {
    this.#place = place;
    this.#rows = rows;
    const label = `Rows; up and down choose a ${rows.one}`;
    this.#body = el("div", { class: "body", tabindex: "0", role: "rowgroup", "aria-label": label }, this.#spacer);
    this.#grid = el("div", { class: "grid", role: "grid", "aria-label": rows.label }, this.header, this.#body);
    const close = dom.cross("Close the table", rows.close);
    const tools = el("div", { class: "tools" }, el("h2", {}, rows.title), this.#count, close);
    dom.fill(place, tools, this.#grid);
    this.#body.addEventListener("scroll", () => {
      cancelAnimationFrame(this.#waiting);
      this.#waiting = requestAnimationFrame(() => this.#fill());
    });
    this.#body.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.#fill()).observe(this.#body);
  }

  get hidden() {
    return Boolean(this.#place.hidden);
  }

  /** Of each column, as in CSS. @param {string[]} widths */
  columns(widths) {
    this.#grid.style.setProperty("--columns", widths.join(" "));
  }

  focus() {
    this.#body.focus({ preventScroll: true });
  }

  /** To the first row. */
  rewind() {
    this.#body.scrollTop = 0;
  }

  /**
   * Shows so many rows.
   * @param {number} number
   * @param {string} words how many there are
   */
  show(number, words) {
    this.#number = number;
    this.#count.textContent = words;
    this.#spacer.style.height = `${number * HEIGHT}px`;
    this.#grid.setAttribute("aria-rowcount", String(number + 1));
    this.#fill();
  }

  /** Scrolls to the chosen row. */
  reveal() {
    if (this.hidden) return;
    const row = this.#rows.chosen();
    const [top, { scrollTop, clientHeight }] = [row * HEIGHT, this.#body];
    if (row >= 0 && (top < scrollTop || top + HEIGHT > scrollTop + clientHeight))
      this.#body.scrollTop = top - clientHeight / 2;
    this.#fill();
  }

  #fill() {
    if (this.hidden) return;
    const { scrollTop, clientHeight } = this.#body;
    const first = Math.max(0, Math.floor(scrollTop / HEIGHT) - SPARE);
    const last = Math.min(this.#number, Math.ceil((scrollTop + clientHeight) / HEIGHT) + SPARE);
    const chosen = this.#rows.chosen();
    const lines = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at);
    dom.fill(
      this.#spacer,
      lines.map((row) => this.#line(row, row === chosen)),
    );
  }

  /**
   * @param {number} row
   * @param {boolean} chosen
   */
  #line(row, chosen) {
    const { attributes, cells } = this.#rows.line(row);
    return el(
      "div",
      {
        class: "line",
        role: "row",
        "aria-rowindex": String(row + 2),
        "aria-selected": String(chosen),
        ...attributes,
        style: { top: `${row * HEIGHT}px`, ...attributes.style },
        on: { click: () => this.#rows.choose(row) },
      },
      cells,
    );
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const by = STEPS.get(event.key);
    if (by === undefined || !this.#number) return;
    event.preventDefault();
    this.#rows.choose(Math.max(0, Math.min(this.#number - 1, this.#rows.chosen() + by)));
  }
}

/**
 * A cell with its words, which the pointer shows whole.
 * @param {string} words
 * @param {string | null} classes
 * @param {import("./types.d.ts").Child} [mark] before the words
 */
export const cell = (words, classes, mark = null) =>
  el(
    "div",
    { role: "gridcell", class: classes, title: words.length > 14 ? words.slice(0, 600) : null, dir: "ltr" },
    mark,
    words.slice(0, 300),
  );
