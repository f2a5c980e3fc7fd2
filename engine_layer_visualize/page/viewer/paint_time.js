// @ts-check
// Rectangles of times, their axis and their frames -> pixels.

import * as numbers from "./numbers.js";
import * as text from "./text.js";

/** @import { Color, Context, Drawn, Palette } from "./types.d.ts" */

export const AXIS = 18; // height of the times above
const APART = 90; // two of them, at least

/** The times, from 0 to that of the whole width. @param {Context} on @param {Palette} colors @param {number} sum @param {number} width */
export function axis(on, colors, sum, width) {
  const least = (APART * sum) / width;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 5, 10].find((one) => one * power >= least) ?? 10);
  on.fillStyle = colors.muted;
  on.font = text.FONTS.plain;
  on.textAlign = "left";
  for (let at = 0; sum && at <= sum; at += step) {
    const x = Math.min(width - 1, Math.round((at / sum) * width));
    const told = numbers.milliseconds(at).replace(/\.?0+ /, (zeros) => (zeros[0] === "." ? " " : zeros));
    on.fillRect(x, 4, 1, AXIS - 4);
    if (x + text.width(told, on.font) + 10 < width) on.fillText(told, x + 4, AXIS - 6);
  }
}

/** A rectangle, with its words in rows of this height. @param {Context} on @param {Palette} colors @param {Drawn} rect @param {number} row */
export function rectangle(on, colors, { x, y, w, h, fill, node, share }, row) {
  on.fillStyle = fill;
  on.fillRect(x, y, Math.max(0.6, w - 1), h);
  if (w < 20) return;
  const [layer, label] = [node?.layer ?? -1, node?.label ?? ""];
  on.fillStyle = colors.on(fill);
  if (h > row) words(on, x, y + row, w, share, "", "");
  words(on, x, y + row / 2, w, label, h > row ? "" : share, layer < 0 ? label : String(layer));
}

/**
 * A text at the left and one at the right. The right one goes where the left one needs all of the width, and stays where
 * the left one has to be cut anyway.
 * @param {Context} on
 * @param {number} x
 * @param {number} middle
 * @param {number} w
 * @param {string} left
 * @param {string} right
 * @param {string} short in place of a left one that has to be cut
 */
function words(on, x, middle, w, left, right, short) {
  const [foot, whole] = [middle + 4, w - 11];
  const wide = (/** @type {string} */ one) => text.width(one, text.FONTS.plain);
  on.font = text.FONTS.plain;
  const beside = wide(left) + wide(right) + 10 <= whole || (wide(left) > whole && wide(right) <= whole);
  on.textAlign = "right";
  if (beside) on.fillText(right, x + w - 6, foot);
  const room = right && beside ? whole - wide(right) - 10 : whole;
  const own = wide(left) > room ? short : left;
  on.textAlign = "left";
  if (wide(own) <= room || room > 44) on.fillText(text.tail(own, text.FONTS.plain, room), x + 5, foot);
}

/** A frame that is seen on every fill. @param {Context} on @param {Palette} colors @param {Drawn} rect @param {Color} color */
export function frame(on, colors, { x, y, w, h }, color) {
  for (const [line, wide] of /** @type {[Color, number][]} */ ([
    [colors.paper, 4],
    [color, 2],
  ])) {
    on.strokeStyle = line;
    on.lineWidth = wide;
    on.strokeRect(x + 1, y + 1, Math.max(1, w - 3), h - 2);
  }
}
