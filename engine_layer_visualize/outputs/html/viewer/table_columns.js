// @ts-check
// A layer -> its values in the columns of the table; a column has a title, a width, and a way to be sorted.

import * as numbers from "./numbers.js";

/** @import { Engine, TableColumn, Value } from "./types.d.ts" */

/**
 * A column of texts.
 * @param {string} key
 * @param {string} title
 * @param {string} width
 * @param {(engine: Engine, node: number) => string} value
 * @returns {TableColumn}
 */
const words = (key, title, width, value) => ({ key, title, width, right: false, value, format: String });

/**
 * A column of numbers, at the right.
 * @param {string} key
 * @param {string} title
 * @param {string} width
 * @param {(engine: Engine, node: number) => number | null} value
 * @param {(value: number) => string} format
 * @returns {TableColumn}
 */
const figures = (key, title, width, value, format) => ({
  key,
  title,
  width,
  right: true,
  value,
  format: (shown) => (shown === null ? "" : format(Number(shown))),
});

/** @type {TableColumn[]} */
export const COLUMNS = [
  figures("index", "#", "46px", (_, n) => n, String),
  words("head", "Does", "minmax(90px, 1.2fr)", (e, n) => e.headline(n)),
  words("type", "Type", "minmax(80px, .8fr)", (e, n) => e.text(e.layers.type[n])),
  words("name", "Name", "minmax(120px, 2.2fr)", (e, n) => e.name(n)),
  words("precision", "Precision", "76px", (e, n) => e.text(e.layers.dtype[n])),
  words("dims", "Writes", "minmax(80px, .8fr)", (e, n) => (e.layers.out[n].length ? e.dims(e.layers.out[n][0]) : "")),
  words("kernel", "Kernel", "minmax(80px, 1.2fr)", (e, n) => e.text(e.layers.kernel[n])),
  figures("bytes", "Memory", "70px", (e, n) => e.layers.bytes[n], numbers.bytes),
  figures("ms", "Time", "70px", (e, n) => e.layers.ms[n], numbers.milliseconds),
  figures("share", "Share", "58px", (e, n) => e.share(n), numbers.percent),
  figures("line", "Line", "60px", (e, n) => e.layers.line[n], String),
];

/** @param {Value} value */
const empty = (value) => value === null || value === "";

/**
 * The columns that hold something.
 * @param {Engine} engine
 */
export function columnsWithValues(engine) {
  /** @param {TableColumn} column */
  const any = (column) => {
    for (let n = 0; n < engine.count; n++) if (!empty(column.value(engine, n))) return true;
    return false;
  };
  return COLUMNS.filter(any);
}

/**
 * Whether this column is sorted downwards at first.
 * @param {TableColumn} column
 */
export const largestFirst = (column) => column.right && column.key !== "index" && column.key !== "line";

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
