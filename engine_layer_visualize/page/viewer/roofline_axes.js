// @ts-check
// An engine and a size -> its roofline: both logarithmic scales, and where each dot lies.

import * as numbers from "./numbers.js";

/** @import { Dot, Engine, RooflinePlot, Scale } from "./types.d.ts" */

const LEFT = 58; // room for the numbers beside and below
const [TOP, RIGHT, BOTTOM] = [10, 14, 40];
const [LARGEST, SMALLEST] = [18, 2.5]; // radius
const INKED = 0.04; // the part of the plot that dots may take

/**
 * With a margin of a fifth of a decade on both sides, and at least two decades.
 * @param {number[]} values
 * @param {number} start
 * @param {number} end
 * @returns {Scale}
 */
export function scale(values, start, end) {
  const [least, most] = values.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [Infinity, 0]);
  let [low, high] = [Math.log10(least) - 0.2, Math.log10(most) + 0.2];
  const more = Math.max(0, 2 - (high - low)) / 2;
  [low, high] = [low - more, high + more];
  const decades = [];
  for (let power = Math.ceil(low); power <= high; power++) decades.push(10 ** power);
  return {
    low: 10 ** low,
    high: 10 ** high,
    at: (value) => start + ((Math.log10(value) - low) / (high - low)) * (end - start),
    decades,
  };
}

/** The layers that multiply and have a time, of an optimisation profile. @param {Engine} engine @param {number} profile */
const drawn = ({ layers }, profile) =>
  [...layers.macs.keys()].filter(
    (n) => layers.macs.get(n) && layers.traffic.get(n) && layers.ms[n] && layers.profile[n] === profile,
  );

/** Whether there is one: of an engine where no layer has MACs, bytes and a time there is none. @param {Engine} engine */
export const hasRoofline = (engine) => engine.rooflines.some((_, profile) => drawn(engine, profile).length > 0);

/**
 * Of the optimisation profile shown.
 * @param {Engine} engine
 * @param {number} width
 * @param {number} height
 * @returns {RooflinePlot}
 */
export function place(engine, width, height) {
  const { layers, shown } = engine;
  const { roofs, bandwidth, worst } = engine.rooflines[shown];
  const box = {
    left: LEFT,
    top: TOP,
    right: Math.max(LEFT + 1, width - RIGHT),
    bottom: Math.max(TOP + 1, height - BOTTOM),
  };
  const found = drawn(engine, shown).map((node) => {
    const [flop, ms] = [2 * (layers.macs.get(node) ?? 0), layers.ms[node] ?? 0];
    return { node, ms, intensity: flop / (layers.traffic.get(node) ?? 1), rate: (flop / ms) * 1e3 };
  });
  found.sort((a, b) => b.ms - a.ms);
  const across = found.map((dot) => dot.intensity);
  const up = [...found.map((dot) => dot.rate), ...roofs.map(([value]) => value)];
  if (roofs.length) up.push(3 * roofs[0][0]); // room for the words of the highest
  if (bandwidth && roofs.length)
    across.push((roofs[0][0] / bandwidth[0]) * 2.5, (roofs.at(-1)?.[0] ?? 0) / bandwidth[0] / 8);
  const x = scale(across, box.left, box.right);
  const y = scale(up, box.bottom, box.top);
  const slowest = found[0]?.ms ?? 1;
  const area = (Math.PI * found.reduce((sum, dot) => sum + dot.ms, 0)) / slowest;
  const largest = Math.min(LARGEST, Math.sqrt((INKED * (box.right - box.left) * (box.bottom - box.top)) / area));
  /** @type {Dot[]} */
  const dots = found.map((dot) => ({
    ...dot,
    x: x.at(dot.intensity),
    y: y.at(dot.rate),
    r: Math.max(SMALLEST, largest * Math.sqrt(dot.ms / slowest)),
    precision: layers.precision[dot.node],
  }));
  const named = dots
    .filter(({ node }) => worst.includes(node))
    .map((dot) => ({
      dot,
      words: [`#${dot.node} ${engine.headline(dot.node)}`, numbers.about(engine.head, dot.ms)],
    }));
  return { box, x, y, dots, roofs, bandwidth, named };
}
