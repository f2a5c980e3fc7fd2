// @ts-check
// A comparison -> a dialog that writes its drawing, its table and the link to a file or the clipboard.

import { draw } from "./compare_paint.js";
import { copy, copyButton } from "./copying.js";
import * as dom from "./dom.js";
import { el } from "./dom.js";
import { download, safe } from "./files.js";
import * as numbers from "./numbers.js";
import { SvgContext } from "./svg_context.js";
import { FORMATS } from "./table_text.js";
import * as text from "./text.js";

/** @import { CompareApp } from "./compare_app.js" */
/** @import { Pen } from "./types.d.ts" */

const ABOVE = 84; // pixels of the title and of how much faster B is
const MARGIN = 20;
const SIDE = 16384; // pixels that a canvas can be high
const SHARP = 2; // pixels of a PNG in one of the drawing

/**
 * The whole drawing, with the title above.
 * @param {CompareApp} app
 */
function sheet(app) {
  const { engine, colors } = app;
  const width = Math.max(960, app.cam.view.width);
  const height = ABOVE + engine.tall + MARGIN;
  const view = { x: 0, y: -ABOVE, scale: 1, width, height };
  const [ratio, times] = engine.headline;
  /** @param {Pen} context @param {number} sharp */
  const paint = (context, sharp) => {
    draw(context, { ...app.sight, view, shift: 0, selected: null }, sharp);
    context.fillStyle = colors.ink;
    context.textAlign = "left";
    context.font = text.FONTS.bold.replace("13px", "20px");
    context.fillText(ratio ? `B is ${ratio}` : "B against A", MARGIN, 30);
    context.font = text.FONTS.plain;
    context.fillStyle = colors.muted;
    const words = [times, ...engine.sides.map((side, at) => `${"AB"[at]}: ${side.engine}`)].filter(Boolean);
    context.fillText(text.fit(words.join("  ·  "), context.font, width - 2 * MARGIN), MARGIN, 52);
  };
  return { width, height, paint };
}

/** @param {CompareApp} app */
export function open(app) {
  const dialog = dom.find("export", HTMLDialogElement);
  const { engine } = app;
  const name = safe(`comparison_${engine.b}`);
  const status = el("p", { role: "status", class: "note" });
  /** @param {string} words */
  const tell = (words) => {
    status.textContent = words;
  };
  const svg = () => {
    const { width, height, paint } = sheet(app);
    const context = new SvgContext();
    paint(context, 1);
    const blob = new Blob(context.file(width, height, engine.title), { type: "image/svg+xml" });
    download(blob, `${name}.svg`);
    tell(`${name}.svg: ${numbers.bytes(blob.size)}.`);
  };
  const png = () => {
    const { width, height, paint } = sheet(app);
    const sharp = Math.min(SHARP, SIDE / height);
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [Math.floor(width * sharp), Math.floor(height * sharp)];
    paint(dom.contextOf(canvas, { alpha: false }), sharp);
    canvas.toBlob((blob) => {
      if (blob) download(blob, `${name}.png`);
      tell(blob ? `${name}.png: ${canvas.width} × ${canvas.height} pixels.` : "The browser made no PNG of this size.");
    }, "image/png");
  };
  /** @param {string} format */
  const table = (format) => FORMATS[format](app.table.columns, app.table.order);
  const rows = numbers.count(app.table.order.length, "row");
  const csv = () => {
    download(new Blob([table("csv")], { type: "text/csv;charset=utf-8" }), `${name}.csv`);
    tell(`${name}.csv: ${rows}.`);
  };
  const markdown = () => void copy(table("md")).then((done) => tell(done ? `${rows} copied.` : ""));
  /** @param {...HTMLElement} buttons */
  const choices = (...buttons) => el("div", { class: "choices" }, buttons);
  /** @param {string} id @param {string} label @param {() => void} click */
  const button = (id, label, click) => dom.button({ id: `export-${id}`, on: { click } }, label);
  dom.fill(
    dialog,
    dom.cross("Close the export", () => dialog.close()),
    el("h2", { id: "export-title" }, "Link to this view"),
    choices(copyButton("Copy link", () => location.href.split("#")[0] + app.address.hash, { id: "copy-link" })),
    el("h2", {}, "Drawing"),
    choices(button("svg", "SVG", svg), button("png", "PNG", png)),
    el("h2", {}, "Table"),
    dom.muted(`${rows}, as the table shows them.`),
    choices(button("csv", "CSV file", csv), button("md", "Copy Markdown", markdown)),
    status,
  );
  if (!dialog.open) dialog.showModal();
}
