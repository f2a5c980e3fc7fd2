// @ts-check
// A comparison -> a dialog that writes its drawing, its table and the link to a file or the clipboard.

import { draw } from "./compare_paint.js";
import { overview } from "./compare_panel.js";
import * as dom from "./dom.js";
import { openDialog } from "./export_dialog.js";
import { printed, safe } from "./sheet.js";
import * as text from "./text.js";

/** @import { CompareApp } from "./compare_app.js" */
/** @import { Pen } from "./types.d.ts" */

const ABOVE = 44; // pixels of the title; of each line below it, LINE
const LINE = 20;
const MARGIN = 20;

/**
 * The whole drawing, with the title and the causes above.
 * @param {CompareApp} app
 * @returns {import("./types.d.ts").Sheet}
 */
function sheet(app) {
  const { engine, colors } = app;
  const width = Math.max(960, app.cam.view.width);
  const [ratio, times] = engine.headline;
  const lines = [
    [times, ...engine.sides.map((side, at) => `${"AB"[at]}: ${side.engine}`)].filter(Boolean),
    engine.waterfall.map(([, words, , sign]) => `${sign} ${words}`),
  ].filter((line) => line.length);
  const above = ABOVE + LINE * lines.length;
  const height = above + engine.tall + MARGIN;
  const view = { x: 0, y: -above, scale: 1, width, height };
  /** @param {Pen} context @param {number} sharp */
  const paint = (context, sharp) => {
    draw(context, { ...app.sight, view, selected: null }, sharp);
    context.fillStyle = colors.ink;
    context.textAlign = "left";
    context.font = text.FONTS.bold.replace("13px", "20px");
    context.fillText(`${engine.called} ${ratio || "against A"}`, MARGIN, 30);
    context.font = text.FONTS.plain;
    context.fillStyle = colors.muted;
    lines.forEach((line, at) => {
      const fits = text.lead(line.join("  ·  "), context.font, width - 2 * MARGIN);
      context.fillText(fits, MARGIN, 52 + LINE * at);
    });
  };
  return { width, height, title: engine.title, paint };
}

/** @param {import("./types.d.ts").TableColumn} column @param {string} words */
const cell = ({ right }, words) => dom.el("td", right ? { class: "kept" } : {}, words);

/** Lets the browser print the drawing, the totals and all rows of the table. @param {CompareApp} app */
export const print = (app) =>
  printed(
    app,
    () => sheet(app),
    () => {
      const { columns, order } = app.table;
      const rows = order.map((row) => columns.map((one) => cell(one, one.format(one.value(row)))));
      const heads = columns.map(({ title }) => dom.el("th", {}, title));
      return [...overview(app).filter(Boolean), dom.table({}, heads, rows)];
    },
  );

/** @param {CompareApp} app */
export function open(app) {
  const { address, engine, table } = app;
  const stem = safe(`comparison_${engine.b}`);
  openDialog({ stem, hash: () => address.hash, columns: table.columns, order: table.order, unit: "row" }, [
    ["svg", "SVG", ".svg", () => sheet(app)],
    ["png", "PNG", ".png", () => sheet(app)],
  ]);
  const words = app.begun
    ? "It opens A alone: the comparison was begun on its page."
    : "It opens this view of this file: send the file with it.";
  if (app.begun || location.protocol === "file:") dom.find("copy-link").parentElement?.before(dom.muted(words));
}
