// @ts-check
// An engine -> the table of its layers, of those that a search found: sorted, a click selects, with Ctrl or
// Shift several. Only the rows in view exist.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import * as numbers from "./numbers.js";
import { cell, RowWindow } from "./row_window.js";
import { columnsWithValues, FIRST, inOrder, isSortable, sorted } from "./table_columns.js";

/** @import { App } from "./app.js" */
/** @import { Engine, Lens, TableColumn } from "./types.d.ts" */

/**
 * What this asks of the app.
 * @typedef {Pick<App, "address" | "colors" | "engine" | "hits" | "lens" | "lenses" | "panes" | "select" | "selected">} Host
 */

const CHOSEN = { "aria-selected": "true" };

/** @param {Engine} engine */
const several = (engine) => engine.times.profiles.length > 1;

export class Table {
  id = "table";
  #app;
  #window;
  /** What it is sorted by: ms, or -ms from the largest; null: as at first. @type {string | null} */
  sorting = null;
  /** @type {TableColumn[]} */
  #columns = [];
  /** @type {number[]} */
  #order = [];
  #stale = true;
  /** The rows of which several are chosen, and what lights these; null: what will. @type {{ list: number[]; lens: Lens | null } | null} */
  #kept = null;
  /** The layer that was chosen last. */
  #from = 0;

  /** @param {Host} app */
  constructor(app) {
    this.#app = app;
    this.#window = new RowWindow(dom.find("table"), {
      title: "Layers",
      label: "Layers",
      one: "layer",
      close: () => app.panes.show(null),
      line: (row) => this.#line(this.#order[row]),
      chosen: () => (app.selected === null ? -1 : this.#order.indexOf(app.selected)),
      choose: (row, event) => this.#choose(row, event),
      from: () => this.#order.indexOf(this.#start),
      several: "true",
    });
  }

  // ---- what others ask of it ------------------------------------------------------------------

  focus() {
    this.#window.focus();
    this.select();
  }

  /** Shows what is true now; a hidden table later. */
  update() {
    const sort = (/** @type {string} */ sorting) => {
      this.sort(sorting);
      this.#app.address.changed();
    };
    this.#window.heads(inOrder(this.#columns), this.sorting, sort, this.#first);
    this.#stale = this.#window.hidden;
    if (this.#stale) return;
    this.#order = this.#ordered();
    this.#window.show(this.#order.length, this.#counted());
  }

  /** Scrolls to the selected node. */
  select() {
    this.#window.reveal();
  }

  /** The layers in the order shown. */
  order() {
    return this.#stale || !this.#order.length ? this.#ordered() : this.#order;
  }

  /** What it is sorted by at first: the time from the largest, else the number. */
  get #first() {
    return this.#columns.some(({ key }) => key === "ms") ? "-ms" : FIRST;
  }

  /**
   * Sorts by what `sorting` told; false: there is no such column.
   * @param {string | null} sorting
   */
  sort(sorting) {
    const keys = this.#columns.map(({ key }) => key);
    if (!isSortable(keys, sorting)) return false;
    this.sorting = sorting;
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
    if (!this.sort(this.sorting)) this.sorting = null;
    this.#window.rewind();
    this.update();
  }

  // ---- what it shows ----------------------------------------------------------------------------

  /**
   * Selects the layer of a row; with Ctrl adds it to those that a person chose, or takes it away, with Shift all from the
   * row before; by a key it takes the row away that it leaves. The rows stay.
   * @param {number} row
   * @param {MouseEvent | KeyboardEvent} [event]
   */
  #choose(row, event) {
    const app = this.#app;
    const list = this.#order;
    const from = event?.shiftKey ? Math.max(0, list.indexOf(this.#start)) : row;
    const left = event instanceof KeyboardEvent && app.lens?.nodes.includes(list[row]) && list[from];
    this.#from = list[row];
    if (!(event?.ctrlKey || event?.metaKey || event?.shiftKey)) {
      app.select(list[row]);
      return;
    }
    this.#kept = { list, lens: null };
    const rows = list.slice(Math.min(from, row), Math.max(from, row) + 1);
    app.lenses.toggle(typeof left === "number" ? [left] : rows);
    this.#kept = app.lens && { list, lens: app.lens };
    this.update();
  }

  /** The layer from which Shift goes. */
  get #start() {
    return this.#chosen ? this.#from : (this.#app.selected ?? this.#from);
  }

  /** What was chosen here, while it is lit. */
  get #chosen() {
    const kept = this.#kept;
    return kept && (kept.lens ?? this.#app.lens) === this.#app.lens ? kept : null;
  }

  #ordered() {
    const { engine } = this.#app;
    const hits = this.#chosen?.list ?? this.#app.hits;
    let list = hits ? hits.filter(engine.isLayer) : Array.from({ length: engine.count }, (_, n) => n);
    if (several(engine)) list = list.filter((n) => engine.isShown(n));
    const known = new Map(this.#columns.map((column) => [column.key, column]));
    return sorted([...list], (n, key) => known.get(key)?.value(n) ?? null, this.sorting ?? this.#first);
  }

  #counted() {
    const { engine } = this.#app;
    const { now } = engine;
    const whole = this.#order.length === now.layers; // else the rows that were asked for, added up
    const ms = whole ? now.ms : numbers.sumOf(this.#order.map((n) => engine.layers.ms[n]));
    const of = several(engine) ? ` of optimisation profile ${now.number}` : "";
    return [
      `${numbers.grouped(this.#order.length)} of ${numbers.count(now.layers, "layer")}${of}`,
      numbers.about(engine.head, ms),
      now.of ? `shares are ${now.of}` : "",
    ]
      .filter(Boolean)
      .join(", ");
  }

  /** @param {number} n */
  #line(n) {
    const { engine, colors } = this.#app;
    const share = engine.share(n);
    const part = share === null ? null : share / engine.top;
    const heat = part === null ? {} : { "--share": String(Math.min(1, part)), "--heat": colors.heat(part) };
    return {
      attributes: { "data-layer": String(n), style: heat, ...(this.#chosen?.lens?.nodes.includes(n) && CHOSEN) },
      cells: inOrder(this.#columns).map((column) => this.#cell(column, n)),
    };
  }

  /**
   * @param {TableColumn} column
   * @param {number} n
   */
  #cell(column, n) {
    const { engine, colors } = this.#app;
    const style = { background: colors.precisions[engine.layers.precision[n]][1] };
    const classes = [column.right && "right", column.key === "ms" && "heat", column.key === "name" && "tail"]
      .filter(Boolean)
      .join(" ");
    const mark = column.key === "precision" && el("i", { class: "edge", style });
    return cell(column.format(column.value(n)), classes || null, mark);
  }
}
