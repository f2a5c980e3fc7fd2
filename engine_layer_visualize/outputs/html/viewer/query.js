// @ts-check
// A query's text -> alternatives of terms that must all be met, as analysis/query.py reads it. The fields come
// from there, with the page's data; tests/viewer/queries.json holds both to the same cases.

/** @import { Grammar, Term } from "./types.d.ts" */

const PIECE =
  /(?<out>-(?=[^\s\d>-]))?(?:(?<field>[A-Za-z]+)(?<sign>>=|<=|[:<>=]))?(?:"(?<exact>(?:[^"]|"")*)"|\/(?<regex>(?:[^\\]|\\.)+?)\/(?=\s|$)|(?<word>\S*))/sy;
const NUMBER = /^([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(\D*)$/;
const PORT = /^(?:[0-9]+|:.*)$/s; // `input:0`, `aten::conv2d`
const SIGNS = /\.[*+?]|\\.|^\^|\$$|[\])][*+?]|\w\|\w/s;

/** What cannot be read, where, and what should stand there. */
export class QueryError extends Error {
  /**
   * @param {string} text
   * @param {number} at
   * @param {string} message
   * @param {string} expected
   */
  constructor(text, at, message, expected) {
    super(message);
    this.column = [...text.slice(0, at)].length + 1; // of characters, not of UTF-16
    this.expected = expected;
  }
}

/**
 * Throws a QueryError.
 * @param {string} text
 * @param {Grammar} grammar
 * @returns {Term[][]} empty: nothing is asked for
 */
export function parse(text, grammar) {
  /** @type {Term[][]} */
  const alternatives = [[]];
  let at = 0;
  while (at < text.length) {
    if (/\s/.test(text[at])) at++;
    else if (text[at] === "|" && !text.slice(at + 1, at + 2).trim()) {
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
 * A word with the signs of a regular expression, as one; empty where there is none.
 * @param {Term[][]} query
 */
export function asRegex(query) {
  const word = query.flat().find((term) => term.how === "word" && SIGNS.test(term.value));
  return word ? `/${word.value}/` : "";
}

/**
 * The term that begins here, unless it is empty, and where it ends.
 * @param {string} text
 * @param {number} at
 * @param {Grammar} grammar
 * @returns {[Term | null, number]}
 */
function termAt(text, at, { fields }) {
  PIECE.lastIndex = at;
  const match = /** @type {RegExpExecArray} */ (PIECE.exec(text));
  const { out = "", field: written = "", sign = "", exact, regex, word = "" } = match.groups ?? {};
  const name = written.toLowerCase();
  const [nameAt, end] = [at + out.length, at + match[0].length];
  const [signAt, valueAt] = [nameAt + name.length, nameAt + name.length + sign.length];
  const excluded = out !== "";
  const known = Object.hasOwn(fields, name);
  /** @param {Partial<Term>} own @returns {Term} */
  const term = (own) => ({ how: "word", field: name, value: "", sign: "", number: 0, unit: "", excluded, ...own });
  if (name && !known) {
    if (!isText(name, sign, exact ?? regex, word, fields)) {
      const near = nearest(name, Object.keys(fields));
      const instead = near ? `did you mean ${near}? ` : "";
      const message = `no field '${name}'; ${instead}there are ${Object.keys(fields).join(", ")}`;
      throw new QueryError(text, nameAt, message, "a field, or quotes around a text with such a sign");
    }
    const whole = run(text, nameAt);
    return [term({ field: "", value: whole }), nameAt + whole.length];
  }
  const [kind, example, , units] = fields[name] ?? ["text", "", "", {}];
  if (known && kind === "number") {
    if (sign === ":") throw new QueryError(text, signAt, `${name} is a number`, `a sign, such as ${example}`);
    const [, digits, letters] = NUMBER.exec(word) ?? [];
    const unit = (letters ?? "").toLowerCase();
    if (!digits || !Object.hasOwn(units, unit)) {
      const some = Object.keys(units).filter((each) => /^[ -~]+$/.test(each));
      throw new QueryError(
        text,
        valueAt,
        `no number for ${name}`,
        `a number and one of ${some.join(", ")}, such as ${example}`,
      );
    }
    return [term({ how: "number", sign, number: Number(digits) * units[unit], unit }), end];
  }
  if (known && sign !== ":") throw new QueryError(text, signAt, `${name} is not compared`, `${name}: and a text`);
  if (exact !== undefined) {
    const value = exact.replaceAll('""', '"');
    return [name || value ? term({ how: "exact", value }) : null, end];
  }
  if (regex !== undefined && name === "scope") {
    const whole = run(text, valueAt); // the slashes are the path's
    return [term({ value: whole }), valueAt + whole.length];
  }
  if (regex !== undefined) return [term({ how: "regex", value: regex, pattern: compiled(text, regex, valueAt) }), end];
  if (word.startsWith('"')) throw new QueryError(text, valueAt, "a quote without an end", 'another "');
  if (known && !word) throw new QueryError(text, end, `${name}: without a text`, `a text, such as ${example}`);
  if (!name && /^#[0-9]+$/.test(word)) return [term({ how: "index", number: Number(word.slice(1)) }), end];
  return [term({ value: word }), end];
}

/**
 * The characters up to a blank.
 * @param {string} text
 * @param {number} at
 */
const run = (text, at) => text.slice(at).split(/\s/, 1)[0];

/**
 * Whether what looks like a field that there is not is a part of a name.
 * @param {string} name
 * @param {string} sign
 * @param {string | undefined} quoted
 * @param {string} word
 * @param {Grammar["fields"]} fields
 */
function isText(name, sign, quoted, word, fields) {
  if (sign === ":") return quoted === undefined && PORT.test(word);
  return quoted !== undefined || !(NUMBER.test(word) && nearest(name, Object.keys(fields)));
}

/**
 * @param {string} text
 * @param {string} source
 * @param {number} at
 */
function compiled(text, source, at) {
  try {
    return new RegExp(source, "i");
  } catch (error) {
    const words = String(/** @type {Error} */ (error).message).replace(/^.*: /s, "");
    throw new QueryError(text, at, `not a regular expression: ${words}`, "another");
  }
}

/**
 * The word that was meant; empty where none is near.
 * @param {string} word
 * @param {string[]} known
 */
function nearest(word, known) {
  const longer = known.find((name) => name.startsWith(word));
  if (longer) return longer;
  const near = known.map((name) => ({ name, far: distance(word, name) }));
  near.sort((a, b) => a.far - b.far);
  const [{ name, far }] = near;
  return 2 * far <= Math.max(name.length, word.length) ? name : "";
}

/**
 * How many letters have to be put in, taken out or changed.
 * @param {string} a
 * @param {string} b
 */
function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + Number(a[i - 1] !== b[j - 1]));
    row = next;
  }
  return row[b.length];
}
