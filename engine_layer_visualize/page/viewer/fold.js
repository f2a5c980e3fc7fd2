// @ts-check
// Rows -> columns that fit the window, and a position for every box, lane and gap. It follows
// drawing/folding.py.

import { breaksOf, narrowest, painOf, sum, widthsOf } from "./breaks.js";
import { append, at } from "./maps.js";
import { LEAD, SPACE } from "./spacing.js";

/** @import { ById, Column, Columns, Folded, Lane, Net, Rows, Span } from "./types.d.ts" */

const TRIES = 16; // numbers of columns
const SMALL = 300; // rows up to which the best breaks are looked for
const MOST_TRACKS = 256; // of a gap
const SLACKS = [1.04, 1.12, 1.2]; // how much higher than an even share a column may be

/**
 * The order of lanes and slots from left to right, in any column: slot s is at s.
 * @param {Lane} lane
 */
export const key = (lane) => (lane.track < 0 ? lane.gutter : lane.gutter - 0.5 + 0.4 / (lane.track + 1));

/**
 * For each box the net that leaves it in the middle: one that goes straight down, if any.
 * @param {Rows} rows
 */
export function middleNets(rows) {
  /** @type {ById<number>} */
  const middle = new Map();
  const straight = new Set();
  rows.nets.forEach((net, number) => {
    const [row, slot] = [rows.row[net.source], rows.slot[net.source]];
    const down =
      (net.lane && net.lane.track < 0 && net.lane.gutter === slot) ||
      net.readers.some((reader) => rows.row[reader] === row + 1 && rows.slot[reader] === slot);
    if (!middle.has(net.source) || (down && !straight.has(net.source))) middle.set(net.source, number);
    if (down) straight.add(net.source);
  });
  return middle;
}

/**
 * For each row the nets that run across below it: [from, to, net], in slots.
 * @param {Rows} rows
 */
function crossings(rows) {
  const middle = middleNets(rows);
  /** @type {[number, number, number][][]} */
  const spans = Array.from({ length: rows.count }, () => []);
  rows.nets.forEach((net, number) => {
    const row = rows.row[net.source];
    const lane = net.lane ? [key(net.lane)] : [];
    const across = new Map([[row, [rows.slot[net.source], ...lane]]]);
    for (const reader of net.readers) {
      const gap = rows.row[reader] - 1;
      if (!across.has(gap)) across.set(gap, [...lane]);
      append(across, gap, rows.slot[reader]);
    }
    const beside = middle.get(net.source) !== number; // else it runs straight down
    for (const [gap, ends] of across) {
      const [low, high] = [Math.min(...ends), Math.max(...ends)];
      if (low < high || beside) spans[gap].push([low, high, number]);
    }
  });
  return spans;
}

/**
 * For each gap the nets that run across it, and their tracks from the top. Two nets share a track where
 * they do not meet, or where there are very many; a port stands up to half a slot beside its slot's middle.
 * @param {Rows} rows
 */
function gapsOf(rows) {
  return crossings(rows).map((found) => {
    /** @type {ById<number>} */
    const tracks = new Map();
    /** @type {[number, number][][]} */
    const ends = [];
    for (const [low, high, number] of found.sort((a, b) => a[1] - a[0] - (b[1] - b[0]) || a[2] - b[2])) {
      let track = ends.findIndex((taken) => !taken.some(([a, b]) => low <= b + 0.5 && a <= high + 0.5));
      if (track < 0) track = Math.min(ends.length, MOST_TRACKS - 1);
      if (track === ends.length) ends.push([]);
      ends[track].push([low, high]);
      tracks.set(number, track);
    }
    return tracks;
  });
}

/**
 * What each column must hold: the widths of its slots left and right of their middles, the tracks of its
 * gutters, the nets that go on in the next column.
 * @param {Rows} rows
 * @param {Int32Array} columnOf
 * @param {number} count
 */
function contents(rows, columnOf, count) {
  const columns = Array.from({ length: count }, () => ({
    half: /** @type {ById<[number, number]>} */ (new Map()),
    depth: /** @type {ById<number>} */ (new Map()),
    turns: /** @type {number[]} */ ([]),
  }));
  for (let box = 0; box < rows.size; box++) {
    const { half } = columns[columnOf[rows.row[box]]];
    const [left, right] = half.get(rows.slot[box]) || [0, 0];
    half.set(rows.slot[box], [Math.max(left, rows.w[box] / 2), Math.max(right, rows.w[box] / 2 + rows.flag[box])]);
  }
  rows.nets.forEach(({ source, last, lane }, number) => {
    const end = columnOf[rows.row[last]];
    for (let c = columnOf[rows.row[source]]; c <= end; c++) {
      const { half, depth, turns } = columns[c];
      if (c < end) turns.push(number);
      if (!lane) continue;
      if (lane.track >= 0) depth.set(lane.gutter, Math.max(depth.get(lane.gutter) || 0, lane.track + 1));
      else if (!half.has(lane.gutter)) half.set(lane.gutter, [4, 4]);
    }
  });
  return columns;
}

/**
 * The nets that cross a break after the row `last`, from the right: then they do not cross each other in
 * turning.
 * @param {Rows} rows
 * @param {number[]} turns
 * @param {number} last
 */
function turnsOf(rows, turns, last) {
  /** @param {Net} net */
  const place = ({ source, lane }) => (rows.row[source] === last || !lane ? rows.slot[source] : key(lane));
  const order = [...turns].sort((a, b) => place(rows.nets[b]) - place(rows.nets[a]));
  return new Map(order.map((number, turn) => [number, turn]));
}

/**
 * The x of a column's slots and gutters, from `left`, and the x where it ends.
 * @param {ById<[number, number]>} half
 * @param {ById<number>} depth
 * @param {number} left
 */
function across(half, depth, left) {
  let x = left;
  const slots = new Map();
  const gutters = new Map();
  for (const slot of [...new Set([...half.keys(), ...depth.keys()])].sort((a, b) => a - b)) {
    const lanes = depth.get(slot) || 0;
    x += lanes * SPACE.track + (lanes ? SPACE.slot / 2 : 0);
    gutters.set(slot, x - (lanes ? SPACE.slot / 2 : 0) + SPACE.track / 4);
    const widths = half.get(slot);
    if (widths) {
      slots.set(slot, x + widths[0]);
      x += widths[0] + widths[1];
    }
    x += SPACE.slot;
  }
  return { slots, gutters, right: x - SPACE.slot };
}

/**
 * What all choices of columns share. `tall` is the height of each row's tallest box, `pitch` the room
 * below it, `heights` the sum of both, `lead` the number of groups that begin with a row.
 * @param {Rows} rows
 * @param {Span[]} spans
 */
function measured(rows, spans) {
  const gaps = gapsOf(rows);
  const lead = new Uint8Array(rows.count + 1);
  for (const { first } of spans) lead[first]++;
  const tall = new Float64Array(rows.count);
  for (let box = 0; box < rows.size; box++) tall[rows.row[box]] = Math.max(tall[rows.row[box]], rows.h[box]);
  const pitch = gaps.map(
    (gap, row) => SPACE.gap + SPACE.track * (Math.max(-1, ...gap.values()) + 1) + LEAD * lead[row + 1],
  );
  return { gaps, tall, pitch, heights: pitch.map((by, row) => by + tall[row]), lead };
}

/**
 * Positions, where each column ends with a row of `breaks`.
 * @param {Rows} rows
 * @param {number[]} breaks
 * @param {ReturnType<typeof measured>} sizes
 * @returns {Columns}
 */
function columnsOf(rows, breaks, { gaps, tall, pitch, lead }) {
  const columnOf = new Int32Array(rows.count);
  breaks.forEach((last, c) => {
    columnOf.fill(c, c ? breaks[c - 1] + 1 : 0, last + 1);
  });
  const inside = contents(rows, columnOf, breaks.length);
  const most = inside.reduce((count, { turns }) => Math.max(count, turns.length), 0);
  const head = SPACE.track * most + (most ? SPACE.gap : 0) + LEAD * lead.reduce((a, b) => Math.max(a, b), 0);
  const top = new Float64Array(rows.count);
  const bottom = new Float64Array(rows.count);
  let [x, height] = [0, 0];
  const columns = inside.map(({ half, depth, turns }, c) => {
    const [first, last, left] = [c ? breaks[c - 1] + 1 : 0, breaks[c], x];
    const { slots, gutters, right } = across(half, depth, left);
    let y = head;
    for (let row = first; row <= last; row++) {
      [top[row], bottom[row]] = [y, y + tall[row]];
      y += tall[row] + pitch[row];
    }
    const foot = bottom[last] + SPACE.gap / 2;
    height = Math.max(height, foot + SPACE.track * turns.length);
    const passage = right + SPACE.slot;
    x = passage + SPACE.slot + SPACE.track * Math.max(0, turns.length - 1) + 8;
    return { first, last, left, right, slots, gutters, turns: turnsOf(rows, turns, last), passage, foot };
  });
  return { columns, columnOf, gaps, top, bottom, width: Math.max(0, ...columns.map((column) => column.right)), height };
}

/**
 * The columns that shrink the least to fit a window of this aspect.
 * @param {Rows} rows
 * @param {number} aspect
 * @param {Span[]} spans
 * @param {ReturnType<typeof measured>} sizes
 */
function fitted(rows, aspect, spans, sizes) {
  const { heights } = sizes;
  const pain = painOf(rows, spans);
  const wide = widthsOf(rows);
  const whole = sum(heights);
  const highest = heights.reduce((a, b) => Math.max(a, b), 0);
  const widest = wide.reduce((most, slots) => Math.max(most, sum([...slots.values()])), 1);
  const guess = Math.sqrt(Math.max(1, (aspect * whole) / widest));
  const [low, high] = [Math.max(1, Math.floor(guess * 0.6)), Math.min(rows.count, Math.floor(guess * 2) + 2)];
  /** @type {Columns | null} */
  let best = null;
  let cost = Infinity;
  /** @param {number[]} breaks */
  const rate = (breaks) => {
    const found = columnsOf(rows, breaks, sizes);
    const here = Math.max(found.width / aspect, found.height); // how far it must shrink to fit
    if (here < cost) [best, cost] = [found, here];
  };
  for (let count = low; count <= high; count += 1 + Math.floor((high - low) / TRIES)) {
    const share = Math.max(whole / count, highest);
    if (rows.count > SMALL) rate(breaksOf(heights, pain, share));
    else for (const slack of SLACKS) rate(narrowest(heights, pain, wide, share * slack));
  }
  return best;
}

/**
 * Cuts the rows into columns so that width : height comes near to `aspect`; null: one column. `spans` are
 * the rows of groups: a break inside one is worse than a break between two.
 * @param {Rows} rows
 * @param {number | null} aspect
 * @param {Span[]} spans
 */
export function fold(rows, aspect, spans) {
  const sizes = measured(rows, spans);
  const best = aspect && rows.count ? fitted(rows, aspect, spans, sizes) : null;
  return positioned(rows, best ?? columnsOf(rows, rows.count ? [rows.count - 1] : [], sizes));
}

/**
 * The same with given columns, which end with the rows `breaks`.
 * @param {Rows} rows
 * @param {number[]} breaks
 */
export const foldAt = (rows, breaks) => positioned(rows, columnsOf(rows, breaks, measured(rows, [])));

/**
 * @param {Rows} rows
 * @param {Columns} found
 * @returns {Folded}
 */
function positioned(rows, found) {
  const { columns, columnOf, top } = found;
  const x = Float64Array.from(rows.slot, (slot, box) => at(columns[columnOf[rows.row[box]]].slots, slot));
  return { ...rows, ...found, x, y: Float64Array.from(rows.row, (row) => top[row]) };
}

/**
 * The x of a lane in a column.
 * @param {Lane} lane
 * @param {Column} column
 */
export function laneX(lane, column) {
  if (lane.track < 0) return at(column.slots, lane.gutter);
  return at(column.gutters, lane.gutter) - SPACE.track * (lane.track + 0.5);
}
