// @ts-check
// A layer -> its values in the columns of the table; a column has a title, a width, and a way to be sorted. Columns and
// rows -> CSV.

import { capital } from "./dom.js";
import { inUnit } from "./numbers.js";

/** @import { Engine, FactName, TableColumn, Value } from "./types.d.ts" */

export const FIRST = "index";

/** In order, with their widths: facts of the data, and what a box says. @type {[FactName | "head" | "dims", string][]} */
const SHOWN = [
  [FIRST, "46px"],
  ["head", "minmax(90px, 1.2fr)"],
  ["type", "minmax(80px, .8fr)"],
  ["name", "minmax(120px, 2.2fr)"],
  ["dtype", "76px"],
  ["dims", "minmax(80px, .8fr)"],
  ["kernel", "minmax(80px, 1.2fr)"],
  ["bytes", "70px"],
  ["ms", "70px"],
  ["share", "58px"],
  ["line", "60px"],
];

/**
 * @param {Engine} engine
 * @param {typeof SHOWN[number]} shown
 * @returns {TableColumn}
 */
function column({ fields, value, headline, dims, layers }, [name, width]) {
  const texts = { width, right: false, doc: "", format: String };
  if (name === "head") return { ...texts, key: name, title: "Does", value: headline };
  if (name === "dims")
    return { ...texts, key: name, title: "Writes", value: (n) => (layers.out[n].length ? dims(layers.out[n][0]) : "") };
  const { key, unit, label, doc } = fields[name];
  return {
    key,
    doc,
    title: name === FIRST ? "#" : capital(label),
    width,
    right: typeof value(name, 0) !== "string",
    value: (n) => value(name, n),
    format: (one) => inUnit(one, unit),
  };
}

/** @param {Value} value */
const empty = (value) => value === null || value === "";

/**
 * The columns in which one of so many rows holds something.
 * @param {TableColumn[]} columns
 * @param {number} rows
 */
export const withValues = (columns, rows) =>
  columns.filter((column) => {
    for (let n = 0; n < rows; n++) if (!empty(column.value(n))) return true;
    return false;
  });

/** @param {Engine} engine */
export const columnsWithValues = (engine) =>
  withValues(
    SHOWN.map((shown) => column(engine, shown)),
    engine.count,
  );

/**
 * In the order of a window: in a narrow one times stand beside what a layer does.
 * @param {TableColumn[]} columns
 */
export function inOrder(columns) {
  if (!matchMedia("(max-width: 900px)").matches) return columns;
  const place = (/** @type {TableColumn} */ { key }) => [FIRST, "head", "ms", "share"].indexOf(key) + 1 || 9;
  return [...columns].sort((a, b) => place(a) - place(b));
}

/**
 * Whether this column is sorted downwards at first.
 * @param {TableColumn} column
 */
export const largestFirst = (column) => column.right && column.key !== FIRST && column.key !== "line";

/** The column that `sorting` names, and the way, 1 or -1: `-ms` is from the largest. @param {string} sorting @returns {[string, number]} */
export const parted = (sorting) => [sorting.replace(/^-/, ""), sorting.startsWith("-") ? -1 : 1];

/** Whether there is such a column. @param {string[]} keys @param {string | null} sorting */
export const isSortable = (keys, sorting) => sorting === null || keys.includes(parted(sorting)[0]);

/**
 * The rows by a column; what is empty stands last, whichever way the rest is sorted.
 * @template Row
 * @param {Row[]} rows
 * @param {(row: Row, key: string) => Value} value
 * @param {string} sorting
 */
export function sorted(rows, value, sorting) {
  const [key, way] = parted(sorting);
  const values = new Map(rows.map((row) => [row, value(row, key)]));
  return rows.sort((one, other) => {
    const [a, b] = [values.get(one) ?? null, values.get(other) ?? null];
    if (empty(a) || empty(b)) return Number(empty(a)) - Number(empty(b));
    return (
      way *
      /** @type {any} */ (a < /** @type {any} */ (b) ? -1 : /** @type {any} */ (a) > /** @type {any} */ (b) ? 1 : 0)
    );
  });
}

/** As in documents/markup.py: full-width forms too, and the apostrophe, so that one at the start is always ours. */
const FORMULA = /^(?!-?[0-9]{1,20}$)[=+\-@\t\r\n＝＋－＠']/;

/** A cell: a number as it is, a text that is no formula. @param {Value} value */
function cell(value) {
  const shown = String(value ?? "").replace(/;(?="*[-=+@＝＋－＠'])/g, ";'");
  const text = typeof value === "string" && FORMULA.test(value) ? `'${shown}` : shown;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * The rows in this order as CSV: times in milliseconds, shares from 0 to 1, memory in bytes.
 * @param {TableColumn[]} columns
 * @param {number[]} order
 */
export const csv = (columns, order) =>
  [columns.map(({ key }) => key), ...order.map((n) => columns.map((column) => cell(column.value(n))))]
    .map((row) => `${row.join(",")}\n`)
    .join("");
