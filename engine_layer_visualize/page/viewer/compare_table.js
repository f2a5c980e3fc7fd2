// @ts-check
// A comparison -> the table of its groups and of the layers without a counterpart, the largest difference first or
// sorted by a column; of a step of the waterfall what it sums. Only the rows in view exist.

import { placeWords, shares } from "./compare_data.js";
import * as dom from "./dom.js";
import { el } from "./dom.js";
import { count, grouped, milliseconds, signed, speed } from "./numbers.js";
import { cell, RowWindow } from "./row_window.js";
import { isSortable, sorted, withValues } from "./table_columns.js";

/** @import { CompareApp } from "./compare_app.js" */
/** @import { TableColumn, Value } from "./types.d.ts" */

const NAMED = 2; // layers in a cell
/**
 * A group, or a layer that is in none (then `group` is -1). `first`: the first layer of each side; `size`: what ranks it.
 * @typedef {object} Row
 * @property {number} group
 * @property {number[]} nodes
 * @property {(number | null)[]} first
 * @property {number} size
 * @property {number} tone
 * @property {Record<string, Value>} told
 */
/** Key, head, what it says, width, how it is written; a text where that is left out. @type {[string, string, string, string, ((value: number) => string)?][]} */
const COLUMNS = [
  ["delta_ms", "B − A", "how much longer B takes, reformats included; of a step what it sums", "84px", signed],
  ["reformats_ms", "of it reformats", "how much of B − A is that of reformats beside the layers", "92px", signed],
  ["b_by_a", "B is", "how many times faster or slower B is", "88px", speed],
  ["a", "A", "layers of A", "minmax(120px, 2fr)"],
  ["b", "B", "layers of B", "minmax(120px, 2fr)"],
  ["a_ms", "A time", "of its layers, reformats included; of a step of what it sums", "76px", milliseconds],
  ["b_ms", "B time", "of its layers, reformats included; of a step of what it sums", "76px", milliseconds],
  ["changes", "what changed", "as far as the logs tell", "minmax(120px, 1.4fr)"],
  ["matched_by", "matched by", "how the layers were found again", "76px"],
];

/** Without what subtracting adds. @param {number | null} ms */
const rounded = (ms) => ms && Number(ms.toPrecision(9));

export class GroupTable {
  #app;
  #window;
  /** @type {Row[]} */
  #rows = [];
  /** Those that are shown. @type {TableColumn[]} */
  #columns = [];
  /** What it is sorted by: a key, or -key from the largest; null: the largest difference first. @type {string | null} */
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
      chosen: () =>
        app.selected === null ? -1 : this.#rows.findIndex(({ nodes }) => nodes.includes(app.selected ?? -1)),
      choose: (row) => app.select(this.#rows[row].nodes[0]),
    });
  }

  /** The rows as they are shown, for a file. */
  get order() {
    this.#rows = this.#ranked();
    return this.#rows.map((_, row) => row);
  }

  /** Those in which a row has a word, for a file and for the screen. @returns {TableColumn[]} */
  get columns() {
    this.#rows = this.#ranked(); // a table that was never shown has none yet
    const { called, per_sample } = this.#app.engine;
    const all = COLUMNS.map(([key, title, doc, width, write]) => ({
      key,
      title: (key === "b_by_a" && per_sample ? "B, a sample, is" : title).replace(/\bB\b/, called),
      doc: doc.replace(/\bB\b/, called),
      width,
      right: write !== undefined,
      value: (/** @type {number} */ row) => this.#rows[row].told[key] ?? null,
      format: (/** @type {Value} */ value) => (typeof value === "number" && write ? write(value) : String(value ?? "")),
    }));
    return withValues(all, this.#rows.length);
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
    return this.#ranked()[0]?.nodes.filter((node) => !lit || lit(node)) ?? [];
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
    this.#columns = this.columns;
    this.#window.heads(this.#columns, this.sorting, (sorting) => this.sort(sorting));
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
    const keys = COLUMNS.map(([key]) => key);
    if (!isSortable(keys, sorting)) return false;
    this.sorting = sorting;
    this.rewind();
    this.update();
    this.#app.address.changed();
    return true;
  }

  /** Those that are lit, as they are sorted. */
  #ranked() {
    const { engine, sight, cause } = this.#app;
    const summed = cause !== null ? [...shares(engine, cause).values()] : null;
    const groups = summed?.filter(({ group }) => group >= 0) ?? engine.groups.map(([a, b], group) => ({ group, a, b }));
    const rows = groups.map(({ group, a, b }) => this.#group(group, a, b, summed !== null));
    const loose = summed && new Set(summed.filter(({ group }) => group < 0).map(({ node }) => node));
    engine.sides.forEach((own, side) => {
      own.place.forEach((place, layer) => {
        if (place && (!loose || loose.has(engine.node(side, layer)))) rows.push(this.#alone(side, layer));
      });
    });
    const { lit } = sight;
    const shown = lit ? rows.filter(({ nodes }) => nodes.some(lit)) : rows;
    shown.sort((a, b) => b.size - a.size || Number(Boolean(b.told.changes)) - Number(Boolean(a.told.changes)));
    /** In order of execution, not by what the numbers look like. @param {Row} row @param {string} key */
    const by = (row, key) => (key === "a" || key === "b" ? row.first[key === "a" ? 0 : 1] : (row.told[key] ?? null));
    return this.sorting === null ? shown : sorted(shown, by, this.sorting);
  }

  /**
   * @param {number} group
   * @param {number | null} a
   * @param {number | null} b
   * @param {boolean} part it is what a step sums of it
   * @returns {Row}
   */
  #group(group, a, b, part) {
    const { engine } = this.#app;
    const [, , whole, tone, changes, matched, ratio] = engine.groups[group];
    const main = engine.members[group].map((own, side) => own.filter((layer) => !engine.sides[side].reformat[layer]));
    const moves = part ? undefined : shares(engine, "reformats").get(group);
    const delta = part ? (b ?? 0) - (a ?? 0) : whole;
    return {
      group,
      nodes: [main, engine.members[group]].flatMap((both) =>
        both.flatMap((own, side) => own.map((at) => engine.node(side, at))),
      ),
      first: main.map((own) => own[0] ?? null),
      size: Math.abs(delta ?? 0),
      tone,
      told: {
        delta_ms: rounded(delta),
        reformats_ms: moves ? rounded(moves.b - moves.a) : null,
        b_by_a: part ? null : ratio,
        a: this.#named(main[0], 0),
        b: this.#named(main[1], 1),
        a_ms: a,
        b_ms: b,
        changes: engine.text(changes),
        matched_by: engine.text(matched),
      },
    };
  }

  /** A layer without a counterpart; overhead stands at the end, the longest first. @param {number} side @param {number} layer @returns {Row} */
  #alone(side, layer) {
    const { engine } = this.#app;
    const { ms: times, cause, place, tone } = engine.sides[side];
    const ms = times[layer];
    return {
      group: -1,
      nodes: [engine.node(side, layer)],
      first: side ? [null, layer] : [layer, null],
      size: place[layer] === 1 ? -1 / (1 + (ms ?? 0)) : (ms ?? 0),
      tone: tone[layer],
      told: {
        delta_ms: cause[layer] < 0 || ms === null ? null : side ? ms : -ms,
        [side ? "b" : "a"]: this.#named([layer], side),
        [side ? "b_ms" : "a_ms"]: ms,
        changes: placeWords(this.#app.engine, side, place[layer]),
      },
    };
  }

  /** @param {number[]} layers @param {number} side */
  #named(layers, side) {
    const { engine } = this.#app;
    const words = layers.slice(0, NAMED).map((layer) => `${layer} ${engine.text(engine.sides[side].name[layer])}`);
    return words.join(", ") + (layers.length > NAMED ? ` and ${layers.length - NAMED} more` : "");
  }

  /** @param {Row} row */
  #line(row) {
    const [background] = this.#app.colors.tones[row.tone];
    const marked = row.first[0] === null ? "b" : "a";
    const cells = this.#columns.map(({ key, right, format }) => {
      const mark = key === marked && el("i", { class: "swatch", style: { background } });
      return cell(format(row.told[key] ?? null), right ? "right" : null, mark);
    });
    return { attributes: {}, cells };
  }
}
