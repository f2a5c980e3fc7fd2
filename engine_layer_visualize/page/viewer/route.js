// @ts-check
// Folded rows -> for every edge a polyline of right angles from box to box. It computes the same as
// drawing/routing.py: no edge runs behind a box, or along a stretch of another net.

import { key, laneX, middleNets } from "./fold.js";
import { append, at } from "./maps.js";
import { SPACE } from "./spacing.js";

/** @import { ById, Engine, Folded, Net, Routes } from "./types.d.ts" */

/**
 * @param {Folded} folded
 * @param {number} box
 * @param {number} count
 */
const pitchOf = (folded, box, count) => Math.min(SPACE.port, (folded.w[box] - 16) / Math.max(1, count));

/**
 * Whether a net turns to the left below its box, and not to the right, too.
 * @param {Folded} folded
 * @param {Net} net
 */
function turnsLeft({ row, slot, columnOf }, { source, readers, lane }) {
  const [below, here] = [row[source] + 1, slot[source]];
  if (columnOf[below] !== columnOf[below - 1]) return false; // into the next column
  const ends = readers.flatMap((reader) => (row[reader] === below ? [slot[reader]] : []));
  if (lane) ends.push(key(lane));
  return Math.min(...ends) < here && Math.max(...ends) <= here;
}

/**
 * For each net the offset from its box's middle, to the side to which it turns; odd halves, so that none stands above
 * an entry.
 * @param {Folded} folded
 */
function outPorts(folded) {
  const middle = middleNets(folded);
  /** @type {ById<[left: number[], right: number[]]>} */
  const of = new Map();
  folded.nets.forEach((net, number) => {
    if (number === middle.get(net.source)) return;
    const sides = of.get(net.source) ?? [[], []];
    of.set(net.source, sides);
    sides[turnsLeft(folded, net) ? 0 : 1].push(number);
  });
  const out = new Float64Array(folded.nets.length);
  for (const [box, [left, right]] of of) {
    const pitch = pitchOf(folded, box, 2 * Math.max(left.length, right.length));
    for (const [i, number] of left.entries()) out[number] = -pitch * (i + 0.5);
    for (const [i, number] of right.entries()) out[number] = pitch * (i + 0.5);
  }
  return out;
}

/**
 * The cells from which something may come straight down: boxes, and lanes in slots.
 * @param {Folded} folded
 */
function takenBy(folded) {
  const cells = new Set();
  for (let box = 0; box < folded.size; box++) cells.add(folded.row[box] * 1024 + folded.slot[box]);
  for (const { source, last, lane } of folded.nets) {
    if (!lane || lane.track >= 0) continue;
    for (let row = folded.row[source] + 1; row < folded.row[last]; row++) cells.add(row * 1024 + lane.gutter);
  }
  return cells;
}

/**
 * For each box and each net that it reads the offset from its middle. The net from straight above enters
 * there; those from the left beside it, the farthest outside.
 * @param {Folded} folded
 * @param {Float64Array} out
 */
function inPorts(folded, out) {
  const taken = takenBy(folded);
  /** @type {ById<[place: number, net: number][]>} */
  const reads = new Map();
  folded.nets.forEach(({ source, readers, lane }, number) => {
    for (const reader of readers) {
      const near = folded.row[reader] === folded.row[source] + 1;
      const place = near || !lane ? folded.slot[source] + out[number] / 10000 : key(lane);
      append(reads, reader, [place, number]);
    }
  });
  /** @type {ById<ById<number>>} */
  const ports = new Map();
  for (const [box, nets] of reads) {
    const [row, slot] = [folded.row[box], folded.slot[box]];
    nets.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const left = nets.filter((net) => net[0] < slot);
    const right = nets.filter((net) => net[0] > slot);
    let straight = nets.filter((net) => net[0] === slot);
    if (!straight.length && !taken.has((row - 1) * 1024 + slot))
      straight = left.length ? left.splice(-1) : right.splice(0, 1);
    const pitch = pitchOf(folded, box, 2 * Math.max(left.length, right.length) + 1);
    ports.set(
      box,
      new Map([
        ...straight.map(([, number]) => /** @type {const} */ ([number, 0])),
        ...left.reverse().map(([, number], i) => /** @type {const} */ ([number, -pitch * (i + 1)])),
        ...right.map(([, number], i) => /** @type {const} */ ([number, pitch * (i + 1)])),
      ]),
    );
  }
  return ports;
}

/**
 * The points of the edge from a net's box to one of its readers: x, y, x, y …
 * @param {Folded} folded
 * @param {Float64Array} out
 * @param {ById<ById<number>>} into
 * @param {number} number
 * @param {number} reader
 */
function path(folded, out, into, number, reader) {
  const net = folded.nets[number];
  const end = folded.row[reader];
  const port = folded.x[reader] + at(at(into, reader), number);
  let row = folded.row[net.source];
  let x = folded.x[net.source] + out[number];
  const points = [x, folded.y[net.source] + folded.h[net.source]];
  while (row < end) {
    const c = folded.columnOf[row];
    const arrives = row + 1 === end;
    const next = folded.columnOf[row + 1];
    const after = arrives || !net.lane ? port : laneX(net.lane, folded.columns[next]);
    if (next === c) {
      if (after !== x) {
        const y = folded.bottom[row] + SPACE.gap / 2 + SPACE.track * (folded.gaps[row].get(number) || 0);
        points.push(x, y, after, y);
      }
    } else {
      const column = folded.columns[c];
      const turn = at(column.turns, number);
      const foot = column.foot + SPACE.track * (turn + 0.5);
      const passage = column.passage + SPACE.track * turn;
      const head = SPACE.track * (turn + 0.5);
      points.push(x, foot, passage, foot, passage, head, after, head);
    }
    row++;
    if (!arrives) row = Math.min(end - 1, folded.columns[next].last);
    x = after;
  }
  points.push(port, folded.y[reader]);
  return points;
}

/**
 * A polyline for every edge that is not cut. Edges that a collapsed group made equal have one.
 * @param {Folded} folded
 * @param {Engine["edges"]} ends
 * @returns {Routes}
 */
export function routes(folded, ends) {
  const out = outPorts(folded);
  const into = inPorts(folded, out);
  const seen = new Set();
  const start = [0];
  /** @type {number[]} */
  const points = [];
  /** @type {number[]} */
  const edges = [];
  const routeOf = new Int32Array(ends.from.length).fill(-1);
  for (let edge = 0; edge < ends.from.length; edge++) {
    const number = folded.netOf[edge];
    if (number < 0) continue;
    const reader = folded.of[ends.to[edge]];
    const same = number * folded.size + reader;
    if (seen.has(same)) continue;
    seen.add(same);
    routeOf[edge] = edges.push(edge) - 1;
    for (const value of path(folded, out, into, number, reader)) points.push(value);
    start.push(points.length);
  }
  return {
    count: edges.length,
    start: Int32Array.from(start),
    points: Float64Array.from(points),
    edge: Int32Array.from(edges),
    routeOf,
  };
}
