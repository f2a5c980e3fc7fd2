// @ts-check
// Columns and layers of the table -> CSV, TSV or Markdown. CSV and TSV have numbers as they are, times in
// milliseconds, shares from 0 to 1, memory in bytes; no cell of them is a formula. Markdown has them as shown.

/** @import { TableColumn, Value } from "./types.d.ts" */

/** As in documents/html.py: full-width forms too, and the apostrophe, so that one at the start is always ours. */
const FORMULA = /^(?!-?[0-9]{1,20}$)[=+\-@\t\r\n＝＋－＠']/;

/** @param {Value} value */
function plain(value) {
  if (typeof value !== "string") return value === null ? "" : String(value);
  return FORMULA.test(value) ? `'${value}` : value;
}

/** @param {string} text */
const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** @param {string} text */
const onOneLine = (text) => text.replace(/[\t\r\n]+/g, " ");

/** Every character that Markdown could act on. @param {string} text */
const literal = (text) => onOneLine(text).replace(/[\\`*_{}[\]()<>#+\-!|~&:@]/g, "\\$&");

/**
 * A row of texts for each layer, below the columns' names.
 * @param {TableColumn[]} columns
 * @param {number[]} layers
 * @param {(value: Value, column: TableColumn) => string} cell
 */
const rows = (columns, layers, cell) => layers.map((n) => columns.map((column) => cell(column.value(n), column)));

/** @type {Record<string, (columns: TableColumn[], layers: number[]) => string>} */
export const FORMATS = {
  csv: (columns, layers) =>
    [columns.map(({ key }) => key), ...rows(columns, layers, plain)]
      .map((row) => `${row.map(quoted).join(",")}\n`)
      .join(""),
  tsv: (columns, layers) =>
    [columns.map(({ key }) => key), ...rows(columns, layers, (value) => onOneLine(plain(value)))]
      .map((row) => `${row.join("\t")}\n`)
      .join(""),
  md: (columns, layers) =>
    [
      columns.map(({ title }) => literal(title)),
      columns.map(({ right }) => (right ? "--:" : "---")),
      ...rows(columns, layers, (value, column) => literal(column.format(value))),
    ]
      .map((row) => `| ${row.join(" | ")} |\n`)
      .join(""),
};
