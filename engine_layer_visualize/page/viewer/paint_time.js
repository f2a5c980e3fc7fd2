// @ts-check
// Words and frames of rectangles and bars of times -> pixels.

import * as text from "./text.js";

/** @import { Color, Context, Palette } from "./types.d.ts" */

/**
 * A text at the left and one at the right of a rectangle. The right one goes where the left one needs all of the
 * width, and stays where the left one has to be cut anyway.
 * @param {Context} on
 * @param {{ x: number; y: number; w: number; h: number }} place
 * @param {string} left
 * @param {string} right
 * @param {string} [short] in place of a left one that has to be cut
 */
export function words(on, { x, y, w, h }, left, right, short) {
  const foot = y + h / 2 + 4;
  const wide = (/** @type {string} */ one) => text.width(one, text.FONTS.plain);
  on.font = text.FONTS.plain;
  const whole = w - 10;
  const beside = wide(left) + wide(right) + 10 <= whole || (wide(left) > whole && wide(right) <= whole);
  if (beside) {
    on.textAlign = "right";
    on.fillText(right, x + w - 5, foot);
  }
  const room = right && beside ? whole - wide(right) - 10 : whole;
  const own = short !== undefined && wide(left) > room ? short : left;
  on.textAlign = "left";
  if (wide(own) <= room || room > 44) on.fillText(text.tail(own, text.FONTS.plain, room), x + 5, foot);
}

/**
 * A frame that is seen on every fill.
 * @param {Context} on
 * @param {{ x: number; y: number; w: number; h: number }} place
 * @param {Palette} colors
 * @param {Color} color
 */
export function frame(on, { x, y, w, h }, colors, color) {
  for (const [line, wide] of /** @type {[Color, number][]} */ ([
    [colors.paper, 4],
    [color, 2],
  ])) {
    on.strokeStyle = line;
    on.lineWidth = wide;
    on.strokeRect(x + 1, y + 1, Math.max(1, w - 2), h - 2);
  }
}
