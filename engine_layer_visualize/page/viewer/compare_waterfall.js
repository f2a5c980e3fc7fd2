// @ts-check
// A comparison -> how the time of A becomes that of B: a bar for each, and between them a step for each cause, which
// goes through the differences of its groups.

import { shares } from "./compare_data.js";
import { el } from "./dom.js";
import { count, milliseconds, signed } from "./numbers.js";
import { FONTS, lead } from "./text.js";

/** @import { CompareApp } from "./compare_app.js" */
/** @import { Compared, Pen } from "./types.d.ts" */

const PIECES = 24; // of a step; the smallest are one
const FULL = 96; // percent of a bar's room: a thin one needs a pixel above
const PLOT = 56; // pixels of a bar's room in a picture
const GAP = 16; // between the steps there

/** Where a bar lies in its plot, in percent. @typedef {{ left: number; width: number; bottom: number; height: number; color: string; title: string }} Bar */
/** @typedef {{ name: string | null; sign: string; words: string; bars: Bar[] }} Step */

/**
 * The differences that a step is the sum of, the largest first; of more than `PIECES` the others together.
 * @param {Compared} compared
 * @param {string} cause
 */
function pieces(compared, cause) {
  const all = [...shares(compared, cause).values()]
    .map(({ node, a, b }) => ({ words: compared.label(node), ms: b - a }))
    .sort((a, b) => Math.abs(b.ms) - Math.abs(a.ms));
  const rest = all.slice(PIECES - 1);
  if (rest.length < 2) return all;
  const ms = rest.reduce((sum, piece) => sum + piece.ms, 0);
  return [...all.slice(0, PIECES - 1), { words: count(rest.length, "other"), ms }];
}

/** Empty where no times are compared. @param {CompareApp} app @returns {Step[]} */
function steps({ engine, colors }) {
  const [a, b] = engine.sides.map((side) => side.total);
  if (!engine.waterfall.length || a === null || b === null) return [];
  const all = engine.waterfall.map(([name]) => pieces(engine, name));
  let level = a;
  const high = Math.max(a, b, ...all.flat().map(({ ms }) => (level += ms))) || 1;
  /** @param {number} one @param {number} other @returns {Pick<Bar, "bottom" | "height">} */
  const between = (one, other) => ({
    bottom: (FULL * Math.min(one, other)) / high,
    height: (FULL * Math.abs(one - other)) / high,
  });
  const estimated = engine.estimated ? ", estimated" : "";
  /** @param {number} ms @param {string} words @returns {Step} */
  const whole = (ms, words) => {
    const bar = { left: 0, width: 100, ...between(0, ms), color: colors.muted, title: words };
    return { name: null, sign: milliseconds(ms), words, bars: [bar] };
  };
  level = a;
  return [
    whole(a, `A${estimated}`),
    ...engine.waterfall.map(([name, words, , sign], step) => {
      const width = 100 / all[step].length;
      const bars = all[step].map((piece, at) => {
        const color = colors.tones[piece.ms < 0 ? 2 * engine.same : 0][0];
        const title = `${signed(piece.ms)}  ${piece.words}`;
        level += piece.ms;
        return { left: at * width, width, ...between(level - piece.ms, level), color, title };
      });
      return { name, sign, words, bars };
    }),
    whole(b, `B${estimated}, ${engine.delta}`),
  ];
}

/** @param {CompareApp} app */
export const waterfall = (app) =>
  steps(app).map(({ name, sign, words, bars }) => {
    const content = [
      el("b", {}, sign),
      el("span", { class: "words" }, words),
      el(
        "span",
        { class: "plot" },
        bars.map(({ left, width, bottom, height, color, title }) =>
          el("i", {
            title,
            style: {
              left: `${left}%`,
              width: `${width}%`,
              bottom: `${bottom}%`,
              height: `${height}%`,
              background: color,
            },
          }),
        ),
      ),
    ];
    if (name === null) return el("li", { class: "all" }, content);
    const title = `${words}: ${sign}; a click shows them`;
    const on = { click: () => app.showCause(name) };
    const pressed = String(app.cause === name);
    return el(
      "li",
      {},
      el("button", { type: "button", "data-key": name, "aria-pressed": pressed, title, on }, content),
    );
  });

/** How much room it takes in a picture. @param {CompareApp} app */
export const tall = (app) => (steps(app).length ? PLOT + 2 * GAP + 34 : 0);

/**
 * The same in a picture.
 * @param {CompareApp} app
 * @param {Pen} context
 * @param {number} x
 * @param {number} y
 * @param {number} width
 */
export function paint(app, context, x, y, width) {
  const list = steps(app);
  const wide = (width + GAP) / list.length - GAP;
  list.forEach(({ sign, words, bars }, at) => {
    const left = x + at * (wide + GAP);
    const foot = y + 34 + PLOT;
    context.textAlign = "left";
    context.fillStyle = app.colors.ink;
    context.font = FONTS.bold;
    context.fillText(sign, left, y + 10);
    context.fillStyle = app.colors.muted;
    context.font = FONTS.plain;
    context.fillText(lead(words, context.font, wide), left, y + 26);
    context.fillStyle = app.colors.mix(app.colors.muted, app.colors.paper, 0.7);
    context.fillRect(left, foot, wide, 1);
    for (const bar of bars) {
      const height = Math.max(1.5, (bar.height * PLOT) / 100);
      context.fillStyle = bar.color;
      context.fillRect(
        left + (bar.left * wide) / 100,
        foot - (bar.bottom * PLOT) / 100 - height,
        (bar.width * wide) / 100,
        height,
      );
    }
  });
}
