// @ts-check
// A comparison -> the table of its groups and of the layers without a counterpart, the largest difference first;
// only the rows in view exist.

import { placeWords } from "./compare_data.js";
import { signed } from "./compare_panel.js";
import * as dom from "./dom.js";
import { el } from "./dom.js";
import { count, grouped, milliseconds } from "./numbers.js";
import { cell, RowWindow } from "./row_window.js";

/** @import { CompareApp } from "./compare_app.js" */

const NAMED = 2; // layers in a cell
const HEADS = ["B − A", "×", "A", "B", "A time", "B time", "what changed", "matched by"];
const RIGHT = new Set([0, 1, 4, 5]);
/**
 * A group, or a layer that is in none.
 * @typedef {{ group: number; node: number; size: number }} Row
 */

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

  /** Where it is shown: up and down choose a group. */
  focus() {
    this.#window.focus();
  }

  /** Shows what is true now; a hidden table later. */
  update() {
    const { engine, sight } = this.#app;
    if (this.#window.hidden || !engine) return;
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
    this.#rows = lit ? rows.filter((row) => this.#nodes(row).some(lit)) : rows;
    /** @param {Row} row */
    const changed = ({ group }) => Number(group >= 0 && engine.text(engine.groups[group][4]) !== "");
    this.#rows.sort((a, b) => b.size - a.size || changed(b) - changed(a));
    const groups = this.#rows.filter((row) => row.group >= 0).length;
    const alone = count(this.#rows.length - groups, "layer");
    this.#window.show(
      this.#rows.length,
      `${grouped(groups)} of ${count(engine.groups.length, "group")}, ${alone} in no group`,
    );
    this.#window.reveal();
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
