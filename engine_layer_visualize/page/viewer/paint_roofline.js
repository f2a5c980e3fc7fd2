// @ts-check
// A roofline and a palette -> pixels: the grid, the roofs, dots, and words where they touch nothing.

import { FADED } from "./fills.js";
import * as numbers from "./numbers.js";
import * as text from "./text.js";

/** @import { Context, Dot, Palette, RooflinePlot } from "./types.d.ts" */

const SEEN_THROUGH = 0.6;
const LINE = 14; // height of a line of words

/** @typedef {[left: number, top: number, right: number, bottom: number]} Box */
/** @typedef {[x: number, y: number]} Place of the beginning of words */

/**
 * @param {Context} on
 * @param {RooflinePlot} plot
 * @param {Palette} colors
 * @param {(dot: Dot) => boolean} marked
 * @param {(dot: Dot) => boolean} faded a search did not find it
 */
export function draw(on, plot, colors, marked, faded) {
  grid(on, plot, colors);
  roofs(on, plot, colors);
  for (const dot of [...plot.dots].sort((a, b) => Number(faded(b)) - Number(faded(a)))) {
    on.globalAlpha = faded(dot) ? FADED : 1;
    circle(on, dot, colors);
  }
  on.globalAlpha = 1;
  for (const dot of plot.dots) if (marked(dot)) ring(on, dot, colors);
  labels(on, plot, colors);
}

/** @param {number} value */
const tick = (value) =>
  value < 1000 ? String(Number(value.toPrecision(3))) : numbers.large(value).replace(/\.0+/, "");

/** @param {Context} on @param {Place} from @param {Place} to */
function line(on, from, to) {
  on.beginPath();
  on.moveTo(...from);
  on.lineTo(...to);
  on.stroke();
}

/** @param {Context} on @param {RooflinePlot} plot @param {Palette} colors */
function grid(on, plot, colors) {
  const { box, x, y } = plot;
  on.fillStyle = colors.group;
  on.fillRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
  on.strokeStyle = colors.mix(colors.group, colors.muted, 0.25);
  on.fillStyle = colors.muted;
  on.font = text.FONTS.plain;
  on.lineWidth = 0.8;
  on.textAlign = "center";
  for (const value of x.decades) {
    line(on, [x.at(value), box.top], [x.at(value), box.bottom]);
    on.fillText(tick(value), x.at(value), box.bottom + 15);
  }
  on.textAlign = "right";
  for (const value of y.decades) {
    line(on, [box.left, y.at(value)], [box.right, y.at(value)]);
    on.fillText(tick(value), box.left - 5, y.at(value) + 4);
  }
  on.fillStyle = colors.ink;
  on.textAlign = "center";
  on.fillText("FLOP per byte", (box.left + box.right) / 2, box.bottom + 32);
  on.save();
  on.translate(12, (box.top + box.bottom) / 2);
  on.rotate(-Math.PI / 2);
  on.fillText("FLOP per second", 0, 0);
  on.restore();
}

/**
 * The bandwidth up to the highest peak, and each peak from where it begins.
 * @param {Context} on @param {RooflinePlot} plot @param {Palette} colors
 */
function roofs(on, plot, colors) {
  const { box, y, bandwidth } = plot;
  on.lineWidth = 1.8;
  for (const [value, , precision] of plot.roofs) {
    on.strokeStyle = colors.precisions[precision][1];
    line(on, [start(plot, value), y.at(value)], [box.right, y.at(value)]);
  }
  const points = slope(plot);
  if (!bandwidth || !points.length) return;
  on.strokeStyle = colors.ink;
  line(on, points[0], points[points.length - 1]);
}

/** Where a roof begins. @param {RooflinePlot} plot @param {number} value */
const start = ({ x, bandwidth }, value) => x.at(Math.max(x.low, bandwidth ? value / bandwidth[0] : x.low));

/** Points of the bandwidth's line, where that is in the plot. @param {RooflinePlot} plot @returns {Place[]} */
function slope({ x, y, roofs, bandwidth }) {
  const [rate] = bandwidth ?? [0];
  const [first, last] = [Math.max(x.low, y.low / rate), Math.min(x.high, (roofs[0]?.[0] ?? y.high) / rate)];
  return Array.from({ length: first < last ? 201 : 0 }, (_, step) => {
    const at = first * (last / first) ** (step / 200);
    return [x.at(at), y.at(at * rate)];
  });
}

/**
 * Words in the plot, each at the first of its places where they touch neither dots nor lines nor words, else no words.
 * @param {Context} on @param {RooflinePlot} plot @param {Palette} colors
 */
function labels(on, plot, colors) {
  const { box, y, dots, roofs, bandwidth, named } = plot;
  /** @type {Box[]} */
  const kept = dots.map(({ x, y, r }) => [x - r, y - r, x + r, y + r]);
  /** @type {Box[]} */
  const taken = [];
  const clear = (/** @type {Place} */ [x, y]) => kept.push([x - 1, y - 1, x + 1, y + 1]);
  const wide = (/** @type {string[]} */ [name, told = ""]) =>
    Math.max(text.width(name, text.FONTS.strong), text.width(told, text.FONTS.plain)) + 8;
  /** Writes a bold line, and a plain one, on a ground of their own. @type {(places: Place[], words: string[], dot?: Dot) => void} */
  const put = (places, words, dot) => {
    /** @type {(place: Place) => Box} */
    const around = ([x, y]) => [x - 4, y - 10.5, x - 4 + wide(words), y - 10.5 + LINE * words.length];
    const inside = (/** @type {Box} */ own) =>
      own[0] >= box.left && own[1] >= box.top && own[2] <= box.right && own[3] <= box.bottom;
    /** @type {(own: Box, others: Box[]) => boolean} */
    const free = (own, others) =>
      inside(own) && !others.some((a) => a[0] < own[2] && own[0] < a[2] && a[1] < own[3] && own[1] < a[3]);
    const place =
      places.find((one) => free(around(one), [...kept, ...taken])) ??
      places.find((one) => free(around(one), taken)) ??
      places[0];
    const [left, top, right, foot] = around(place);
    taken.push([left, top, right, foot]);
    if (dot) lead(dot, [Math.min(Math.max(dot.x, left), right), Math.min(Math.max(dot.y, top), foot)]);
    on.fillStyle = colors.group;
    on.fillRect(left, top, right - left, foot - top);
    on.textAlign = "left";
    words.forEach((line, at) => {
      on.font = at ? text.FONTS.plain : text.FONTS.strong;
      on.fillStyle = at ? colors.muted : colors.ink;
      on.fillText(line, place[0], place[1] + LINE * at);
    });
  };
  /** A line from a dot to words that stand farther away. @type {(dot: Dot, end: Place) => void} */
  const lead = ({ x, y, r }, end) => {
    if (Math.hypot(end[0] - x, end[1] - y) <= r + 8) return;
    on.strokeStyle = colors.ink;
    on.lineWidth = 1.2;
    line(on, [x, y], end);
    for (let part = 0; part < 1; part += 0.1) clear([x + (end[0] - x) * part, y + (end[1] - y) * part]);
  };

  for (const [value] of roofs) for (let at = start(plot, value); at < box.right; at += 8) clear([at, y.at(value)]);
  const points = slope(plot);
  points.forEach(clear);
  for (const { dot, words } of named) {
    const [{ x, y, r }, room] = [dot, wide(words)];
    /** @type {Place[]} */
    const places = [
      [x + r + 8, y - 3.5],
      [x - r - room, y - 3.5],
    ];
    for (let far = 4; far < 160; far += 12)
      for (const rise of [-r - far - 17.5, r + far + 10.5])
        for (const part of [0.5, 0, 1, -0.3, 1.3]) places.push([x + 4 - room * part, y + rise]);
    put(places, words, dot);
  }
  for (const [value, told] of roofs) {
    /** @type {Place[]} */
    const places = [];
    for (const by of [-5, LINE])
      for (let at = box.right - wide([told]); at > start(plot, value) || !places.length; at -= 40)
        places.push([at, y.at(value) + by]);
    put(places, [told]);
  }
  if (bandwidth && points.length)
    put(
      [70, 100, 40, 130, 160]
        .map((step) => points[step])
        .map(([x, y]) => [Math.max(box.left + 6, x - wide([bandwidth[1]]) - 4), y - 4]),
      [bandwidth[1]],
    );
}

/** @param {Context} on @param {Dot} dot @param {Palette} colors */
function circle(on, { x, y, r, precision }, colors) {
  const color = colors.precisions[precision][1];
  on.beginPath();
  on.arc(x, y, r, 0, 2 * Math.PI);
  const alpha = on.globalAlpha;
  on.fillStyle = color;
  on.globalAlpha = alpha * SEEN_THROUGH; // many lie upon each other
  on.fill();
  on.globalAlpha = alpha;
  on.strokeStyle = color;
  on.lineWidth = 1.2;
  on.stroke();
}

/**
 * Around the selected layer's dot, and around the one at the pointer.
 * @param {Context} on
 * @param {Dot} dot
 * @param {Palette} colors
 */
function ring(on, { x, y, r }, colors) {
  for (const [color, wide] of /** @type {[string, number][]} */ ([
    [colors.paper, 6],
    [colors.ink, 2.5],
  ])) {
    on.beginPath();
    on.arc(x, y, r + 4, 0, 2 * Math.PI);
    on.strokeStyle = color;
    on.lineWidth = wide;
    on.stroke();
  }
}
