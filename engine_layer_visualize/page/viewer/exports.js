// @ts-check
// The app -> a dialog that writes the drawing, the table and the link to a file or the clipboard.

import { copy, copyButton } from "./copying.js";
import * as dom from "./dom.js";
import { el } from "./dom.js";
import { download, safe } from "./files.js";
import * as numbers from "./numbers.js";
import * as picture from "./picture.js";
import * as poster from "./poster.js";
import { FORMATS } from "./table_text.js";

/** @import { App } from "./app.js" */

/**
 * What this asks of the app.
 * @typedef {Pick<App, "address" | "cam" | "coloring" | "engine" | "folded" | "scene" | "table">} Host
 */

/** @type {[format: string, words: string, type: string][]} */
const TABLES = [
  ["csv", "CSV", "text/csv;charset=utf-8"],
  ["tsv", "TSV", "text/tab-separated-values;charset=utf-8"],
  ["md", "Markdown", "text/markdown;charset=utf-8"],
];

/** @param {Host} app */
export function open(app) {
  const dialog = dom.find("export", HTMLDialogElement);
  const { engine } = app;
  const stem = `${safe(engine.head.name) || "engine"}_${engine.head.index}`;
  const status = el("p", { role: "status", class: "note" });
  /** @param {string} words */
  const tell = (words) => {
    status.textContent = words;
  };
  /** @param {string} label @param {() => void} click @param {string} [id] */
  const button = (label, click, id) => dom.button({ id, on: { click } }, label);

  /** @param {boolean} whole */
  const svg = (whole) => {
    const blob = picture.svg(app, whole);
    const name = `${stem}${whole ? "" : "_view"}.svg`;
    download(blob, name);
    tell(`${name}: ${numbers.bytes(blob.size)}.`);
  };
  /** @param {boolean} whole */
  const png = (whole) =>
    picture.png(app, whole).then(
      ({ blob, width, height, scale }) => {
        const name = `${stem}${whole ? "" : "_view"}.png`;
        download(blob, name);
        const smaller =
          scale < 1
            ? `, scaled down to ${Math.floor(scale * 100)} % of the drawing's size, for a canvas cannot hold more`
            : "";
        tell(`${name}: ${numbers.grouped(width)} × ${numbers.grouped(height)} pixels${smaller}.`);
      },
      (error) => tell(`No PNG: ${error.message}. SVG has no such limit.`),
    );

  /** @param {"svg" | "png"} kind */
  const sheet = (kind) =>
    (kind === "svg" ? poster.svg(engine) : poster.png(engine)).then(
      (blob) => {
        const name = `${stem}.poster.${kind}`;
        download(blob, name);
        tell(`${name}: ${numbers.bytes(blob.size)}.`);
      },
      (error) => tell(`No poster: ${error.message}.`),
    );

  const layers = app.table.order();
  /** @param {string} format */
  const text = (format) => FORMATS[format](app.table.columns, layers);
  const tables = TABLES.map(([format, words, type]) =>
    el(
      "div",
      { class: "choices" },
      button(
        `${words} file`,
        () => {
          const blob = new Blob([text(format)], { type });
          download(blob, `${stem}.${format}`);
          tell(`${stem}.${format}: ${numbers.count(layers.length, "layer")}, ${numbers.bytes(blob.size)}.`);
        },
        `export-${format}`,
      ),
      button(
        `Copy ${words}`,
        () =>
          void copy(text(format)).then((done) => tell(done ? `${numbers.count(layers.length, "layer")} copied.` : "")),
        `copy-${format}`,
      ),
    ),
  );

  dom.fill(
    dialog,
    dom.cross("Close the export", () => dialog.close()),
    el("h2", { id: "export-title" }, "Link to this view"),
    dom.muted("Engine, selection, search, colour, folded blocks, place, table and bookmarks."),
    el(
      "div",
      { class: "choices" },
      copyButton("Copy link", () => location.href.split("#")[0] + app.address.hash, { id: "copy-link" }),
    ),
    el("h2", {}, "Drawing"),
    el(
      "div",
      { class: "choices" },
      button("SVG of the view", () => svg(false), "export-svg-view"),
      button("SVG of the whole", () => svg(true), "export-svg-whole"),
    ),
    el(
      "div",
      { class: "choices" },
      button("PNG of the view", () => png(false), "export-png-view"),
      button("PNG of the whole", () => png(true), "export-png-whole"),
    ),
    el("h2", {}, "Table"),
    dom.muted(
      `${numbers.grouped(layers.length)} of ${numbers.count(engine.count, "layer")}, as the table shows and sorts them.`,
    ),
    tables,
    el("h2", {}, "Poster"),
    dom.muted(
      engine.poster
        ? "The engine on one sheet for slides: a dozen boxes, where its time goes, what could be gained."
        : "Of so large an engine the command draws it: --format poster.",
    ),
    engine.poster
      ? el(
          "div",
          { class: "choices" },
          button("Poster as SVG", () => void sheet("svg"), "export-poster-svg"),
          button("Poster as PNG", () => void sheet("png"), "export-poster-png"),
        )
      : null,
    status,
  );
  if (!dialog.open) dialog.showModal();
}
