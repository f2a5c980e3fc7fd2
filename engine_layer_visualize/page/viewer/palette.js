// @ts-check
// A theme of the data -> the colours of fills, texts and edges. No colour stands in the scripts.

/** @import { Color, Look, Palette } from "./types.d.ts" */

/** @param {Color} color */
const channels = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
/** @param {number[]} parts */
const hex = (parts) => `#${parts.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;

/** @type {Map<string, Color>} */
const mixed = new Map(); // few: many boxes ask for the same

/**
 * @param {Color} a
 * @param {Color} b
 * @param {number} share
 */
function mix(a, b, share) {
  const key = `${a}${b}${share}`;
  const known = mixed.get(key);
  if (known !== undefined) return known;
  const [x, y] = [channels(a), channels(b)];
  const found = hex(x.map((part, at) => part + (y[at] - part) * share));
  mixed.set(key, found);
  return found;
}

/**
 * @param {Look} look
 * @param {boolean} dark
 * @returns {Palette}
 */
export function of(look, dark) {
  const theme = dark ? look.dark : look.light;
  /**
   * For a part, from 0 to 1, of what bears the hottest colour.
   * @param {number} part
   */
  const heat = (part) => theme.heat[Math.round(Math.min(1, Math.max(0, part || 0)) * (theme.heat.length - 1))];
  /**
   * The colour of text on a fill.
   * @param {Color} fill
   */
  const on = (fill) => theme.inks[fill] ?? theme.css.ink;
  const named =
    /** @type {Pick<Palette, "paper" | "ink" | "muted" | "group" | "block" | "accent" | "hot" | "warn">} */ (theme.css);
  return { ...theme, ...named, dark, quiet: new Set(look.quiet), heat, on, mix };
}

/**
 * Sets the style sheet's variables.
 * @param {Palette} colors
 */
export function apply(colors) {
  const root = document.documentElement;
  root.dataset.theme = colors.dark ? "dark" : "light";
  for (const [name, value] of Object.entries(colors.css)) root.style.setProperty(`--${name}`, value);
}
