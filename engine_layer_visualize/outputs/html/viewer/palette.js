// @ts-check
// The colours of a theme: the data's own, and what is mixed from them. No colour stands in the scripts.

/** @import { Color, Look, Palette } from "./types.d.ts" */

/** @param {Color} color */
const channels = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
/** @param {number[]} parts */
const hex = (parts) => `#${parts.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;

/**
 * @param {Color} a
 * @param {Color} b
 * @param {number} share
 */
function mix(a, b, share) {
  const [x, y] = [channels(a), channels(b)];
  return hex(x.map((part, at) => part + (y[at] - part) * share));
}

/** @param {Color} color */
function luminance(color) {
  const [r, g, b] = channels(color).map((part) => {
    const c = part / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/**
 * @param {Color} a
 * @param {Color} b
 */
function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/**
 * @param {Look} look
 * @param {boolean} dark
 */
export function of(look, dark) {
  const theme = dark ? look.dark : look.light;
  const inks = new Map();
  /**
   * For a part, from 0 to 1, of what bears the hottest colour.
   * @param {number} part
   */
  const heat = (part) => theme.heat[Math.round(Math.min(1, Math.max(0, part || 0)) * (theme.heat.length - 1))];

  /** @param {Color} fill */
  function on(fill) {
    let found = inks.get(fill);
    if (!found) {
      found =
        theme.inks.find((color) => contrast(color, fill) >= 4.5) ||
        theme.inks.reduce((a, b) => (contrast(a, fill) > contrast(b, fill) ? a : b));
      inks.set(fill, found);
    }
    return found;
  }

  const line = mix(theme.paper, theme.ink, dark ? 0.16 : 0.12);
  const accent = dark ? theme.precisions[2][1] : theme.precisions[1][1];
  const block = mix(theme.group, theme.ink, dark ? 0.05 : 0.035);
  return { ...theme, dark, block, hot: heat(0.45), heat, on, mix, line, accent };
}

/**
 * The style sheet's variables.
 * @param {Palette} colors
 */
export function apply(colors) {
  const root = document.documentElement;
  root.dataset.theme = colors.dark ? "dark" : "light";
  const said = {
    paper: colors.paper,
    ink: colors.ink,
    muted: colors.muted,
    line: colors.line,
    group: colors.group,
    accent: colors.accent,
    warn: colors.marks.unresolved[1],
    hot: colors.hot,
    hover: colors.mix(colors.paper, colors.ink, 0.06),
  };
  for (const [name, value] of Object.entries(said)) root.style.setProperty(`--${name}`, value);
}
