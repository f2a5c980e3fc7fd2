// @ts-check
// A text, a font and a width -> its width on the canvas, and the text cut to fit: operators at the end, paths at the
// beginning, between words where that can be. Both are cached.

import { contextOf } from "./dom.js";

export const FAMILY =
  '"Engine Sans", system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif';
export const FONTS = {
  bold: `600 13px ${FAMILY}`,
  plain: `400 11px ${FAMILY}`,
  strong: `600 11px ${FAMILY}`,
};
/** @type {CanvasRenderingContext2D | null} */
let own = null;

/**
 * Measures texts in one font.
 * @param {string} font
 */
function measure(font) {
  own ??= contextOf(document.createElement("canvas"));
  const context = own;
  context.font = font;
  return (/** @type {string} */ text) => context.measureText(text).width;
}

/** @type {Map<string, Map<string, number>>} */
const caches = new Map();
const MOST = 60000; // kept texts
const LONGEST = 400; // characters that are looked at

/**
 * @param {string} text
 * @param {string} font
 */
export function width(text, font) {
  let cache = caches.get(font);
  if (!cache) {
    cache = new Map();
    caches.set(font, cache);
  }
  let found = cache.get(text);
  if (found === undefined) {
    if (cache.size > MOST) cache.clear();
    found = measure(font)(text);
    cache.set(text, found);
  }
  return found;
}

/** Which end of a text goes where it has to be cut, and where it had better be cut. @typedef {{ keep: (text: string, most: number) => string; seam: RegExp }} Way */

/** Of operators the end goes, whole ones. @type {Way} */
export const LEAD = {
  keep: (text, most) => `${text.slice(0, most).replace(/[ +.…\ud800-\udbff]+$/, "")}…`,
  seam: /(?<=.[+,] )[^+,]*$|(?<=\w) [^ ]*$/,
};
/** Of a path the beginning goes, whole parts. @type {Way} */
export const TAIL = {
  keep: (text, most) => `…${text.slice(text.length - most).replace(/^[ .…\udc00-\udfff]+/, "")}`,
  seam: /^…[^/. ]*(?=[/. ])/,
};

/**
 * What of a text is no wider than `room`; of a very long one only an end is looked at.
 * @param {string} text
 * @param {number} room
 * @param {(text: string) => number} wide
 * @param {Way} way
 */
export function cut(text, room, wide, { keep, seam }) {
  const short = text.length > LONGEST ? keep(text, LONGEST) : text;
  if (wide(short) <= room) return short;
  let [low, high] = [0, Math.min(text.length - 1, LONGEST)];
  while (low < high) {
    const most = (low + high + 1) >> 1;
    if (wide(keep(text, most)) > room) high = most - 1;
    else low = most;
  }
  const left = keep(text, low);
  const tidy = left.replace(seam, "…").replace(/^…[ .…]+/, "…");
  return tidy.length > 3 && (seam === LEAD.seam || tidy.length * 2 >= left.length) ? tidy : left;
}

/** @type {Map<string, string>} */
const fits = new Map();

/** @param {Way} way @returns {(text: string, font: string, room: number) => string} */
const cached = (way) => (text, font, room) => {
  const key = `${way === LEAD}|${font}|${Math.round(room)}|${text}`;
  let found = fits.get(key);
  if (found === undefined) {
    if (fits.size > MOST) fits.clear();
    found = text.length < LONGEST && width(text, font) <= room ? text : cut(text, room, measure(font), way);
    fits.set(key, found);
  }
  return found;
};
export const lead = cached(LEAD);
export const tail = cached(TAIL);
