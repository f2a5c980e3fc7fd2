// @ts-check
// A box of a scene and the scale -> its drawing: the headline alone at small scales, else all its words.

import { places } from "./flags.js";
import * as inside from "./inside.js";
import * as marks from "./marks.js";
import * as text from "./text.js";
import { FONTS } from "./text.js";

/** @import { Scene } from "./scene.js" */
/** @import { Color, Pen, BoxText } from "./types.d.ts" */

export const NEAR = 0.62; // the scale from which all words of a box are drawn
const PAD = 9;
const LOW = 40; // a box lower than this has one row of text
const GAP = 5; // between number and headline
const SMALLER = 0.8; // as large a headline may be written, at least, before it is cut
const DOT = 9; // of a finding
const STRIP = 3.5; // height
const BAR = 3.5; // width of what marks a layer on the DLA
const SMALLEST = 6.5; // pixels of a text

const SIGN = 20; // what the sign of a layer that unfolds takes at the left

/**
 * The width at the left of a box where a click unfolds the layer, in the page's units: wide enough for a finger.
 * @param {number} scale
 */
export const signWidth = (scale) => Math.max(SIGN + PAD, 24 / scale);

/** The place of a box: left, top, size. @typedef {{ x: number; y: number; w: number; h: number }} Place */

/** @param {Pen} context @param {Scene} scene @param {number} scale @param {number} box @param {boolean} [dim] its words stay legible */
export function card(context, scene, scale, box, dim = false) {
  const { folded, colors } = scene;
  const { dash, width, line, round } = scene.mark(box);
  const [w, h] = [folded.w[box], folded.h[box]];
  const place = { x: folded.x[box] - w / 2, y: folded.y[box], w, h };
  const fill = scene.fill(box);
  context.lineWidth = Math.max(width, 0.7 / scale);
  context.strokeStyle = line;
  const sign = inside.sign(scene, box);
  if (scene.group(box) || sign === "+")
    for (const by of [4, 2]) roundedBox(context, place.x + by, place.y + by, w, h, 4, colors.paper);
  if (dash !== "solid") context.setLineDash(dash === "dashed" ? [5, 3] : [1.5, 3]);
  roundedBox(context, place.x, place.y, w, h, round ? h / 2 : 4, fill);
  if (dash !== "solid") context.setLineDash([]);
  if (scene.onDla(box)) {
    context.fillStyle = colors.on(fill);
    context.fillRect(place.x + 2, place.y + 4, BAR, h - 8);
  }
  const fills = scene.strip(box);
  strip(context, fills, place);
  const words = scene.text(box);
  const at = sign ? { ...place, x: place.x + SIGN, w: w - SIGN } : place;
  const plain = words.quiet && !words.share && fill === scene.plain(box);
  context.fillStyle = plain || dim ? colors.muted : colors.on(fill);
  const alpha = context.globalAlpha;
  if (dim) context.globalAlpha = 1;
  if (scale < NEAR) headline(context, words, fills.length ? { ...at, h: h - STRIP } : at, scale);
  else if (h < LOW) oneRow(context, words, at);
  else twoRows(context, words, at);
  if (sign) unfoldSign(context, sign, place);
  context.globalAlpha = alpha;
  if (folded.flag[box] && scale >= NEAR) flags(context, scene, box);
  badge(context, scene, scale, box);
  marks.paint(context, scene, box);
}

/**
 * @param {Pen} context
 * @param {number} x
 * @param {number} y
 * @param {number} w
 * @param {number} h
 * @param {number} radius
 * @param {Color} fill
 */
function roundedBox(context, x, y, w, h, radius, fill) {
  context.fillStyle = fill;
  context.beginPath();
  context.roundRect(x, y, w, h, radius);
  context.fill();
  context.stroke();
}

/**
 * At the foot of a folded group's box how hot each of its layers is.
 * @param {Pen} context
 * @param {Color[]} fills
 * @param {Place} place
 */
function strip(context, fills, { x, y, w, h }) {
  const wide = (w - 2 * PAD) / fills.length;
  fills.forEach((fill, at) => {
    context.fillStyle = fill;
    context.fillRect(x + PAD + at * wide, y + h - STRIP - 2, wide, STRIP);
  });
}

/**
 * A plus or minus in a frame.
 * @param {Pen} context
 * @param {string} sign
 * @param {Place} place
 */
function unfoldSign(context, sign, { x, y, h }) {
  const middle = y + h / 2;
  context.strokeStyle = context.fillStyle;
  context.lineWidth = 1.4;
  context.strokeRect(x + PAD - 1, middle - 7.5, 15, 15);
  context.beginPath();
  context.moveTo(x + PAD + 2.5, middle);
  context.lineTo(x + PAD + 10.5, middle);
  if (sign === "+") {
    context.moveTo(x + PAD + 6.5, middle - 4);
    context.lineTo(x + PAD + 6.5, middle + 4);
  }
  context.stroke();
}

/**
 * A dot on the upper right corner of a box with a finding; the words are in its tooltip.
 * @param {Pen} context
 * @param {Scene} scene
 * @param {number} scale
 * @param {number} box
 */
export function badge(context, scene, scale, box) {
  const { folded, colors } = scene;
  if (!scene.text(box).badge) return;
  const size = Math.max(DOT, Math.min(14, 7 / scale));
  context.lineWidth = 1.5;
  context.strokeStyle = colors.paper;
  const [right, y] = [folded.x[box] + folded.w[box] / 2, folded.y[box]];
  roundedBox(context, right - size * 0.6, y - DOT * 0.4, size, size, size / 2, colors.warn);
}

/**
 * Writes a text that ends at x.
 * @param {Pen} context
 * @param {string} words
 * @param {number} x
 * @param {number} y
 */
function atRight(context, words, x, y) {
  context.textAlign = "right";
  context.fillText(words, x, y);
  context.textAlign = "left";
}

/** @param {string} index */
const numberWidth = (index) => (index ? text.width(`#${index}`, FONTS.plain) + GAP : 0);

/**
 * The end of a path, which has no words: blocks differ there.
 * @param {string} head
 * @param {string} font
 * @param {number} room
 */
function cut(head, font, room) {
  const [, sign, path] = /^(\+ )?(\S*[./]\S*)$/.exec(head) ?? [];
  if (!path || (!sign && path[0] !== "/") || text.width(head, font) <= room) return text.lead(head, font, room);
  return (sign ?? "") + text.tail(path, font, room - text.width(sign ?? "", font));
}

/**
 * Number and headline from the left. What has no room is dropped: the headline's last words first, then the number.
 * @param {Pen} context
 * @param {BoxText} words
 * @param {number} x
 * @param {number} foot
 * @param {number} room
 * @param {string} font of the headline
 * @param {number} [by] how many times as large
 * @returns {number} the width that is taken
 */
function numbered(context, { index, head }, x, foot, room, font, by = 1) {
  const sized = (/** @type {string} */ of) => of.replace(/(\d+)px/, (_, size) => `${(size * by).toFixed(1)}px`);
  const before = numberWidth(index) * by;
  if (before - GAP * by > room) return 0;
  context.textAlign = "left";
  if (index) {
    context.font = sized(FONTS.plain);
    context.fillText(`#${index}`, x, foot);
  }
  context.font = sized(font);
  const left = room - before;
  if (left < 12 * by) return before;
  const shown = cut(head, font, left / by + 0.5);
  context.fillText(shown, x + before, foot);
  return before + text.width(shown, font) * by;
}

/**
 * Number, headline and share, in one of two sizes; where even the smaller one is too wide, the headline above the others.
 * A low box has the smaller one. Where that cannot be read, low boxes have nothing, and others no number.
 * @param {Pen} context
 * @param {BoxText} words
 * @param {Place} place
 * @param {number} scale
 */
function headline(context, words, { x, y, w, h }, scale) {
  const font = words.quiet ? FONTS.plain : FONTS.strong;
  const base = 11;
  const wide = w - 2 * PAD;
  const beside = words.share ? text.width(words.share, font) + 0.6 * base : 0;
  const [large, small] = [25, 18].map((most) => Math.min(most, 9.5 / scale));
  const [high, legible] = [h >= LOW, small * scale >= SMALLEST];
  const [index, head] = [legible ? words.index : "", words.head];
  const whole = numberWidth(index) + text.width(head, font) + beside;
  if (!high && !legible) return;
  const size = high && (whole * large <= wide * base || !legible) ? large : small;
  const two = beside > 0 && high && legible && whole * size > wide * base;
  const foot = y + (two ? h * 0.84 : h / 2 + size * 0.36);
  context.font = font.replace(`${base}px`, `${size.toFixed(1)}px`);
  if (words.share) atRight(context, words.share, x + w - PAD, foot);
  const by = size / base;
  if (two) numbered(context, { ...words, index: "" }, x + PAD, y + h * 0.42, wide, font, by);
  numbered(context, { ...words, index, head: two ? "" : head }, x + PAD, foot, wide - beside * by, font, by);
}

/**
 * Number, headline and share. Gives the width of the first two, and what is left beside them.
 * @param {Pen} context
 * @param {BoxText} words
 * @param {Place} place
 * @param {string} font
 * @param {number} foot
 */
function firstRow(context, words, { x, w }, font, foot) {
  context.font = font;
  let room = w - 2 * PAD;
  if (words.share) {
    atRight(context, words.share, x + w - PAD, foot);
    room -= text.width(words.share, font) + 10;
  }
  const natural = numberWidth(words.index) + text.width(words.head, font);
  const width = numbered(context, words, x + PAD, foot, room, font, Math.max(SMALLER, Math.min(1, room / natural)));
  return { width, rest: room - width - 8 };
}

/**
 * The end of a path; an end's dims; of what a reformat changes the types alone, else what it changes to, else nothing.
 * @param {string} sub
 * @param {number} room
 */
function beneath(sub, room) {
  const [from, to] = sub.split(" → ");
  if (!to && text.width(sub, FONTS.plain) > room) return text.tail(sub.split("  ").at(-1) ?? "", FONTS.plain, room);
  const types = /^[A-Z]/.test(to) ? [`${from.split(" ")[0]} → ${to.split(" ")[0]}`] : [];
  return [sub, ...types, `→ ${to}`].find((words) => text.width(words, FONTS.plain) <= room) ?? "";
}

/** @param {Pen} context @param {BoxText} words @param {Place} place */
function oneRow(context, words, place) {
  const foot = place.y + place.h / 2 + 4;
  const { width, rest } = firstRow(context, words, place, FONTS.strong, foot);
  if (!words.sub || rest <= 30) return;
  context.font = FONTS.plain;
  context.fillText(beneath(words.sub, rest), place.x + PAD + width + 8, foot);
}

/** @param {Pen} context @param {BoxText} words @param {Place} place */
function twoRows(context, words, place) {
  const { x, y, w } = place;
  firstRow(context, words, place, FONTS.bold, y + 19);
  let room = w - 2 * PAD;
  context.font = FONTS.plain;
  if (words.time) {
    atRight(context, words.time, x + w - PAD, y + 36);
    room -= text.width(words.time, FONTS.plain) + 10;
  }
  context.fillText(beneath(words.sub, room), x + PAD, y + 36);
}

/**
 * The other ends of cut edges, at the box's right.
 * @param {Pen} context
 * @param {Scene} scene
 * @param {number} box
 */
function flags(context, scene, box) {
  context.font = FONTS.plain;
  context.textAlign = "left";
  for (const { flag, x, foot } of places(scene, box)) {
    context.fillStyle = flag.color;
    context.fillText(flag.words, x, foot);
  }
}
