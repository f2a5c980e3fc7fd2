// @ts-check
// A comparison -> how the time of A becomes that of B: a bar for each, and between them a step for each cause.

import { shares } from "./compare_data.js";
import * as dom from "./dom.js";
import { el } from "./dom.js";
import { milliseconds } from "./numbers.js";

/** @import { CompareApp } from "./compare_app.js" */

const FULL = 96; // percent of a bar's room: a thin one needs a pixel above

/** A bar for each total, and between them a step for each cause; none where no times are compared. @param {CompareApp} app */
export function waterfall(app) {
  const { engine, colors } = app;
  const [a, b] = engine.sides.map((side) => side.total);
  if (!engine.waterfall.length || a === null || b === null) return [];
  let level = a;
  const high = Math.max(a, b, ...engine.waterfall.map(([, , ms]) => (level += ms))) || 1;
  level = a;
  /** @param {number} from @param {number} to @param {string} background @param {string} sign @param {string} words */
  const content = (from, to, background, sign, words) => {
    const [bottom, height] = [Math.min(from, to), Math.abs(from - to)].map((ms) => `${(FULL * ms) / high}%`);
    return [
      el("b", {}, sign),
      el("span", { class: "words" }, words),
      el("span", { class: "plot" }, el("i", { style: { bottom, height, background } })),
    ];
  };
  /** @param {number} ms @param {string} words */
  const whole = (ms, words) => el("li", { class: "all" }, content(0, ms, colors.muted, milliseconds(ms), words));
  const estimated = engine.estimated ? ", estimated" : "";
  return [
    whole(a, `A${estimated}`),
    ...engine.waterfall.map(([name, words, ms, sign]) => {
      const before = level;
      level += ms;
      const step = content(before, level, colors.tones[ms < 0 ? 2 * engine.same : 0][0], sign, words);
      if (!shares(engine, name).size) return el("li", {}, step); // of all layers
      const title = `${words}: ${sign}; a click shows them`;
      const pressed = String(app.cause === name);
      const on = { click: () => app.showCause(name) };
      return el("li", {}, dom.button({ "data-key": name, "aria-pressed": pressed, title, on }, step));
    }),
    whole(b, `${engine.called}${estimated}, ${engine.delta}`),
  ];
}
