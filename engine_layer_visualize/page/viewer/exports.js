// @ts-check
// The app -> a dialog that writes the drawing, the table and the link to a file or the clipboard.

import { button, choices, openDialog } from "./export_dialog.js";
import { safe } from "./files.js";
import * as numbers from "./numbers.js";
import * as picture from "./picture.js";

/** @import { App } from "./app.js" */

/**
 * What this asks of the app.
 * @typedef {Pick<App, "address" | "cam" | "engine" | "folded" | "scene" | "table">} Host
 */

/** @param {Host} app */
export function open(app) {
  const { address, engine, table } = app;
  const stem = `${safe(engine.head.name) || "engine"}_${engine.head.index}`;
  const hash = () => address.hash;
  openDialog({ stem, hash, columns: table.columns, order: table.order(), unit: "layer" }, (save, tell) => {
    /** @param {boolean} whole */
    const svg = (whole) => save(whole ? ".svg" : "_view.svg", picture.svg(app, whole));
    /** @param {boolean} whole */
    const png = (whole) =>
      picture.png(app, whole).then(
        ({ blob, width, height, scale }) => {
          const part = `${Math.floor(scale * 100)} % of the drawing's size, for a canvas cannot hold more`;
          const size = `${numbers.grouped(width)} × ${numbers.grouped(height)} pixels`;
          save(whole ? ".png" : "_view.png", blob, scale < 1 ? `${size}, scaled down to ${part}` : size);
        },
        (error) => tell(`No PNG: ${error.message}. SVG has no such limit.`),
      );
    return [
      choices(
        button("export-svg-view", "SVG of the view", () => svg(false)),
        button("export-svg-whole", "SVG of the whole", () => svg(true)),
      ),
      choices(
        button("export-png-view", "PNG of the view", () => png(false)),
        button("export-png-whole", "PNG of the whole", () => png(true)),
      ),
    ];
  });
}
