// @ts-check
// A layer -> its values in the columns of the table; a column has a title, a width, and a way to be sorted.

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
 * The columns that hold something.
 * @param {Engine} engine
 */
export function columnsWithValues(engine) {
  /** @param {TableColumn} column */
  const any = (column) => {
    for (let n = 0; n < engine.count; n++) if (!empty(column.value(n))) return true;
    return false;
  };
  return SHOWN.map((shown) => column(engine, shown)).filter(any);
}

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

/**
 * What is empty stands last, whichever `way` (1, -1) the rest is sorted.
 * @param {Value} a
 * @param {Value} b
 * @param {number} way
 */
export function compare(a, b, way) {
  if (a === null || a === "") return empty(b) ? 0 : 1;
  if (b === null || b === "") return -1;
  return way * (a < b ? -1 : a > b ? 1 : 0);
}
