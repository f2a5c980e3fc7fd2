// @ts-check
// A comparison -> the table of its groups and of the layers without a counterpart, the largest difference first;
// only the rows in view exist.

import { placeWords } from "./compare_data.js";
import * as dom from "./dom.js";
import { el } from "./dom.js";
import { count, grouped, milliseconds, signed } from "./numbers.js";
import { cell, RowWindow } from "./row_window.js";

/** @import { CompareApp } from "./compare_app.js" */

const NAMED = 2; // layers in a cell
const HEADS = ["B − A", "×", "A", "B", "A time", "B time", "what changed", "matched by"];
const KEYS = ["delta", "ratio", "a", "b", "a", "b", "changes", "matched_by"];
const RIGHT = new Set([0, 1, 4, 5]);
/**
 * A group, or a layer that is in none.
 * @typedef {{ group: number; node: number; size: number }} Row
 */

/** Without what subtracting adds. @param {number | null} ms */
const rounded = (ms) => ms && Number(ms.toPrecision(9));

export class GroupTable {
  #app;
  #window;
  /** @type {Row[]} */
  #rows = [];

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
    dom.fill(
      this.#window.header,
      HEADS.map((head, at) => el("div", { role: "columnheader", class: RIGHT.has(at) ? "right" : null }, head)),
    );
  }

  /** The rows as they are shown, for a file. */
  get order() {
    return this.#ranked().map((_, row) => row);
  }

  /** For a file. @returns {import("./types.d.ts").TableColumn[]} */
  get columns() {
    const { engine } = this.#app;
    const rows = this.#ranked();
    const words = rows.map((row) => this.#cells(row));
    /** Times as numbers. @type {((row: Row) => number | null)[]} */
    const values = [];
    /** @param {Row} row @param {number} side */
    const ms = ({ group, node }, side) => {
      if (group >= 0) return /** @type {number | null} */ (engine.groups[group][side]);
      return engine.side(node) === side ? engine.sides[side].ms[engine.index(node)] : null;
    };
    values[0] = ({ group }) => (group < 0 ? null : rounded(engine.groups[group][2]));
    values[4] = (row) => ms(row, 0);
    values[5] = (row) => ms(row, 1);
    return HEADS.map((title, at) => ({
      key: values[at] ? `${KEYS[at]}_ms` : KEYS[at],
      title,
      doc: title,
      width: "",
      right: RIGHT.has(at),
      value: (row) => (values[at] ? values[at](rows[row]) : words[row][at]),
      format: (value) => (typeof value !== "number" ? (value ?? "") : at ? milliseconds(value) : signed(value)),
    }));
  }

  /** Where it is shown: up and down choose a group. */
  focus() {
    this.#window.focus();
  }

  /** Shows what is true now; a hidden table later. */
  update() {
    const { engine } = this.#app;
    if (this.#window.hidden || !engine) return;
    this.#rows = this.#ranked();
    const groups = this.#rows.filter((row) => row.group >= 0).length;
    const alone = count(this.#rows.length - groups, "layer");
    this.#window.show(
      this.#rows.length,
      `${grouped(groups)} of ${count(engine.groups.length, "group")}, ${alone} in no group`,
    );
    this.#window.reveal();
  }

  /** Those that are lit, the largest difference first. */
  #ranked() {
    const { engine, sight } = this.#app;
    const { lit } = sight;
    /** @type {Row[]} */
    const rows = engine.groups.map((group, number) => ({ group: number, node: -1, size: Math.abs(group[2] ?? 0) }));
    engine.sides.forEach((side, at) => {
      side.place.forEach((place, layer) => {
        if (!place) return;
        const size = place === 1 ? -1 : (side.ms[layer] ?? 0); // overhead at the end
        rows.push({ group: -1, node: engine.node(at, layer), size });
      });
    });
    const shown = lit ? rows.filter((row) => this.#nodes(row).some(lit)) : rows;
    /** @param {Row} row */
    const changed = ({ group }) => Number(group >= 0 && engine.text(engine.groups[group][4]) !== "");
    return shown.sort((a, b) => b.size - a.size || changed(b) - changed(a));
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
    const background = (colors.tones ?? [])[tone][0];
    const cells = this.#cells(row).map((words, place) => {
      const mark = place === 2 && el("i", { class: "swatch", style: { background } });
      return cell(words, RIGHT.has(place) ? "right" : null, mark);
    });
    return { attributes: {}, cells };
  }

  /**
   * @param {Row} row
   * @returns {string[]}
   */
  #cells({ group, node }) {
    const { engine } = this.#app;
    if (group < 0) {
      const [side, index] = [engine.side(node), engine.index(node)];
      const own = engine.sides[side];
      const cells = ["", "", "", "", "", "", placeWords(side, own.place[index]), ""];
      cells[2 + side] = this.#named(side, [index]);
      cells[4 + side] = milliseconds(own.ms[index]);
      return cells;
    }
    const [a, b, delta, , changes, confidence] = engine.groups[group];
    const [mine, yours] = engine.members[group];
    return [
      delta === null ? "–" : signed(delta),
      delta !== null && a !== null && b ? (a / b).toFixed(2) : "–",
      this.#named(0, mine),
      this.#named(1, yours),
      milliseconds(a),
      milliseconds(b),
      engine.text(changes),
      engine.text(confidence),
    ];
  }

  /**
   * @param {number} side
   * @param {number[]} indices
   */
  #named(side, indices) {
    const { engine } = this.#app;
    const own = engine.sides[side];
    const main = indices.filter((index) => !own.reformat[index]);
    const words = main.slice(0, NAMED).map((index) => `${index} ${engine.text(own.name[index])}`);
    return words.join(", ") + (main.length > NAMED ? ` and ${main.length - NAMED} more` : "");
  }

  /** @param {Row} row */
  #choose({ group, node }) {
    if (group < 0) this.#app.select(node);
    else this.#app.selectGroup(group);
  }
}
