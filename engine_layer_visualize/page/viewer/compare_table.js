// @ts-check
// A comparison -> the table of its groups and of the layers without a counterpart, the largest difference first or
// sorted by a column; of a step of the waterfall what it sums. Only the rows in view exist.

import { placeWords, shares, UNCHANGED } from "./compare_data.js";
import * as dom from "./dom.js";
import { el } from "./dom.js";
import { count, grouped, milliseconds, signed, speed } from "./numbers.js";
import { cell, RowWindow } from "./row_window.js";
import { compare } from "./table_columns.js";

/** @import { CompareApp } from "./compare_app.js" */
/** @import { TableColumn } from "./types.d.ts" */

const NAMED = 2; // layers in a cell
/** Key, head, what it says, width. */
const COLUMNS = [
  ["delta_ms", "B − A", "how much longer B takes, reformats included; of a step what it sums", "84px"],
  ["reformats_ms", "of it reformats", "how much of B − A is that of reformats before and after the layers", "92px"],
  ["ratio", "B is", "how many times faster or slower B is", "88px"],
  ["a", "A", "layers of A", "minmax(120px, 2fr)"],
  ["b", "B", "layers of B", "minmax(120px, 2fr)"],
  ["a_ms", "A time", "of its layers, reformats included; of a step of what it sums", "76px"],
  ["b_ms", "B time", "of its layers, reformats included; of a step of what it sums", "76px"],
  ["changes", "what changed", "as far as the logs tell", "minmax(120px, 1.4fr)"],
  ["matched_by", "matched by", "how the layers were found again", "76px"],
];
const TEXTS = new Set(["a", "b", "changes", "matched_by"]);
/**
 * A group, or a layer that is in none.
 * @typedef {{ group: number; node: number; size: number; a: number | null; b: number | null; delta: number | null }} Row
 */

/** Without what subtracting adds. @param {number | null} ms */
const rounded = (ms) => ms && Number(ms.toPrecision(9));

export class GroupTable {
  #app;
  #window;
  /** @type {Row[]} */
  #rows = [];
  /** Those that are shown. @type {TableColumn[]} */
  #columns = [];
  /** What it is sorted by: ratio, or -ratio from the largest; null: the largest difference first. @type {string | null} */
  sorting = null;

  /** @param {CompareApp} app */
  constructor(app) {
    this.#app = app;
    this.#window = new RowWindow(dom.find("table"), {
      title: "Groups of layers",
      label: "Groups",
      one: "group",
      close: () => app.showTable(false),
      line: (row) => this.#line(this.#rows[row]),
      chosen: () => this.#selected(),
      choose: (row) => this.#choose(this.#rows[row]),
    });
  }

  /** The rows as they are shown, for a file. */
  get order() {
    return this.#ranked().map((_, row) => row);
  }

  /** Those in which a row has a word, for a file and for the screen. @returns {TableColumn[]} */
  get columns() {
    return this.#filled(this.#ranked());
  }

  /** @param {Row[]} rows @returns {TableColumn[]} */
  #filled(rows) {
    const { engine } = this.#app;
    return COLUMNS.flatMap(([key, head, doc, width]) => {
      const right = !TEXTS.has(key);
      if (!rows.some((row) => ![null, ""].includes(/** @type {any} */ (this.#value(row, key))))) return [];
      /** @param {number | string | null} value */
      const format = (value) => {
        if (typeof value !== "number") return value ?? "";
        if (key === "ratio") return speed(value);
        return key === "delta_ms" || key === "reformats_ms" ? signed(value) : milliseconds(value);
      };
      const title = key === "ratio" && engine.per_sample ? "B, a sample, is" : head;
      return [
        { key, title, doc, width, right, value: (/** @type {number} */ row) => this.#value(rows[row], key), format },
      ];
    });
  }

  /** Where it is shown: up and down choose a group. */
  focus() {
    this.#window.focus();
  }

  /** To the first row. */
  rewind() {
    this.#window.rewind();
  }

  /** The layers of the first row that are lit. @returns {number[]} */
  get first() {
    const { lit } = this.#app.sight;
    const [row] = this.#ranked();
    return row ? this.#nodes(row).filter((node) => !lit || lit(node)) : [];
  }

  /** How many rows are shown of how many. */
  get words() {
    return this.#counted(this.#ranked());
  }

  /** @param {Row[]} rows */
  #counted(rows) {
    const groups = rows.filter((row) => row.group >= 0).length;
    const alone = rows.length - groups;
    const of = this.#app.engine.groups.length;
    const all = groups === of ? count(of, "group") : `${grouped(groups)} of ${count(of, "group")}`;
    return all + (alone ? `, ${count(alone, "layer")} in no group` : "");
  }

  /** Shows what is true now; a hidden table later. */
  update() {
    if (this.#window.hidden || !this.#app.engine) return;
    this.#rows = this.#ranked();
    this.#heads();
    this.#window.show(this.#rows.length, this.#counted(this.#rows));
    this.#window.reveal();
  }

  /** Another row is selected. */
  select() {
    this.#window.reveal();
  }

  /**
   * Sorts by what `sorting` told; false: there is no such column.
   * @param {string | null} sorting
   */
  sort(sorting) {
    const key = sorting?.replace(/^-/, "");
    if (key !== undefined && !COLUMNS.some(([one]) => one === key)) return false;
    this.sorting = sorting;
    this.rewind();
    this.update();
    this.#app.address.changed();
    return true;
  }

  #heads() {
    const [key, largest] = [this.sorting?.replace(/^-/, ""), this.sorting?.startsWith("-")];
    this.#columns = this.#filled(this.#rows);
    this.#window.columns(this.#columns.map(({ width }) => width));
    dom.refill(
      this.#window.header,
      this.#columns.map(({ key: own, title, doc, right }) => {
        const sorted = own === key;
        const first = right ? `-${own}` : own; // the slowest in B, the largest
        const other = right ? own : `-${own}`;
        const next = !sorted ? first : this.sorting === first ? other : null;
        const sign = el("span", { "aria-hidden": "true" }, largest ? " ↓" : " ↑");
        return el(
          "div",
          {
            role: "columnheader",
            class: right ? "right" : null,
            "aria-sort": sorted ? (largest ? "descending" : "ascending") : "none",
          },
          dom.button({ "data-key": own, title: doc, on: { click: () => this.sort(next) } }, title, sorted && sign),
        );
      }),
    );
  }

  /** Those that are lit, as they are sorted. */
  #ranked() {
    const { engine, sight, cause } = this.#app;
    const { lit } = sight;
    const summed = cause !== null && cause !== UNCHANGED;
    /** @type {Row[]} */
    let rows = summed
      ? [...shares(engine, cause).values()].map((share) => ({ ...share, delta: share.b - share.a, size: 0 }))
      : engine.groups.map(([a, b, delta], group) => ({ group, node: -1, a, b, delta, size: 0 }));
    for (const row of rows) row.size = Math.abs(row.delta ?? 0);
    if (!summed)
      engine.sides.forEach((side, at) => {
        side.place.forEach((place, layer) => {
          if (!place) return;
          const ms = side.ms[layer];
          const delta = side.cause[layer] < 0 || ms === null ? null : at ? ms : -ms;
          const size = place === 1 ? -1 : (ms ?? 0); // overhead at the end
          const own = { a: at ? null : ms, b: at ? ms : null, delta };
          rows.push({ group: -1, node: engine.node(at, layer), size, ...own });
        });
      });
    if (lit) rows = rows.filter((row) => this.#nodes(row).some(lit));
    /** @param {Row} row */
    const changed = ({ group }) => Number(group >= 0 && engine.text(engine.groups[group][4]) !== "");
    rows.sort((a, b) => b.size - a.size || changed(b) - changed(a));
    const { sorting } = this;
    if (sorting === null) return rows;
    const [key, way] = sorting.startsWith("-") ? [sorting.slice(1), -1] : [sorting, 1];
    /** In order of execution, not by what the numbers look like. @param {Row} row */
    const by = (row) =>
      key === "a" || key === "b" ? (this.#mains(row, key === "a" ? 0 : 1)[0] ?? null) : this.#value(row, key);
    return rows.sort((a, b) => compare(by(a), by(b), way));
  }

  /** @param {Row} row */
  #nodes({ group, node }) {
    const { engine } = this.#app;
    if (group < 0) return [node];
    return engine.members[group].flatMap((own, side) => own.map((layer) => engine.node(side, layer)));
  }

  #selected() {
    const { engine, selected } = this.#app;
    if (selected === null) return -1;
    const group = engine.groupOf(selected);
    return this.#rows.findIndex((row) => (group < 0 ? row.node === selected : row.group === group));
  }

  /** @param {Row} row */
  #line(row) {
    const { engine, colors } = this.#app;
    const tone =
      row.group < 0 ? engine.sides[engine.side(row.node)].tone[engine.index(row.node)] : engine.groups[row.group][3];
    const background = colors.tones[tone][0];
    const marked = this.#mains(row, 0).length ? "a" : "b";
    const cells = this.#columns.map(({ key, right, format }) => {
      const mark = key === marked && el("i", { class: "swatch", style: { background } });
      return cell(format(this.#value(row, key)), right ? "right" : null, mark);
    });
    return { attributes: {}, cells };
  }

  /**
   * @param {Row} row
   * @param {string} key
   * @returns {number | string | null}
   */
  #value(row, key) {
    const { engine, cause } = this.#app;
    const { group, node } = row;
    if (key === "a_ms") return row.a;
    if (key === "b_ms") return row.b;
    if (key === "delta_ms") return rounded(row.delta);
    if (key === "a" || key === "b") return this.#named(row, key === "a" ? 0 : 1);
    if (group < 0) {
      const side = engine.side(node);
      return key === "changes" ? placeWords(side, engine.sides[side].place[engine.index(node)]) : null;
    }
    const [, , , , changes, confidence, , ratio] = engine.groups[group];
    if (key === "changes") return engine.text(changes);
    if (key === "matched_by") return engine.text(confidence);
    if (cause !== null && cause !== UNCHANGED) return null; // they are of a part of the group
    if (key === "ratio") return ratio;
    const share = shares(engine, "reformats").get(group);
    return share ? rounded(share.b - share.a) : null;
  }

  /**
   * The layers of a side that compute.
   * @param {Row} row
   * @param {number} side
   */
  #mains({ group, node }, side) {
    const { engine } = this.#app;
    if (group < 0) return engine.side(node) === side ? [engine.index(node)] : [];
    return engine.members[group][side].filter((index) => !engine.sides[side].reformat[index]);
  }

  /** @param {Row} row @param {number} side */
  #named(row, side) {
    const { engine } = this.#app;
    const main = this.#mains(row, side);
    const words = main.slice(0, NAMED).map((index) => `${index} ${engine.text(engine.sides[side].name[index])}`);
    return words.join(", ") + (main.length > NAMED ? ` and ${main.length - NAMED} more` : "");
  }

  /** @param {Row} row */
  #choose({ group, node }) {
    if (group < 0) this.#app.select(node);
    else this.#app.selectGroup(group);
  }
}
