// @ts-check
// What a page gives -> what is printed of it, in light colours: the whole drawing on one page, then the report and the
// table.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import * as numbers from "./numbers.js";

/** @import { Child, TableColumn } from "./types.d.ts" */

const MOST = 2000; // rows
const LONG = 30; // letters of a cell that may wrap

/**
 * @param {TableColumn[]} columns
 * @param {number[]} list the rows, in order
 * @param {string} some what is said of them where they are not all
 */
export function listing(columns, list, some) {
  /** @type {(column: TableColumn, n: number) => HTMLElement} */
  const cell = (column, n) => {
    const words = column.format(column.value(n)).slice(0, 240);
    return el("td", { class: column.right ? "right" : words.length > LONG && "long" }, words);
  };
  const more = `The first ${numbers.grouped(MOST)} of ${numbers.grouped(list.length)} rows, in the order of the page's table.`;
  return [
    some && el("p", {}, some),
    dom.table(
      {},
      columns.map((column) => el("th", { class: column.right && "right" }, column.title)),
      list.slice(0, MOST).map((n) => columns.map((column) => cell(column, n))),
    ),
    list.length > MOST && el("p", {}, more),
  ];
}

/**
 * @param {{ colors: { dark: boolean }; dark: (yes: boolean) => void }} page
 * @param {() => { title: string; drawn: Child[]; told: Child[]; listed: Child[] }} parts of what is open
 */
export function connect(page, parts) {
  const place = dom.find("paper");
  let dark = false;
  dom.listen(window, "beforeprint", () => {
    dark ||= page.colors.dark;
    if (dark) page.dark(false);
    const { title, drawn, told, listed } = parts();
    dom.fill(place, el("h1", {}, title), ...drawn, el("div", { class: "panel" }, told), ...listed);
    for (const folded of place.querySelectorAll("details")) folded.open = true;
  });
  dom.listen(window, "afterprint", () => {
    dom.fill(place);
    if (dark) page.dark(true);
    dark = false;
  });
}
