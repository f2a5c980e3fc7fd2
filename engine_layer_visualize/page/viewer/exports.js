// @ts-check
// The app -> a dialog that writes the drawing, the table and the link to a file or the clipboard.

import { openDialog } from "./export_dialog.js";
import { card, sheet } from "./picture.js";
import { printed, safe } from "./sheet.js";

/** @import { App } from "./app.js" */

/**
 * What this asks of the app.
 * @typedef {Pick<App, "address" | "cam" | "colors" | "engine" | "folded" | "mode" | "scene" | "table">} Host
 */

/** @param {Host} app */
export function open(app) {
  const { address, engine, table } = app;
  const stem = `${safe(engine.head.name) || "engine"}_${engine.head.index}`;
  const [view, whole] = [() => sheet(app, false), () => sheet(app, true)];
  openDialog({ stem, hash: () => address.hash, columns: table.columns, order: table.order(), unit: "layer" }, [
    ["svg-view", "SVG of the view", "_view.svg", view],
    ["svg-whole", "SVG of the whole", ".svg", whole],
    ["png-view", "PNG of the view", "_view.png", view],
    ["png-whole", "PNG of the whole", ".png", whole],
    ["svg-card", "SVG of a card", "_card.svg", () => card(app)],
    ["png-card", "PNG of a card", "_card.png", () => card(app)],
  ]);
}

/** Lets the browser print the whole. @param {Host & Parameters<typeof printed>[0]} app */
export const print = (app) => printed(app, () => sheet(app, true));
