// @ts-check
// The data of an engine with columns that are texts (`page/packing.py`) -> the same with lists.

/** @import { Raw } from "./types.d.ts" */

const TABLES = /** @type {const} */ (["layers", "tensors", "ports", "layout", "edges"]);

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
  return raw;
}
