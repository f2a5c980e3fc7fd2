// @ts-check
// A comparison -> the table of its groups and of the layers without a counterpart, the largest difference first;
// only the rows in view exist.

import { placeWords } from "./compare_data.js";
import { signed } from "./compare_panel.js";
import * as dom from "./dom.js";
import { el } from "./dom.js";
import { count, grouped, milliseconds } from "./numbers.js";

/** @import { CompareApp } from "./compare_app.js" */

const HEIGHT = 26; // of a row
const SPARE = 8; // rows beyond the edge
const NAMED = 2; // layers in a cell
const HEADS = ["B − A", "×", "A", "B", "A time", "B time", "what changed", "matched by"];
const RIGHT = new Set([0, 1, 4, 5]);
const STEPS = new Map([
  ["ArrowDown", 1],
  ["ArrowUp", -1],
  ["PageDown", 12],
  ["PageUp", -12],
  ["Home", -Infinity],
  ["End", Infinity],
]);

/**
 * A group, or a layer that is in none.
 * @typedef {{ group: number; node: number; size: number }} Row
 */

export class GroupTable {
  #app;
  #place = dom.find("table");
  #count = el("p", { class: "muted", role: "status" });
  #spacer = el("div", { class: "spacer", role: "presentation" });
  #body = el(
    "div",
    { class: "body", tabindex: "0", role: "rowgroup", "aria-label": "Rows; up and down choose a group" },
    this.#spacer,
  );
  #grid = el(
    "div",
    { class: "grid", role: "grid", "aria-label": "Groups" },
    el(
      "div",
      { class: "head", role: "row" },
      HEADS.map((head, at) => el("div", { role: "columnheader", class: RIGHT.has(at) ? "right" : null }, head)),
    ),
    this.#body,
  );
  /** @type {Row[]} */
  #rows = [];
  #waiting = 0;

  /** @param {CompareApp} app */
  constructor(app) {
    this.#app = app;
    const close = dom.cross("Close the table", () => app.showTable(false));
    const tools = el("div", { class: "tools" }, el("h2", {}, "Groups of layers"), this.#count, close);
    dom.fill(this.#place, tools, this.#grid);
    this.#body.addEventListener("scroll", () => {
      cancelAnimationFrame(this.#waiting);
      this.#waiting = requestAnimationFrame(() => this.#fill());
    });
    this.#body.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.#fill()).observe(this.#body);
  }

  /** Where it is shown: up and down choose a group. */
  focus() {
    this.#body.focus({ preventScroll: true });
  }

  /** Shows what is true now; a hidden table later. */
  update() {
    const { engine, sight } = this.#app;
    if (this.#place.hidden || !engine) return;
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
    this.#count.textContent = `${grouped(groups)} of ${count(engine.groups.length, "group")}, ${count(this.#rows.length - groups, "layer")} in no group`;
    this.#spacer.style.height = `${this.#rows.length * HEIGHT}px`;
    this.#grid.setAttribute("aria-rowcount", String(this.#rows.length + 1));
    this.#reveal();
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

  /** Scrolls to what is selected. */
  #reveal() {
    const at = this.#selected();
    const { scrollTop, clientHeight } = this.#body;
    const top = at * HEIGHT;
    if (at >= 0 && (top < scrollTop || top + HEIGHT > scrollTop + clientHeight))
      this.#body.scrollTop = top - clientHeight / 2;
    this.#fill();
  }

  #fill() {
    if (this.#place.hidden) return;
    const { scrollTop, clientHeight } = this.#body;
    const first = Math.max(0, Math.floor(scrollTop / HEIGHT) - SPARE);
    const last = Math.min(this.#rows.length, Math.ceil((scrollTop + clientHeight) / HEIGHT) + SPARE);
    const chosen = this.#selected();
    dom.fill(
      this.#spacer,
      this.#rows.slice(first, last).map((row, at) => this.#line(row, first + at, first + at === chosen)),
    );
  }

  /**
   * @param {Row} row
   * @param {number} at
   * @param {boolean} chosen
   */
  #line(row, at, chosen) {
    const { engine, colors } = this.#app;
    const tone =
      row.group < 0 ? engine.sides[engine.side(row.node)].tone[engine.index(row.node)] : engine.groups[row.group][3];
    const background = (colors.tones ?? [])[tone][0];
    return el(
      "div",
      {
        class: "line",
        role: "row",
        "aria-rowindex": String(at + 2),
        "aria-selected": String(chosen),
        style: { top: `${at * HEIGHT}px` },
        on: { click: () => this.#choose(row) },
      },
      this.#cells(row).map((words, place) =>
        el(
          "div",
          {
            role: "gridcell",
            class: RIGHT.has(place) ? "right" : null,
            title: words.length > 14 ? words.slice(0, 600) : null,
            dir: "ltr",
          },
          place === 2 && el("i", { class: "swatch", style: { background } }),
          words.slice(0, 300),
        ),
      ),
    );
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

  /** @param {KeyboardEvent} event */
  #key(event) {
    const by = STEPS.get(event.key);
    if (by === undefined || !this.#rows.length) return;
    event.preventDefault();
    event.stopPropagation();
    this.#choose(this.#rows[Math.max(0, Math.min(this.#rows.length - 1, this.#selected() + by))]);
  }
}
