// @ts-check
// What is drawn on a sheet -> SVG, PNG, a canvas; bytes -> a file that the browser saves.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import { grouped } from "./numbers.js";
import { SvgContext } from "./svg_context.js";

/** @import { Sheet } from "./types.d.ts" */

const SIDE = 16384; // pixels that a canvas can be high or wide
const PIXELS = 64e6; // that are asked of a canvas: 256 MB
const KEPT = 60_000; // milliseconds that a file can be fetched
const SHARP = 2; // pixels of a PNG in one of the drawing, at least, where a canvas can hold them

/** @param {Sheet} sheet */
export function svg({ width, height, title, paint }) {
  const context = new SvgContext();
  paint(context, 1);
  return new Blob(context.file(width, height, title), { type: "image/svg+xml" });
}

/**
 * A canvas with what is drawn, and how many of its pixels are one of the drawing: `sharp`, or what a canvas can hold.
 * @param {Sheet} sheet
 * @param {number} sharp
 * @returns {[HTMLCanvasElement, number]}
 */
function painted({ width, height, paint }, sharp) {
  const ratio = Math.min(sharp, SIDE / width, SIDE / height, Math.sqrt(PIXELS / (width * height)));
  const canvas = el("canvas", {});
  [canvas.width, canvas.height] = [width, height].map((side) => Math.max(1, Math.floor(side * ratio)));
  paint(dom.contextOf(canvas, { alpha: false }), ratio);
  return [canvas, ratio];
}

/**
 * The file, and words of its size: at twice the screen's resolution, or as large as a canvas can be.
 * @param {Sheet} sheet
 * @returns {Promise<[Blob, string]>}
 */
export function png(sheet) {
  const [canvas, ratio] = painted(sheet, sheet.sharp ?? Math.max(SHARP, devicePixelRatio || 1));
  const size = `${grouped(canvas.width)} × ${grouped(canvas.height)} pixels`;
  const part = `scaled down to ${Math.floor(ratio * 100)} % of the drawing's size, for a canvas cannot hold more`;
  return new Promise((done, fail) => {
    canvas.toBlob((blob) => {
      if (blob) done([blob, ratio < 1 ? `${size}, ${part}` : size]);
      else fail(new Error("No PNG: the browser made none of this size. SVG has no such limit."));
    }, "image/png");
  });
}

/**
 * Prints a sheet and what `more` makes in place of the page, which is made for a window; in light colours.
 * @param {{ colors: import("./types.d.ts").Palette; dark(yes: boolean): void }} app
 * @param {() => Sheet} sheet
 * @param {() => import("./types.d.ts").Child[]} [more]
 */
export function printed(app, sheet, more = () => []) {
  let dark = false;
  dom.listen(window, "beforeprint", () => {
    dark = app.colors.dark;
    if (dark) app.dark(false);
    document.body.append(el("div", { id: "print" }, painted(sheet(), SHARP)[0], ...more()));
  });
  dom.listen(window, "afterprint", () => {
    dom.find("print").remove();
    if (dark) app.dark(true);
  });
}

/**
 * @param {Blob} blob
 * @param {string} name
 */
export function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT);
}

/** A name as a part of a file's name. @param {string} name */
export const safe = (name) => name.replace(/[^\w.-]+/g, "_").slice(0, 80);
