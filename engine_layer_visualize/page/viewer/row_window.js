// @ts-check
// A table of many rows of one height: only the rows in view exist. Up and down choose one.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import { largestFirst, parted } from "./table_columns.js";

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
 * @property {(row: number, event?: MouseEvent | KeyboardEvent) => void} choose
 * @property {() => number} [from] the row from which Shift goes
 * @property {"true"} [several] several rows can be chosen
 */
/** @import { Attributes, TableColumn } from "./types.d.ts" */

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
    const label = `Rows; up and down choose a ${rows.one}${rows.several ? ", with Shift several" : ""}`;
    this.#body = el("div", { class: "body", tabindex: "0", role: "rowgroup", "aria-label": label }, this.#spacer);
    this.#grid = el(
      "div",
      { class: "grid", role: "grid", "aria-label": rows.label, "aria-multiselectable": rows.several },
      this.header,
      this.#body,
    );
    const close = dom.cross("Close the table", rows.close);
    const tools = el("div", { class: "tools" }, el("h2", {}, rows.title), this.#count, close);
    dom.fill(place, tools, this.#grid);
    this.#body.addEventListener("scroll", () => {
      cancelAnimationFrame(this.#waiting);
      this.#waiting = dom.later(() => this.#fill());
    });
    this.#body.addEventListener("keydown", (event) => this.#key(event));
    dom.resized(this.#body, () => this.#fill());
  }

  get hidden() {
    return Boolean(this.#place.hidden);
  }

  /**
   * Names the columns; a click sorts by one, the next the other way.
   * @param {TableColumn[]} columns
   * @param {string | null} sorting what a person chose
   * @param {(sorting: string) => void} sort
   * @param {string} [first] the sorting before
   */
  heads(columns, sorting, sort, first = "") {
    this.#grid.style.setProperty("--columns", columns.map(({ width }) => width).join(" "));
    const [by, way] = parted(sorting ?? first);
    const cells = columns.map((column) => {
      const { key, title, doc, right } = column;
      const sorted = by === key;
      const next = (sorted ? way > 0 : largestFirst(column)) ? `-${key}` : key;
      const sign = el("span", { "aria-hidden": "true" }, way > 0 ? " ↑" : " ↓");
      const click = () => {
        this.rewind();
        sort(next);
      };
      return el(
        "div",
        {
          role: "columnheader",
          class: right ? "right" : null,
          "aria-sort": sorted ? (way > 0 ? "ascending" : "descending") : "none",
        },
        dom.button({ "data-key": key, title: doc, on: { click } }, title, sorted && sign),
      );
    });
    dom.refill(this.header, cells);
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
    if (!this.hidden) this.#show(this.#rows.chosen());
  }

  /** @param {number} row */
  #show(row) {
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
        on: { click: (event) => this.#rows.choose(row, event) },
      },
      cells,
    );
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const by = STEPS.get(event.key);
    if (by === undefined || !this.#number) return;
    event.preventDefault();
    const from = (event.shiftKey && this.#rows.from) || this.#rows.chosen;
    const row = Math.max(0, Math.min(this.#number - 1, from() + by));
    this.#rows.choose(row, event);
    this.#show(row);
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
    el("bdi", { dir: "ltr" }, words.slice(0, 300)),
  );
