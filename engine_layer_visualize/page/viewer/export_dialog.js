// @ts-check
// What the exports of both pages share: the dialog with the link, the drawings and the table, and where a file went.

import { copyButton } from "./copying.js";
import * as dom from "./dom.js";
import { el } from "./dom.js";
import * as numbers from "./numbers.js";
import * as sheets from "./sheet.js";
import { csv } from "./table_columns.js";

/** @import { Sheet, TableColumn } from "./types.d.ts" */

/** @param {...HTMLElement} buttons */
const choices = (...buttons) => el("div", { class: "choices" }, buttons);

/** @param {string} id @param {string} label @param {() => void} click */
const button = (id, label, click) => dom.button({ id, on: { click } }, label);

/**
 * @param {{ stem: string; hash: () => string; columns: TableColumn[]; order: number[]; unit: string }} what
 * @param {[id: string, label: string, ending: string, sheet: () => Sheet][]} drawings
 */
export function openDialog({ stem, hash, columns, order, unit }, drawings) {
  const dialog = dom.find("export", HTMLDialogElement);
  const status = el("p", { role: "status", class: "note" });
  /** @param {string} words */
  const tell = (words) => {
    status.textContent = words;
  };
  /** @param {string} ending @param {Blob} blob @param {string} [words] */
  const save = (ending, blob, words = numbers.bytes(blob.size)) => {
    sheets.download(blob, stem + ending);
    tell(`${stem}${ending}: ${words}.`);
  };
  const shown = drawings.map(([id, label, ending, sheet]) =>
    button(`export-${id}`, label, () => {
      if (ending.endsWith("svg")) save(ending, sheets.svg(sheet()));
      else
        sheets.png(sheet()).then(
          ([blob, words]) => save(ending, blob, words),
          ({ message }) => tell(message),
        );
    }),
  );
  const rows = numbers.count(order.length, unit);
  const table = () => {
    const blob = new Blob([csv(columns, order)], { type: "text/csv;charset=utf-8" });
    save(".csv", blob, `${rows}, ${numbers.bytes(blob.size)}`);
  };
  dom.fill(
    dialog,
    dom.cross("Close the export", () => dialog.close()),
    el("h2", { id: "export-title" }, "Link to this view"),
    choices(copyButton("Copy link", () => location.href.split("#")[0] + hash(), { id: "copy-link" })),
    el("h2", {}, "Drawing"),
    choices(...shown),
    el("h2", {}, "Table"),
    dom.muted(`${rows}, as the table shows and sorts them.`),
    choices(button("export-csv", "CSV file", table)),
    status,
  );
  if (!dialog.open) dialog.showModal();
}
