// @ts-check
// A comparison -> how the time of A becomes that of B: a bar for each, and between them a step for each cause, which
// goes through the differences of its groups.

import { el } from "./dom.js";
import { count, milliseconds, signed } from "./numbers.js";

/** @import { CompareApp } from "./compare_app.js" */
/** @import { Compared } from "./types.d.ts" */

const PIECES = 24; // of a step; the smallest are one
const FULL = 96; // percent of a bar's room: a thin one needs a pixel above

/** @typedef {{ words: string; ms: number }} Piece */

/** @type {WeakMap<Compared, Map<string, Piece[]>>} */
const known = new WeakMap();

/**
 * The differences that a cause is the sum of, the largest first.
 * @param {CompareApp} app
 */
function pieces(app) {
  const { engine } = app;
  const found = known.get(engine);
  if (found) return found;
  /** @type {Map<string, Map<string, Piece>>} */
  const sums = new Map();
  engine.sides.forEach((own, side) => {
    own.ms.forEach((ms, layer) => {
      if (ms === null) return;
      const node = engine.node(side, layer);
      const cause = app.causeOf(node);
      const group = own.group[layer];
      const of = sums.get(cause) ?? new Map();
      const key = group < 0 ? `${side} ${layer}` : `${group}`;
      const piece = of.get(key) ?? { words: engine.label(node), ms: 0 };
      piece.ms += side ? ms : -ms;
      sums.set(cause, of.set(key, piece));
    });
  });
  const sorted = new Map(
    [...sums].map(([cause, of]) => [cause, [...of.values()].sort((a, b) => Math.abs(b.ms) - Math.abs(a.ms))]),
  );
  known.set(engine, sorted);
  return sorted;
}

/**
 * No more than `PIECES`, which sum to the step; else the step alone.
 * @param {Piece[]} all
 * @param {number} ms
 * @param {string} words
 */
function gathered(all, ms, words) {
  const total = all.reduce((sum, piece) => sum + piece.ms, 0);
  if (!all.length || Math.abs(total - ms) > 1e-6 * Math.abs(ms) + 1e-9) return [{ words, ms }];
  const rest = all.slice(PIECES - 1);
  if (rest.length < 2) return all;
  const sum = rest.reduce((part, piece) => part + piece.ms, 0);
  return [...all.slice(0, PIECES - 1), { words: count(rest.length, "other"), ms: sum }];
}

/** @param {CompareApp} app */
export function waterfall(app) {
  const { engine, colors, cause } = app;
  const estimated = engine.estimated ? ", estimated" : "";
  const [a, b] = engine.sides.map((side) => side.total);
  if (!engine.waterfall.length || a === null || b === null) return [];
  const steps = engine.waterfall.map(([name, words, ms, sign]) => ({
    name,
    words,
    sign,
    ms,
    pieces: gathered(pieces(app).get(name) ?? [], ms, words),
  }));
  let level = a;
  const levels = [a, ...steps.flatMap((step) => step.pieces).map(({ ms }) => (level += ms)), b];
  const high = Math.max(...levels) || 1;
  /** @param {number} ms */
  const up = (ms) => (FULL * ms) / high;
  /**
   * @param {number} one
   * @param {number} other
   * @param {number} left
   * @param {number} width
   * @param {string | null} background
   * @param {string} title
   */
  const bar = (one, other, left, width, background, title) =>
    el("i", {
      title,
      style: {
        left: `${left}%`,
        width: `${width}%`,
        bottom: `${Math.min(up(one), up(other))}%`,
        height: `${Math.abs(up(one) - up(other))}%`,
        ...(background === null ? {} : { background }),
      },
    });
  const tones = colors.tones ?? [];
  level = a;
  const list = steps.map(({ name, words, sign, ms, pieces: own }) => {
    const bars = own.map((piece, at) => {
      const before = level;
      level += piece.ms;
      const tone = tones[piece.ms < 0 ? 8 : 0][0];
      const part = 100 / own.length;
      return bar(before, level, at * part, part, tone, `${signed(piece.ms)}  ${piece.words}`);
    });
    return el(
      "li",
      {},
      el(
        "button",
        {
          type: "button",
          "data-key": name,
          "aria-pressed": String(cause === name),
          title: `${words}: ${sign}`,
          on: { click: () => app.showCause(name) },
        },
        el("b", {}, sign),
        el("span", { class: "words" }, words),
        el("span", { class: "plot", "data-ms": String(ms) }, bars),
      ),
    );
  });
  /**
   * @param {number} ms
   * @param {string} words
   */
  const whole = (ms, words) =>
    el(
      "li",
      { class: "all" },
      el("b", {}, milliseconds(ms)),
      el("span", { class: "words" }, words),
      el("span", { class: "plot" }, bar(0, ms, 0, 100, null, words)),
    );
  return [whole(a, `A${estimated}`), ...list, whole(b, `B${estimated}, ${engine.delta}`)];
}
