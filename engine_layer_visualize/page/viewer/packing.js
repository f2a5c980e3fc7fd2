// @ts-check
// The data of an engine as `page/packing.py` writes it -> the same with whole columns and strings.

/** @import { Raw } from "./types.d.ts" */

const TABLES = /** @type {const} */ (["layers", "tensors", "ports", "layout", "edges"]);
const NONE_SHARED = 93; // the code of a text's first character where nothing is as in the one before

/**
 * `4 1*3 . -2` -> 4, 5, 6, 7, null, 5
 * @param {string} text
 */
export function numbersIn(text) {
  /** @type {(number | null)[]} */
  const found = [];
  let last = 0;
  for (const part of text.split(" ")) {
    const [step, times = 1] = part.split("*");
    for (let n = 0; n < Number(times); n++) {
      last += step === "." ? 0 : Number(step);
      found.push(step === "." ? null : last);
    }
  }
  return found;
}

/** @param {Raw} raw */
export function unpacked(raw) {
  for (const table of TABLES) {
    const columns = /** @type {Record<string, any>} */ (raw[table]);
    for (const [name, column] of Object.entries(columns))
      if (typeof column === "string") columns[name] = numbersIn(column);
  }
  let last = "";
  raw.strings = raw.strings.map((text) => (last = last.slice(0, text.charCodeAt(0) - NONE_SHARED) + text.slice(1)));
  return raw;
}
