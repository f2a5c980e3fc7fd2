// @ts-check
// Boxes and routes of a drawing -> which of them may be in a rectangle, and which box is under a point.

/** @import { Grid, Inside, Folded, Routes } from "./types.d.ts" */

const CELL = 512;

/**
 * Things by the cells that their rectangles touch; found are those whose bounds touch what is asked for. `fill` adds
 * their rectangles: what, left, top, right, bottom.
 * @param {number} size
 * @param {number} width
 * @param {number} height
 * @param {(add: (what: number, left: number, top: number, right: number, bottom: number) => void) => void} fill
 * @returns {Inside}
 */
function index(size, width, height, fill) {
  const across = Math.max(1, Math.ceil(width / CELL) + 1);
  const down = Math.max(1, Math.ceil(height / CELL) + 1);
  /** @type {(value: number, most: number) => number} */
  const clamp = (value, most) => Math.max(0, Math.min(most - 1, Math.floor(value / CELL)));
  /** @type {number[][]} */
  const cells = Array.from({ length: across * down }, () => []);
  /** @type {(left: number, top: number, right: number, bottom: number, call: (cell: number[]) => void) => void} */
  const each = (left, top, right, bottom, call) => {
    const [a, b, c, d] = [clamp(left, across), clamp(top, down), clamp(right, across), clamp(bottom, down)];
    for (let y = b; y <= d; y++) for (let x = a; x <= c; x++) call(cells[y * across + x]);
  };
  const [lefts, tops] = [new Float64Array(size).fill(Infinity), new Float64Array(size).fill(Infinity)];
  const [rights, bottoms] = [new Float64Array(size).fill(-Infinity), new Float64Array(size).fill(-Infinity)];
  fill((what, left, top, right, bottom) => {
    lefts[what] = Math.min(lefts[what], left);
    tops[what] = Math.min(tops[what], top);
    rights[what] = Math.max(rights[what], right);
    bottoms[what] = Math.max(bottoms[what], bottom);
    each(left, top, right, bottom, (cell) => {
      if (cell[cell.length - 1] !== what) cell.push(what);
    });
  });
  let stamp = 0;
  const stamps = new Int32Array(size);
  return (left, top, right, bottom) => {
    stamp++;
    /** @type {number[]} */
    const found = [];
    each(left, top, right, bottom, (cell) => {
      for (const what of cell) {
        if (stamps[what] === stamp) continue;
        stamps[what] = stamp;
        if (lefts[what] > right || rights[what] < left || tops[what] > bottom || bottoms[what] < top) continue;
        found.push(what);
      }
    });
    return found;
  };
}

/**
 * @param {Folded} folded
 * @param {Routes} routes
 * @returns {Grid}
 */
export function over({ size, width, height, x, y, w, h, flag }, { count, start, points }) {
  const boxes = index(size, width, height, (add) => {
    for (let box = 0; box < size; box++)
      add(box, x[box] - w[box] / 2, y[box], x[box] + w[box] / 2 + flag[box], y[box] + h[box]);
  });
  const routes = index(count, width, height, (add) => {
    for (let route = 0; route < count; route++) {
      for (let at = start[route]; at + 3 < start[route + 1]; at += 2) {
        const [a, b, c, d] = [points[at], points[at + 1], points[at + 2], points[at + 3]];
        add(route, Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d));
      }
    }
  });
  /** @type {Grid["at"]} */
  const at = (px, py) =>
    boxes(px, py, px, py).find((box) => Math.abs(px - x[box]) <= w[box] / 2 && py >= y[box] && py <= y[box] + h[box]);
  return { boxes, routes, at };
}
