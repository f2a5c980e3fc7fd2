// @ts-check
// A box of a scene and the scale -> its drawing: the words of all boxes are of one size, and never smaller than LEAST.

import { places } from "./flags.js";
import * as inside from "./inside.js";
import * as marks from "./marks.js";
import * as text from "./text.js";
import { FONTS } from "./text.js";

/** @import { Scene } from "./scene.js" */
/** @import { Color, Pen, BoxText } from "./types.d.ts" */

const LEAST = 9; // pixels of a text
const [SIZE, HEAD] = [11, 13]; // of texts and headlines, in the page's units
export const NEAR = LEAST / SIZE; // the scale from which all words have their own size
const BESIDE = 0.62; // the scale from which a share stands beside its headline
const PAD = 9;
const LOW = 40; // a box lower than this has one row of text
const GAP = 5; // between number and headline
const DOT = 9; // of a finding
const STRIP = 3.5; // height
const BAR = 3.5; // width of what marks a layer on the DLA

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
  write(context, words, fills.length ? { ...at, h: h - STRIP } : at, scale);
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
  const size = Math.max(DOT, Math.min(11, 5 / scale));
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

/** A font at another size. @param {string} font @param {number} by */
const sized = (font, by) => font.replace(/(\d+)px/, (_, size) => `${(size * by).toFixed(1)}px`);

/**
 * Number and headline, and a text at the right. Gives the room that is left between them.
 * @param {Pen} context
 * @param {BoxText} words
 * @param {string} right
 * @param {Place} place of the foot
 * @param {string} font
 * @param {number} by how many times as large
 * @param {number} [small] how many times as large the number is
 * @param {boolean} [whole] the headline is whole rather than there is a number
 */
function row(context, { index, head }, right, { x, y, w }, font, by, small = by, whole = false) {
  context.font = sized(font, by);
  if (right) atRight(context, right, x + w, y);
  const room = w - (right ? text.width(right, font) + 10 : 0) * by;
  const number = index ? (text.width(`#${index}`, FONTS.plain) + GAP) * small : 0;
  const before = whole && number + text.width(head, font) * by > room ? 0 : number;
  const shown = cut(head, font, (room - before) / by + 0.5);
  context.fillText(shown, x + before, y);
  if (before) {
    context.font = sized(FONTS.plain, small);
    context.fillText(`#${index}`, x, y);
  }
  const used = before + (text.width(shown, font) + 8) * by;
  return { from: x + used, room: (room - used) / by, numbered: before > 0 };
}

/**
 * The words of a box in two rows, or in one where it is low; none where they could not be read.
 * @param {Pen} context
 * @param {BoxText} words
 * @param {Place} place
 * @param {number} scale
 */
function write(context, words, { x, y, w, h }, scale) {
  const by = Math.max(1, NEAR / scale);
  const size = by * SIZE;
  if (size * 1.15 > h) return;
  const inner = { x: x + PAD, y, w: w - 2 * PAD, h };
  context.textAlign = "left";
  if (h < LOW || size * 2 > h) {
    const foot = y + h / 2 + 0.3 * size;
    const { from, room } = row(context, words, words.share, { ...inner, y: foot }, FONTS.strong, by);
    context.font = sized(FONTS.plain, by);
    if (words.sub && room > 30) context.fillText(beneath(words.sub, room), from, foot);
    return;
  }
  const beside = scale >= BESIDE;
  const large = Math.max(1, size / HEAD);
  const apart = Math.max(0.37 * h, size * 1.02);
  const foot = y + (h + apart + size * 0.6) / 2; // of the second row
  const above = { ...inner, y: foot - apart };
  const { numbered } = row(context, words, beside ? words.share : "", above, FONTS.bold, large, by, true);
  const [below, font] = beside ? [words.time, FONTS.plain] : [words.share, FONTS.strong];
  context.font = sized(font, by);
  if (below) atRight(context, below, inner.x + inner.w, foot);
  context.font = sized(FONTS.plain, by);
  const number = numbered || !words.index ? "" : `#${words.index} `;
  const room = inner.w / by - (below ? text.width(below, font) + 10 : 0) - text.width(number, FONTS.plain);
  context.fillText(number + beneath(words.sub, room), inner.x, foot);
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
