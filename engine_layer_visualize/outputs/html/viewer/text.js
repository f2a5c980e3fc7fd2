// @ts-check
// Text on the canvas, cut to fit a width: from the middle, with the end kept. Widths are cached.

import { penOf } from "./dom.js";

/** @import { Pen } from "./types.d.ts" */

export const FAMILY = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif';
export const FONTS = { bold: `600 13px ${FAMILY}`, plain: `400 11px ${FAMILY}`, strong: `600 11px ${FAMILY}` };
/** @type {Pen | null} */
let own = null;

/**
 * Measures texts in one font.
 * @param {string} font
 */
function measure(font) {
  own ??= penOf(document.createElement("canvas"));
  const pen = own;
  pen.font = font;
  return (/** @type {string} */ said) => pen.measureText(said).width;
}

/** @type {Map<string, Map<string, number>>} */
const caches = new Map();
const MOST = 60000; // kept texts

/**
 * @param {string} said
 * @param {string} font
 */
export function width(said, font) {
  let cache = caches.get(font);
  if (!cache) {
    cache = new Map();
    caches.set(font, cache);
  }
  let found = cache.get(said);
  if (found === undefined) {
    if (cache.size > MOST) cache.clear();
    found = measure(font)(said);
    cache.set(said, found);
  }
  return found;
}

/**
 * At most `keep` characters: both ends, no half of a surrogate pair.
 * @param {string} said
 * @param {number} keep
 */
function middle(said, keep) {
  const tail = Math.max(1, Math.floor(((keep - 1) * 3) / 5));
  const head = Math.max(0, keep - 1 - tail);
  return (
    said.slice(0, head).replace(/[ .…\ud800-\udbff]+$/, "") +
    "…" +
    said.slice(said.length - tail).replace(/^[ .…\udc00-\udfff]+/, "")
  );
}

/** @type {Map<string, string>} */
const fits = new Map();

/**
 * @param {string} said
 * @param {string} font
 * @param {number} room
 */
export function fit(said, font, room) {
  const key = `${font}|${Math.round(room)}|${said.length > 200 ? said.slice(0, 100) + said.slice(-100) : said}`;
  let found = fits.get(key);
  if (found !== undefined) return found;
  if (fits.size > MOST) fits.clear();
  found = cut(said, room, measure(font));
  fits.set(key, found);
  return found;
}

/**
 * The longest form of `said` that is no wider than `room`; of very long texts the ends alone.
 * @param {string} said
 * @param {number} room
 * @param {(said: string) => number} wide
 */
export function cut(said, room, wide) {
  /** @param {string} what */
  const long = (what) => wide(what) > room;
  if (said.length < 400 && !long(said)) return said;
  let [low, high] = [1, Math.min(said.length - 1, 300)];
  while (low < high) {
    const keep = (low + high + 1) >> 1;
    if (long(middle(said, keep))) high = keep - 1;
    else low = keep;
  }
  return middle(said, low);
}
