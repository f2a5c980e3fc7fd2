// @ts-check
// The rows' heights and widths, and what a break after each row costs -> the rows that end the columns.

import { SPACE } from "./spacing.js";

/** @import { ById, Rows, Span } from "./types.d.ts" */

const PAIN = 40; // width that is given for a net that is not cut by a break
const SHORT = 100; // width that is given for a column that is not nearly empty
const BETWEEN = 40; // about the width between two columns

/**
 * What a break after each row costs: the nets that it cuts, and the groups.
 * @param {Rows} rows
 * @param {Span[]} spans
 */
export function painOf(rows, spans) {
  const change = new Float64Array(rows.count + 1);
  for (const net of rows.nets) {
    change[rows.row[net.source]] += 1;
    change[rows.row[net.last]] -= 1;
  }
  for (const { first, last } of spans) {
    change[first] += 1.5;
    change[last] -= 1.5;
  }
  let sum = 0;
  return change.map((by) => (sum += by));
}

/**
 * For each row the width of each of its slots.
 * @param {Rows} rows
 */
export function widthsOf(rows) {
  /** @type {ById<number>[]} */
  const wide = Array.from({ length: rows.count }, () => new Map());
  for (let box = 0; box < rows.size; box++)
    wide[rows.row[box]].set(rows.slot[box], rows.w[box] + rows.flag[box] + SPACE.slot + SPACE.track);
  return wide;
}

/**
 * The last rows of columns that are no higher than `limit` and together the narrowest.
 * @param {number[]} heights
 * @param {Float64Array} pain
 * @param {ById<number>[]} wide
 * @param {number} limit
 */
export function narrowest(heights, pain, wide, limit) {
  const least = [0];
  const begins = [];
  for (let last = 0; last < heights.length; last++) {
    const slots = new Map();
    let [height, total, best, begin] = [0, 0, Infinity, last];
    for (let first = last; first >= 0; first--) {
      height += heights[first];
      if (height > limit && first < last) break;
      for (const [slot, width] of wide[first]) {
        const had = slots.get(slot) || 0;
        if (width <= had) continue;
        total += width - had;
        slots.set(slot, width);
      }
      const cut = first ? PAIN * pain[first - 1] : 0;
      const cost = least[first] + total + BETWEEN + cut + SHORT * (1 - height / limit) ** 2;
      if (cost < best) [best, begin] = [cost, first];
    }
    least.push(best);
    begins.push(begin);
  }
  const breaks = [];
  for (let row = heights.length - 1; row >= 0; row = begins[row] - 1) breaks.push(row);
  return breaks.reverse();
}

/** @param {Iterable<number>} list */
export const sum = (list) => [...list].reduce((a, b) => a + b, 0);

/**
 * The last row of each column, each near to an even share of the height: linear.
 * @param {number[]} heights
 * @param {Float64Array} pain
 * @param {number} share
 */
export function breaksOf(heights, pain, share) {
  const breaks = [];
  for (let row = 0; row < heights.length; ) {
    let [best, cost, height, last] = [row, Infinity, 0, row];
    while (last < heights.length && (height + heights[last] <= share * 1.12 || last === row)) {
      height += heights[last];
      const off = 1 - height / share;
      const here = last < heights.length - 1 ? pain[last] + 24 * off * off : -1;
      const enough = height >= share * 0.7 || last === heights.length - 1; // what is left may be short
      if ((here <= cost && enough) || cost === Infinity) [best, cost] = [last, here];
      last++;
    }
    breaks.push(best);
    row = best + 1;
  }
  return breaks;
}
