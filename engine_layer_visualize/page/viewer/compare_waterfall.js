// @ts-check
// A comparison -> what explains its difference: a step for each cause, which begins where the one before it ended.

import { el } from "./dom.js";

/** @import { CompareApp } from "./compare_app.js" */

/** @param {CompareApp} app */
export function waterfall(app) {
  const { engine, colors, cause } = app;
  if (!engine.waterfall.length) return [];
  const ends = [0];
  for (const [, , ms] of engine.waterfall) ends.push(ends[ends.length - 1] + ms);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const tones = colors.tones ?? [];
  /**
   * @param {number} before
   * @param {number} ms
   */
  const bar = (before, ms) => {
    const left = (100 * (Math.min(before, before + ms) - low)) / (high - low || 1);
    const width = Math.max(0.5, (100 * Math.abs(ms)) / (high - low || 1));
    const background = tones[ms < 0 ? 8 : 0][0];
    return el("span", { class: "track" }, el("i", { style: { left: `${left}%`, width: `${width}%`, background } }));
  };
  const steps = engine.waterfall.map(([name, words, ms, signed], at) =>
    el(
      "li",
      {},
      el(
        "button",
        {
          type: "button",
          "data-key": name,
          "aria-pressed": String(cause === name),
          on: { click: () => app.showCause(name) },
        },
        el("b", {}, signed),
        el("span", { class: "words" }, words),
        bar(ends[at], ms),
      ),
    ),
  );
  const whole = ends[ends.length - 1];
  const all = el(
    "li",
    { class: "all" },
    el("b", {}, engine.delta),
    el("span", { class: "words" }, "B − A, all"),
    bar(0, whole),
  );
  return [...steps, all];
}
