// @ts-check
// An engine and a width -> the bars of its layers in order of execution. Where there are more layers than pixels, a
// bar stands for several neighbours, and is as high as the slowest of them.

import { shown } from "./time_tree.js";

/** @import { Bin, Engine } from "./types.d.ts" */

/**
 * Of the optimisation profile shown. `ms` and `share` are sums up to here.
 * @param {Engine} engine
 * @param {number} width
 * @returns {Bin[]}
 */
export function bins(engine, width) {
  const layers = shown(engine);
  const count = Math.max(1, Math.min(layers.length, Math.floor(width)));
  let [ms, share] = [0, 0];
  return Array.from({ length: layers.length ? count : 0 }, (_, at) => {
    const own = layers.slice(Math.floor((at * layers.length) / count), Math.floor(((at + 1) * layers.length) / count));
    const timed = own.filter((n) => engine.layers.ms[n] !== null);
    for (const n of timed) [ms, share] = [ms + (engine.layers.ms[n] ?? 0), share + (engine.layers.share[n] ?? 0)];
    const slowest = timed.reduce((a, b) => ((engine.layers.ms[b] ?? 0) > (engine.layers.ms[a] ?? 0) ? b : a), timed[0]);
    return { layers: own, slowest: slowest ?? -1, untimed: own.length - timed.length, ms, share };
  });
}
