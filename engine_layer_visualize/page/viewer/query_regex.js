// @ts-check
// A query's regular expression -> its pattern, or which of its characters cannot stand there, as
// facts/query.py has it: what means the same in Python is allowed, and no more.

/** @import { Grammar } from "./types.d.ts" */

const WORD = "\\p{L}_\\p{N}";
/** What escapes mean in Python. @type {Record<string, string>} */
const MEANING = {
  "\\d": "\\p{Nd}",
  "\\D": "\\P{Nd}",
  "\\w": `[${WORD}]`,
  "\\W": `[^${WORD}]`,
  "\\b": `(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`,
  "\\B": `(?:(?<=[${WORD}])(?=[${WORD}])|(?<![${WORD}])(?![${WORD}]))`,
};
const REPEATED = ["(", "(?:"]; // brackets that may be

/**
 * Where the first piece is that cannot stand there; null: there is none.
 * @param {string} source
 * @param {Grammar} grammar
 */
export function fault(source, { patterns, limits }) {
  const piece = new RegExp(patterns.regex, "uy");
  /** @type {[number, string][]} */
  const opened = [];
  let [at, repeatable] = [0, false];
  while (at < source.length) {
    piece.lastIndex = at;
    const match = piece.exec(source);
    if (!match) return at;
    const [text, place, opening, closing, bar, repetition, several] = match;
    const behind = opened.some(([, sign]) => sign.startsWith("(?<")); // as wide wherever it stands
    if ((repetition && !repeatable) || (behind && (repetition || bar))) return at;
    if ((repetition || several) && !compiles(`x${translated(text)}`)) return at; // `{3,1}`, `[z-a]`
    if ((closing && !opened.length) || (opening && opened.length === limits.deepest)) return at;
    repeatable = !(place || opening || bar || repetition);
    if (opening) opened.push([at, opening]);
    if (closing) repeatable = REPEATED.includes(/** @type {[number, string]} */ (opened.pop())[1]);
    at += text.length;
  }
  return opened.at(-1)?.[0] ?? null;
}

/**
 * Capitals do not count. Of one without a fault.
 * @param {string} source
 * @param {Grammar} grammar
 */
export const compiled = (source, { patterns }) =>
  new RegExp(source.replace(new RegExp(patterns.regex, "gu"), translated), "iu");

/**
 * A text as the patterns look at it: Python takes all of these letters for one where capitals do not count.
 * @param {string} text
 */
export const plain = (text) => text.replace(/[İı]/g, "i");

/**
 * A piece of a regular expression as this language has it.
 * @param {string} piece
 */
function translated(piece) {
  if (/^[\]{}]$/.test(piece)) return `\\${piece}`;
  if (!piece.startsWith("[")) return escaped(piece);
  return piece.replace(/\\?./gsu, (sign) => (sign === "\\w" ? WORD : escaped(sign)));
}

/**
 * @param {string} piece
 */
const escaped = (piece) =>
  MEANING[piece] ?? plain(piece.replace(/^\\([^0-9A-Za-z])$/u, (_, sign) => literal(plain(sign))));

/** @param {string} sign */
const literal = (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`;

/**
 * @param {string} source
 */
function compiles(source) {
  try {
    return Boolean(new RegExp(source, "u"));
  } catch {
    return false;
  }
}
