// @ts-check
// Draws one box with its words: half way the headline alone, near by everything.

import * as text from "./text.js";
import { FONTS } from "./text.js";

/** @import { Scene } from "./scene.js" */
/** @import { Color, Pen, Said } from "./types.d.ts" */

const NEAR = 0.62; // the scale from which all words of a box are drawn
const PAD = 9;
const LOW = 40; // a box lower than this has one row of text

/** The place of a box: left, top, size. @typedef {{ x: number; y: number; w: number; h: number }} Place */

/**
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {number} scale
 * @param {number} box
 */
export function card(pen, scene, scale, box) {
  const { sheet, colors } = scene;
  const { dash, width, line, round } = scene.mark(box);
  const [w, h] = [sheet.w[box], sheet.h[box]];
  const place = { x: sheet.x[box] - w / 2, y: sheet.y[box], w, h };
  const fill = scene.fill(box);
  pen.lineWidth = Math.max(width, 0.7 / scale);
  pen.strokeStyle = line;
  if (scene.group(box)) for (const by of [6, 3]) plate(pen, place.x + by, place.y + by, w, h, 4, colors.paper);
  if (dash !== "solid") pen.setLineDash(dash === "dashed" ? [5, 3] : [1.5, 3]);
  plate(pen, place.x, place.y, w, h, round ? h / 2 : 4, fill);
  if (dash !== "solid") pen.setLineDash([]);
  const said = scene.said(box);
  pen.fillStyle = said.quiet && !said.share ? colors.muted : colors.on(fill);
  if (scale < NEAR) headline(pen, said, place, scale);
  else if (h < LOW) oneRow(pen, said, place);
  else twoRows(pen, said, place);
  if (sheet.flag[box] && scale >= NEAR) flags(pen, scene, box, place);
}

/**
 * @param {Pen} pen
 * @param {number} x
 * @param {number} y
 * @param {number} w
 * @param {number} h
 * @param {number} radius
 * @param {Color} fill
 */
function plate(pen, x, y, w, h, radius, fill) {
  pen.fillStyle = fill;
  pen.beginPath();
  pen.roundRect(x, y, w, h, radius);
  pen.fill();
  pen.stroke();
}

/**
 * Writes a text that ends at x.
 * @param {Pen} pen
 * @param {string} said
 * @param {number} x
 * @param {number} y
 */
function atRight(pen, said, x, y) {
  pen.textAlign = "right";
  pen.fillText(said, x, y);
  pen.textAlign = "left";
}

/**
 * The headline, as large as the box, and the share where there is room.
 * @param {Pen} pen
 * @param {Said} said
 * @param {Place} place
 * @param {number} scale
 */
function headline(pen, said, { x, y, w, h }, scale) {
  let size = Math.min(h * 0.52, 9.5 / scale, 24);
  const font = said.quiet ? FONTS.plain : FONTS.bold;
  const base = said.quiet ? 11 : 13;
  pen.font = font.replace(`${base}px`, `${size.toFixed(1)}px`);
  const foot = y + h / 2 + size * 0.36;
  let room = w - 2 * PAD;
  const wide = (text.width(said.share, font) * size) / base;
  if (said.share && wide < w * 0.34) {
    atRight(pen, said.share, x + w - PAD, foot);
    room -= wide + size * 0.6;
  }
  pen.textAlign = "left";
  const natural = (text.width(said.head, font) * size) / base;
  if (natural > room) {
    size *= Math.max(0.8, room / natural); // a little smaller before it is cut
    pen.font = font.replace(`${base}px`, `${size.toFixed(1)}px`);
  }
  pen.fillText(text.fit(said.head, font, (room * base) / size + 0.5), x + PAD, foot);
}

/**
 * Headline and share. Gives the width of the headline, and what is left beside it.
 * @param {Pen} pen
 * @param {Said} said
 * @param {Place} place
 * @param {string} font
 * @param {number} foot
 */
function firstRow(pen, said, { x, w }, font, foot) {
  pen.font = font;
  let room = w - 2 * PAD;
  if (said.share) {
    atRight(pen, said.share, x + w - PAD, foot);
    room -= text.width(said.share, font) + 10;
  }
  pen.textAlign = "left";
  const head = text.fit(said.head, font, room);
  pen.fillText(head, x + PAD, foot);
  const width = text.width(head, font);
  return { width, rest: room - width - 8 };
}

/**
 * @param {Pen} pen
 * @param {Said} said
 * @param {Place} place
 */
function oneRow(pen, said, place) {
  const foot = place.y + place.h / 2 + 4;
  const { width, rest } = firstRow(pen, said, place, FONTS.strong, foot);
  if (!said.sub || rest <= 30) return;
  pen.font = FONTS.plain;
  pen.fillText(text.fit(said.sub, FONTS.plain, rest), place.x + PAD + width + 8, foot);
}

/**
 * @param {Pen} pen
 * @param {Said} said
 * @param {Place} place
 */
function twoRows(pen, said, place) {
  const { x, y, w } = place;
  firstRow(pen, said, place, FONTS.bold, y + 19);
  let room = w - 2 * PAD;
  pen.font = FONTS.plain;
  if (said.time) {
    atRight(pen, said.time, x + w - PAD, y + 36);
    room -= text.width(said.time, FONTS.plain) + 10;
  }
  pen.fillText(text.fit(said.sub, FONTS.plain, room), x + PAD, y + 36);
}

/**
 * The other ends of cut edges, at the box's right.
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {number} box
 * @param {Place} place
 */
function flags(pen, scene, box, { x, y, w, h }) {
  pen.font = FONTS.plain;
  pen.textAlign = "left";
  scene.flags(box).forEach(([said, color], at) => {
    pen.fillStyle = color;
    pen.fillText(said, x + w + 5, y + h / 2 + 4 + (at ? 13 * at - 6 : 0));
  });
}
