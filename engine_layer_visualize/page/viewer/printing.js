// @ts-check
// The open engine -> what is printed, in light colours: the whole drawing on one page, then the table.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import { layOut } from "./layout.js";
import { legend } from "./legend.js";
import * as numbers from "./numbers.js";
import * as paint from "./paint.js";
import * as palette from "./palette.js";
import { Scene } from "./scene.js";
import { columnsWithValues } from "./table_columns.js";

/** @import { App } from "./app.js" */
/** @import { TableColumn } from "./types.d.ts" */

/**
 * What this asks of the app.
 * @typedef {Pick<App, "collapsed" | "coloring" | "engine" | "look" | "mode" | "table">} Host
 */

const ASPECT = 1.55; // of what is left of a landscape page below the title
const WIDE = 5200; // pixels
const MOST = 2000; // rows

/** @param {Host} app */
function drawing(app) {
  const { folded, frames, routes } = layOut(app.engine, app.collapsed, ASPECT);
  const colors = palette.of(app.look, false);
  const scene = new Scene(app.engine, folded, frames, routes, colors, app.mode, app.coloring.ruled);
  const margin = 14;
  const [w, h] = [folded.width + 2 * margin, folded.height + 2 * margin];
  const scale = Math.min(3, WIDE / w, ((WIDE / ASPECT) * 1.3) / h);
  const canvas = el("canvas", { role: "img", "aria-label": "The engine" });
  [canvas.width, canvas.height] = [Math.ceil(w * scale), Math.ceil(h * scale)];
  const view = { x: -margin, y: -margin, scale, width: w * scale, height: h * scale };
  paint.draw(dom.contextOf(canvas), scene, view, 1);
  return [canvas, legend(scene), app.coloring.printed(colors)];
}

/** @param {Host} app */
function listing(app) {
  const { engine } = app;
  const list = app.table.order();
  const columns = columnsWithValues(engine).filter((column) => column.key !== "kernel");
  /**
   * @param {TableColumn} column
   * @param {number} n
   */
  const cell = (column, n) => {
    return el(
      "td",
      { class: column.key === "name" ? "long" : column.right ? "right" : null },
      column.format(column.value(n)).slice(0, 240),
    );
  };
  const some = `${numbers.grouped(list.length)} of ${numbers.count(engine.count, "layer")}, those of the page's table.`;
  return [
    list.length < engine.count ? el("p", {}, some) : null,
    el(
      "table",
      {},
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          columns.map((column) => el("th", { class: column.right ? "right" : null }, column.title)),
        ),
      ),
      el(
        "tbody",
        {},
        list.slice(0, MOST).map((n) =>
          el(
            "tr",
            {},
            columns.map((column) => cell(column, n)),
          ),
        ),
      ),
    ),
    list.length > MOST
      ? el(
          "p",
          {},
          `The first ${numbers.grouped(MOST)} of ${numbers.grouped(list.length)} layers, in the order of the page's table.`,
        )
      : null,
  ];
}

/** @param {Host} app */
export function connect(app) {
  const place = dom.find("paper");
  addEventListener("beforeprint", () => {
    dom.fill(
      place,
      el("h1", {}, [...dom.find("title").children].map((part) => part.textContent).join("  ·  ")),
      ...drawing(app),
      ...listing(app),
    );
  });
  addEventListener("afterprint", () => dom.fill(place));
}
