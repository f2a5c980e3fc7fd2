// @ts-check
// A text, a font and a width -> its width on the canvas, and the text cut to fit: long names of tooltips in the middle,
// operators at the end, paths at the beginning, between words where that can be. Widths are cached.

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

/**
 * At most `keep` characters: both ends, no half of a surrogate pair.
 * @param {string} text
 * @param {number} keep
 */
function middle(text, keep) {
  const tail = Math.max(1, Math.floor(((keep - 1) * 3) / 5));
  const head = Math.max(0, keep - 1 - tail);
  return (
    text.slice(0, head).replace(/[ .…\ud800-\udbff]+$/, "") +
    "…" +
    text.slice(text.length - tail).replace(/^[ .…\udc00-\udfff]+/, "")
  );
}

/** @type {Map<string, string>} */
const fits = new Map();

/**
 * @param {string} text
 * @param {string} font
 * @param {number} room
 */
export function fit(text, font, room) {
  const key = `${font}|${Math.round(room)}|${text.length > 200 ? text.slice(0, 100) + text.slice(-100) : text}`;
  let found = fits.get(key);
  if (found !== undefined) return found;
  if (fits.size > MOST) fits.clear();
  found = cut(text, room, measure(font));
  fits.set(key, found);
  return found;
}

/**
 * @param {string} key
 * @param {string} text
 * @param {string} font
 * @param {number} room
 * @param {(keep: number) => string} cut what is left with so many characters
 * @param {RegExp} seam where it had better be cut: `cut` gets the places
 */
function ended(key, text, font, room, cut, seam) {
  const whole = `${key}|${font}|${Math.round(room)}|${text}`;
  let found = fits.get(whole);
  if (found !== undefined) return found;
  const short = text.length > 400 ? cut(400) : text;
  if (width(short, font) <= room) found = short;
  else {
    const wide = measure(font);
    let [low, high] = [0, Math.min(text.length - 1, 300)];
    while (low < high) {
      const keep = (low + high + 1) >> 1;
      if (wide(cut(keep)) > room) high = keep - 1;
      else low = keep;
    }
    const left = cut(low);
    const tidy = left.replace(seam, "…").replace(/^…[ .…]+/, "…");
    found = tidy.length > 3 && tidy.length * 2 >= left.length ? tidy : left;
  }
  if (fits.size > MOST) fits.clear();
  fits.set(whole, found);
  return found;
}

/**
 * The beginning of a text that is no wider than `room`: of operators whole ones.
 * @param {string} text
 * @param {string} font
 * @param {number} room
 */
export const lead = (text, font, room) =>
  ended(
    "<",
    text,
    font,
    room,
    (keep) => `${text.slice(0, keep).replace(/[ +.…\ud800-\udbff]+$/, "")}…`,
    /(?<=[+,] )[^+,]*$/,
  );

/**
 * The end of a text that is no wider than `room`: of a path whole parts.
 * @param {string} text
 * @param {string} font
 * @param {number} room
 */
export const tail = (text, font, room) =>
  ended(
    ">",
    text,
    font,
    room,
    (keep) => `…${text.slice(text.length - keep).replace(/^[ .…\udc00-\udfff]+/, "")}`,
    /^…[^/. ]*(?=[/. ])/,
  );

/**
 * The longest form of `text` that is no wider than `room`; of very long texts the ends alone.
 * @param {string} text
 * @param {number} room
 * @param {(text: string) => number} wide
 */
export function cut(text, room, wide) {
  /** @param {string} what */
  const long = (what) => wide(what) > room;
  if (text.length < 400 && !long(text)) return text;
  let [low, high] = [1, Math.min(text.length - 1, 300)];
  while (low < high) {
    const keep = (low + high + 1) >> 1;
    if (long(middle(text, keep))) high = keep - 1;
    else low = keep;
  }
  return middle(text, low);
}
