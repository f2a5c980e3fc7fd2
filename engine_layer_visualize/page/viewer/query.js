// @ts-check
// A query's text -> alternatives of terms that must all be met, as facts/query.py reads it. What a query may
// hold comes with the page's data, from facts/query.py.

/** @import { Field, Grammar, Term } from "./types.d.ts" */

/** Of a term without a field. @type {Field} */
const NONE = { kind: "text", example: "", about: "", units: {} };

/** What cannot be read, where, and what should stand there. */
export class QueryError extends Error {
  /**
   * @param {Grammar} grammar
   * @param {string} text
   * @param {number} at
   * @param {string} mistake
   * @param {Record<string, string>} [words]
   */
  constructor({ mistakes }, text, at, mistake, words = {}) {
    const [message, expected] = mistakes[mistake].map((sentence) => written(sentence, words));
    super(message);
    this.column = [...text.slice(0, at)].length + 1; // of characters, not of UTF-16
    this.expected = expected;
  }
}

/**
 * A sentence of the grammar with these words.
 * @param {string} sentence
 * @param {Record<string, string>} words
 */
const written = (sentence, words) => sentence.replace(/\{(\w+)\}/g, (_, key) => words[key]);

/**
 * A whole text that a pattern of the grammar fits.
 * @param {string} pattern
 */
export const whole = (pattern) => new RegExp(`^(?:${pattern})$`, "u");

/**
 * Throws a QueryError.
 * @param {string} text
 * @param {Grammar} grammar
 * @returns {Term[][]} empty: nothing is asked for
 */
export function parse(text, grammar) {
  const [blank, bar] = [grammar.patterns.blank, grammar.patterns.bar].map((pattern) => new RegExp(pattern, "uy"));
  /** @type {(pattern: RegExp, at: number) => boolean} */
  const stands = (pattern, at) => {
    pattern.lastIndex = at;
    return pattern.test(text);
  };
  /** @type {Term[][]} */
  const alternatives = [[]];
  let at = 0;
  while (at < text.length) {
    if (stands(blank, at)) at++;
    else if (stands(bar, at)) {
      alternatives.push([]);
      at++;
    } else {
      const [term, end] = termAt(text, at, grammar);
      if (term) alternatives[alternatives.length - 1].push(term);
      at = end;
    }
  }
  return alternatives.filter((terms) => terms.length);
}

/**
 * The term that begins here, unless it is empty, and where it ends.
 * @param {string} text
 * @param {number} at
 * @param {Grammar} grammar
 * @returns {[Term | null, number]}
 */
function termAt(text, at, grammar) {
  const { fields, patterns } = grammar;
  const piece = new RegExp(patterns.piece, "uy");
  piece.lastIndex = at;
  const match = /** @type {RegExpExecArray} */ (piece.exec(text));
  const [, minus = "", field = "", sign = "", quoted, regex, word = ""] = match;
  const name = field.toLowerCase();
  const [nameAt, end] = [at + minus.length, at + match[0].length];
  const [signAt, valueAt] = [nameAt + name.length, nameAt + name.length + sign.length];
  const excluded = minus !== "";
  const known = Object.hasOwn(fields, name);
  /** @param {Partial<Term>} own @returns {Term} */
  const term = (own) => ({ how: "word", field: name, value: "", sign: "", number: 0, unit: "", excluded, ...own });
  /** @type {(at: number, mistake: string, words?: Record<string, string>) => never} */
  const fail = (at, mistake, words) => {
    throw new QueryError(grammar, text, at, mistake, words);
  };
  if (name && !known) {
    if (!isText(name, sign, quoted ?? regex, word, grammar)) {
      const near = nearField(name, grammar);
      const meant = near ? written(grammar.meant, { near }) : "";
      fail(nameAt, "field", { name, meant, fields: Object.keys(fields).join(", ") });
    }
    const value = run(text, nameAt, patterns.blank);
    return [term({ field: "", value }), nameAt + value.length];
  }
  const { kind, example, units } = known ? fields[name] : NONE;
  if (known && kind === "number") {
    if (sign === ":") fail(signAt, "number", { name, example });
    const [, digits, letters = ""] = whole(patterns.number).exec(word) ?? [];
    const unit = letters.toLowerCase();
    if (!digits || !Object.hasOwn(units, unit)) {
      const some = Object.keys(units).filter((each) => /^[ -~]+$/.test(each));
      fail(valueAt, "units", { name, units: some.join(", "), example });
    }
    return [term({ how: "number", sign, number: Number(digits) * units[unit], unit }), end];
  }
  if (known && sign !== ":") fail(signAt, "compared", { name });
  if (quoted !== undefined) {
    const value = quoted.replaceAll('""', '"');
    return [name || value ? term({ how: "exact", value }) : null, end];
  }
  if (regex !== undefined && name === "scope") {
    const value = run(text, valueAt, patterns.blank); // the slashes are the path's
    return [term({ value }), valueAt + value.length];
  }
  if (regex !== undefined) {
    // In Python any sign may have a backslash, as in `layer\-1`.
    const able = regex.replace(/\\([^0-9A-Za-z])/gu, (_, own) => `\\u{${own.codePointAt(0)?.toString(16)}}`);
    try {
      return [term({ how: "regex", value: regex, pattern: new RegExp(able, "iu") }), end];
    } catch (error) {
      const [why] = /** @type {SyntaxError} */ (error).message.split(": ").slice(-1); // before it, the pattern
      fail(valueAt, "regex", { why });
    }
  }
  if (word.startsWith('"')) fail(valueAt, "quote");
  if (known && !word) fail(end, "text", { name, example });
  const index = name ? null : whole(patterns.index).exec(word);
  if (index) return [term({ how: "index", number: Number(index[1]) }), end];
  return [term({ value: word }), end];
}

/**
 * The characters up to a blank.
 * @param {string} text
 * @param {number} at
 * @param {string} blank
 */
const run = (text, at, blank) => text.slice(at).split(new RegExp(blank, "u"), 1)[0];

/**
 * Whether what looks like a field that there is not is a part of a name.
 * @param {string} name
 * @param {string} sign
 * @param {string | undefined} quoted
 * @param {string} word
 * @param {Grammar} grammar
 */
function isText(name, sign, quoted, word, grammar) {
  const { number, port } = grammar.patterns;
  if (sign === ":") return quoted === undefined && whole(port).test(word);
  return quoted !== undefined || !(whole(number).test(word) && nearField(name, grammar));
}

/**
 * The field that was meant; empty where none is near.
 * @param {string} name
 * @param {Grammar} grammar
 */
function nearField(name, { fields, alike }) {
  return nearest(name, Object.keys(fields), alike);
}

/**
 * A word and those that there are -> the one that was meant, as core/text.py finds it; empty where none is near.
 * @param {string} word in small letters, as are the others
 * @param {string[]} known
 * @param {number} alike of two words, from 0 to 1
 */
function nearest(word, known, alike) {
  const longer = known.find((name) => name.startsWith(word));
  if (longer) return longer;
  const near = known.map((name) => ({ name, ratio: (2 * common(name, word)) / (name.length + word.length) }));
  near.sort((a, b) => b.ratio - a.ratio || (a.name < b.name ? 1 : -1));
  return near[0].ratio >= alike ? near[0].name : "";
}

/**
 * How many letters both have in the same order, as Python's `difflib` counts them: the longest run that both have,
 * of several the first, and what both have on either side of it.
 * @param {string} a
 * @param {string} b
 * @returns {number}
 */
function common(a, b) {
  let [longest, inA, inB] = [0, 0, 0];
  for (let i = 0; i < a.length; i++)
    for (let j = 0; j < b.length; j++) {
      let length = 0;
      while (i + length < a.length && a[i + length] === b[j + length]) length++;
      if (length > longest) [longest, inA, inB] = [length, i, j];
    }
  if (!longest) return 0;
  return longest + common(a.slice(0, inA), b.slice(0, inB)) + common(a.slice(inA + longest), b.slice(inB + longest));
}
