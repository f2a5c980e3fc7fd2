// @ts-check
// Milliseconds, shares, bytes, counts, rates -> short texts, the same as those of core/text.py. The page needs
// them for what it adds up itself: blocks, filtered rows.

/** @import { Head, Value } from "./types.d.ts" */

/**
 * As the other outputs round: what stands just between two goes to the even one.
 * @param {number} value
 * @param {number} digits
 */
function fixed(value, digits) {
  const tie = Math.abs((value * 2 ** (digits + 1)) % 2) === 1;
  if (!tie) return value.toFixed(digits);
  const low = Math.floor(value * 10 ** digits);
  return ((low % 2 ? low + 1 : low) / 10 ** digits).toFixed(digits);
}

/** @param {number} value */
const three = (value) => fixed(value, Math.abs(value) < 9.995 ? 2 : Math.abs(value) < 99.95 ? 1 : 0);

/** @type {[string, number][]} */
const UNITS = [
  ["ns", 1e-6],
  ["µs", 1e-3],
  ["ms", 1],
];

/** @param {number | null | undefined} ms */
export function milliseconds(ms) {
  if (ms === null || ms === undefined) return "";
  if (ms === 0) return "0 µs";
  for (const [unit, scale] of UNITS) {
    const text = three(ms / scale);
    if (Math.abs(Number(text)) < 1000) return `${text} ${unit}`;
  }
  return `${three(ms / 1000)} s`;
}

/**
 * An estimate is marked as one.
 * @param {Pick<Head, "estimated">} head
 * @param {number | null} ms
 */
export const about = (head, ms) => (ms === null ? "" : (head.estimated ? "≈ " : "") + milliseconds(ms));

/** @param {number | null} share */
export function percent(share) {
  if (share === null || !Number.isFinite(share)) return "";
  if (share === 0) return "0 %";
  return share > 0 && share < 0.0005 ? "<0.1 %" : `${fixed(share * 100, 1)} %`;
}

/** @param {number | null} count */
export function bytes(count) {
  if (count === null) return "";
  let [size, unit] = [count, "B"];
  for (const next of ["KiB", "MiB", "GiB"]) {
    if (size < 999.5) break;
    [size, unit] = [size / 1024, next];
  }
  return `${fixed(size, size >= 9.95 || unit === "B" ? 0 : 1)} ${unit}`;
}

/** @type {Record<string, (value: number) => string>} */
const WRITERS = { ms: milliseconds, share: percent, bytes };
/** A value in the unit of its field. @type {(value: Value, unit: string) => string} */
export const inUnit = (value, unit) => (typeof value === "number" ? (WRITERS[unit] ?? String)(value) : (value ?? ""));

/** @type {[number, string][]} */
const PREFIXES = [
  [1e15, "P"],
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
];

/** @param {number} number */
export function large(number) {
  for (const [scale, prefix] of PREFIXES) {
    if (number >= 0.9995 * scale) return `${three(number / scale)} ${prefix}`;
  }
  return fixed(number, 0);
}

/** @param {number} count */
export const grouped = (count) => String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
/**
 * @param {number} number
 * @param {string} word
 * @param {string} [ending] of the plural
 */
export const count = (number, word, ending = "s") => `${grouped(number)} ${word}${number === 1 ? "" : ending}`;

/** The sum of what is known, without what adding adds; null: nothing is. @param {(number | null | undefined)[]} values */
export function sumOf(values) {
  const known = values.filter((value) => typeof value === "number");
  return known.length ? Number(known.reduce((a, b) => a + b).toPrecision(12)) : null;
}

/** A difference of times. @param {number} ms */
export const signed = (ms) => (ms < 0 ? "−" : ms ? "+" : "") + milliseconds(Math.abs(ms));

/**
 * How fast B is, by its time as a multiple of A's: `1.80 × faster`, `6.67 × slower`, `as fast`.
 * @param {number | null} ratio
 */
export function speed(ratio) {
  if (ratio === null || !(ratio > 0)) return "";
  const times = Math.max(ratio, 1 / ratio);
  return times < 1.005 ? "as fast" : `${times.toFixed(2)} × ${ratio < 1 ? "faster" : "slower"}`;
}
