// @ts-check
// A roofline and a palette -> pixels: the grid, the roofs with their words, dots, numbers of the worst.

import { FADED } from "./fills.js";
import * as numbers from "./numbers.js";
import * as text from "./text.js";

/** @import { Context, Dot, Palette, Plot } from "./types.d.ts" */

const BADGE = 8;
const SEEN_THROUGH = 0.6;
const LINE = 14; // between the words of two roofs

/**
 * @param {Context} on
 * @param {Plot} plot
 * @param {Palette} colors
 * @param {(dot: Dot) => boolean} marked
 * @param {(dot: Dot) => boolean} faded a search did not find it
 */
export function draw(on, plot, colors, marked, faded) {
  grid(on, plot, colors);
  bounds(on, plot, colors);
  roofs(on, plot, colors);
  for (const dot of [...plot.dots].sort((a, b) => Number(faded(b)) - Number(faded(a)))) {
    on.globalAlpha = faded(dot) ? FADED : 1;
    circle(on, dot, colors);
  }
  on.globalAlpha = 1;
  for (const dot of plot.dots) if (marked(dot)) ring(on, dot, colors);
  badges(on, plot, colors);
}

/** @param {number} value */
const tick = (value) =>
  value < 1000 ? String(Number(value.toPrecision(3))) : numbers.large(value).replace(/\.0+/, "");

/**
 * @param {Context} on
 * @param {[number, number]} from
 * @param {[number, number]} to
 */
function line(on, from, to) {
  on.beginPath();
  on.moveTo(...from);
  on.lineTo(...to);
  on.stroke();
}

/**
 * @param {Context} on
 * @param {Plot} plot
 * @param {Palette} colors
 */
function grid(on, plot, colors) {
  const { box, x, y } = plot;
  on.fillStyle = colors.group;
  on.fillRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
  on.fillStyle = colors.block;
  on.fillRect(box.left, box.top, ridge(plot) - box.left, box.bottom - box.top);
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

/** Where the highest roof begins: at its left bytes bound a layer, at its right FLOP. @param {Plot} plot */
function ridge({ box, x, roofs, bandwidth }) {
  const [[peak] = [0]] = roofs;
  return bandwidth && peak ? Math.min(box.right, Math.max(box.left, x.at(peak / bandwidth[0]))) : box.left;
}

/**
 * What bounds a layer, in words; and a tenth and a hundredth of the highest roof. Both need a roof and a bandwidth.
 * @param {Context} on
 * @param {Plot} plot
 * @param {Palette} colors
 */
function bounds(on, plot, colors) {
  const { box, x, y, roofs, bandwidth } = plot;
  const [[peak] = [0]] = roofs;
  if (!bandwidth || !peak) return;
  const [rate] = bandwidth;
  const middle = ridge(plot);
  on.save();
  on.beginPath();
  on.rect(box.left, box.top, box.right - box.left, box.bottom - box.top);
  on.clip();
  on.font = text.FONTS.plain;
  on.textAlign = "right";
  on.setLineDash([2, 4]);
  on.lineWidth = 1;
  for (const part of [0.1, 0.01]) {
    on.strokeStyle = on.fillStyle = colors.muted;
    line(on, [x.at(x.low), y.at(x.low * rate * part)], [x.at(peak / rate), y.at(peak * part)]);
    line(on, [x.at(peak / rate), y.at(peak * part)], [box.right, y.at(peak * part)]);
    if (middle < box.right - 60) on.fillText(numbers.percent(part), box.right - 6, y.at(peak * part) - 4);
  }
  on.restore();
  on.fillStyle = colors.muted;
  /** @type {[words: string, from: number, to: number][]} */
  const sides = [
    ["bound by memory", box.left, middle],
    ["bound by computing", middle, box.right],
  ];
  on.textAlign = "center";
  on.font = text.FONTS.plain;
  for (const [words, from, to] of sides)
    if (to - from > text.width(words, text.FONTS.plain) + 16) on.fillText(words, (from + to) / 2, box.bottom - 6);
}

/**
 * The bandwidth up to the highest peak, and each peak from where it begins.
 * @param {Context} on
 * @param {Plot} plot
 * @param {Palette} colors
 */
function roofs(on, { box, x, y, roofs, bandwidth }, colors) {
  on.lineWidth = 1.8;
  for (const [value, , precision] of roofs) {
    const start = bandwidth ? Math.max(x.low, value / bandwidth[0]) : x.low;
    on.strokeStyle = colors.precisions[precision][1];
    line(on, [x.at(start), y.at(value)], [box.right, y.at(value)]);
  }
  if (bandwidth) {
    const [rate, words] = bandwidth;
    const first = Math.max(x.low, y.low / rate);
    const last = Math.min(x.high, (roofs[0]?.[0] ?? y.high) / rate);
    if (first < last) {
      on.strokeStyle = colors.ink;
      line(on, [x.at(first), y.at(first * rate)], [x.at(last), y.at(last * rate)]);
      const middle = first * (last / first) ** 0.35;
      const left = x.at(middle) - text.width(words, text.FONTS.strong) - 12;
      plate(on, Math.max(box.left + 6, left), y.at(middle * rate) - 4, words, colors);
    }
  }
  let above = -Infinity;
  for (const [value, words] of roofs) {
    let at = Math.max(box.top + 12, y.at(value) - 5);
    if (at - above < LINE) at = above + LINE + 10; // below its line, which lies close to the one before
    above = at;
    plate(on, box.right - 8 - text.width(words, text.FONTS.strong), at, words, colors);
  }
}

/**
 * Words on a ground of their own.
 * @param {Context} on
 * @param {number} x
 * @param {number} y
 * @param {string} words
 * @param {Palette} colors
 */
function plate(on, x, y, words, colors) {
  on.fillStyle = colors.group;
  on.fillRect(x - 4, y - 10.5, text.width(words, text.FONTS.strong) + 8, 14);
  on.fillStyle = colors.ink;
  on.font = text.FONTS.strong;
  on.textAlign = "left";
  on.fillText(words, x, y);
}

/**
 * @param {Context} on
 * @param {Dot} dot
 * @param {Palette} colors
 */
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

/**
 * The numbers of the worst: beside their dots, and beside each other where these are at one place.
 * @param {Context} on
 * @param {Plot} plot
 * @param {Palette} colors
 */
function badges(on, { box, dots, worst }, colors) {
  const color = colors.heat(1);
  /** @type {[number, number][]} */
  const placed = [];
  worst.forEach(([node], number) => {
    const dot = dots.find((each) => each.node === node);
    if (!dot) return;
    const beside = dot.r + BADGE + 2;
    let [x, y] = [dot.x + (dot.x + beside + BADGE > box.right ? -beside : beside), dot.y];
    while (placed.some(([a, b]) => Math.hypot(a - x, b - y) < 2 * BADGE + 2)) x += 2 * BADGE + 2;
    placed.push([x, y]);
    on.beginPath();
    on.arc(x, y, BADGE, 0, 2 * Math.PI);
    on.fillStyle = color;
    on.fill();
    on.strokeStyle = colors.paper;
    on.lineWidth = 2;
    on.stroke();
    on.fillStyle = colors.on(color);
    on.font = text.FONTS.strong;
    on.textAlign = "center";
    on.fillText(String(number + 1), x, y + 4);
  });
}
