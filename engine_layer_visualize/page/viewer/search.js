// @ts-check
// A query and an engine -> the nodes that it asks for, and in which text each is found, as facts/search.py
// finds layers. Each text is looked at once for each term.

import { parse, whole } from "./query.js";

/** @import { Grammar, Searched, Term, Text } from "./types.d.ts" */

/**
 * What one of the texts of a field has to be.
 * @typedef {object} Part
 * @property {string} field
 * @property {(text: Text) => boolean} test
 */

/** @type {Record<string, (a: number, b: number) => boolean>} */
const COMPARE = {
  ">": (a, b) => a > b,
  "<": (a, b) => a < b,
  ">=": (a, b) => a >= b,
  "<=": (a, b) => a <= b,
  "=": (a, b) => a === b,
};

/** What a box inside of a layer has texts of; "": any. */
const INNER = ["", "name", "onnx", "op", "scope"];

/** Texts in small letters, made at the first search. @type {WeakMap<string[], string[]>} */
const smalls = new WeakMap();

export class Search {
  #engine;
  #grammar;
  #query;
  /** @type {Map<Term, Part[]>} */
  #parts = new Map();
  /** Words that are numbers of layers, too. @type {Map<Term, number>} */
  #indices = new Map();

  /**
   * Throws a QueryError.
   * @param {Searched} engine
   * @param {Grammar} grammar
   * @param {string} text
   */
  constructor(engine, grammar, text) {
    this.#engine = engine;
    this.#grammar = grammar;
    this.#query = parse(text, grammar);
    for (const term of this.#query.flat())
      if (term.how !== "index" && term.how !== "number") this.#parts.set(term, this.#partsOf(term));
    const layer = whole(grammar.patterns.layer);
    for (const term of this.#query.flat())
      if (term.how === "word" && !term.field && layer.test(term.value)) this.#indices.set(term, Number(term.value));
  }

  /** The nodes that are asked for, in order; null where nothing is asked for. */
  find() {
    if (!this.#query.length) return null;
    const { nodes, isLayer } = this.#engine;
    // Of the engine's inputs and outputs only those that something is said of.
    const wanted = this.#query.map((terms) => ({ terms, all: terms.some((term) => !term.excluded) }));
    /** @type {number[]} */
    const found = [];
    for (let node = 0; node < nodes; node++)
      if (wanted.some(({ terms, all }) => (all || isLayer(node)) && terms.every((term) => this.#meets(term, node))))
        found.push(node);
    return found;
  }

  /**
   * Those of the boxes inside of a layer that was found whose names the words ask for; of the layer itself the
   * rest of the query was true. None: the words are not about single boxes.
   * @param {number[]} boxes
   */
  within(boxes) {
    /** @type {(term: Term) => boolean} */
    const asks = ({ how, field }) => how !== "index" && how !== "number" && INNER.includes(field);
    return boxes.filter((box) =>
      this.#query.some((terms) => terms.some(asks) && terms.every((term) => !asks(term) || this.#meets(term, box))),
    );
  }

  /**
   * Which text of a node a term found, and that text from a little before it.
   * @param {number} node
   */
  where(node) {
    const { texts, strings } = this.#engine;
    for (const [term, parts] of this.#parts) {
      if (term.excluded) continue;
      for (const { field, test } of parts) {
        const text = strings[texts[field](node).find(test) ?? -1];
        if (text === undefined) continue;
        const at = term.pattern ? text.search(term.pattern) : text.toLowerCase().indexOf(term.value.toLowerCase());
        const from = at > 30 ? at - 24 : 0;
        return [field, (from ? "…" : "") + text.slice(from, from + 160)];
      }
    }
    return ["", ""];
  }

  /**
   * @param {Term} term
   * @param {number} node
   */
  #meets(term, node) {
    return this.#fits(term, node) !== term.excluded;
  }

  /**
   * @param {Term} term
   * @param {number} node
   */
  #fits(term, node) {
    const { index, isLayer, texts } = this.#engine;
    const { how, value } = term;
    if (how === "index") return index(node) === term.number;
    if (how === "number") return this.#compares(term, node);
    if (this.#indices.get(term) === index(node)) return true;
    const none = how === "exact" && value === "" && isLayer(node); // layers without such a text are meant
    for (const part of this.#parts.get(term) ?? [])
      for (const text of texts[part.field](node)) if (part.test(text)) return !none;
    return none;
  }

  /**
   * @param {Term} term
   * @param {number} node
   */
  #compares({ field, unit, sign, number }, node) {
    const value = this.#engine.number(field, unit, node);
    if (value === null) return false;
    return field === "time" ? COMPARE[sign](six(value), six(number)) : COMPARE[sign](value, number);
  }

  /**
   * The texts that a term is looked for in.
   * @param {Term} term
   * @returns {Part[]}
   */
  #partsOf(term) {
    const { fields, patterns } = this.#grammar;
    const { field, how, value } = term;
    if (field) return [this.#part(field, this.#test(fields[field].kind, term))];
    const { test } = this.#part("", this.#test("text", term));
    const parts = Object.keys(fields).flatMap((name) => (fields[name].kind === "text" ? [{ field: name, test }] : []));
    if (how === "word") {
      if (this.#canonical(value))
        parts.push(...["prec", "dtype"].map((name) => this.#part(name, this.#test("dtype", term))));
      if (whole(patterns.dims).test(value)) parts.push(this.#part("dims", this.#test("dims", term)));
      const low = value.toLowerCase();
      if (whole(patterns.code).test(low)) parts.push(this.#part("code", (text) => text.toLowerCase() === low));
    }
    return parts.filter((part) => this.#engine.texts[part.field]);
  }

  /**
   * The test of a text's number, made once for each text.
   * @param {string} field
   * @param {(text: string, small: string) => boolean} test
   * @returns {Part}
   */
  #part(field, test) {
    const { strings } = this.#engine;
    const small = smalls.get(strings) ?? strings.map((text) => text.toLowerCase());
    smalls.set(strings, small);
    const known = new Int8Array(strings.length); // 1: yes, 2: no
    return {
      field,
      test: (text) => {
        if (text < 0) return false;
        known[text] ||= strings[text] && test(strings[text], small[text]) ? 1 : 2;
        return known[text] === 1;
      },
    };
  }

  /**
   * How a text is compared with a term.
   * @param {string} kind
   * @param {Term} term
   * @returns {(text: string, small: string) => boolean}
   */
  #test(kind, { how, value, pattern }) {
    const low = value.toLowerCase();
    if (pattern) return (text) => pattern.test(text);
    if (how === "exact") return value ? (text) => holds(text, value) : () => true;
    if (kind === "dtype" && low === "tf32") return (text) => text === "TF32"; // a way to multiply Float
    const dtype = kind === "dtype" && this.#canonical(value);
    if (dtype) return (text) => this.#canonical(text) === dtype;
    if (kind === "dims") {
      const run = `×${low.replaceAll("x", "×").replaceAll(",", "×")}×`;
      const vector = new RegExp(this.#grammar.patterns.vector, "gu");
      return (text) => `×${text}×`.includes(run) || `×${text.replace(vector, "")}×`.includes(run);
    }
    const format = kind === "format" && Object.hasOwn(this.#grammar.formats, low) && this.#grammar.formats[low];
    if (format) return (text) => format.includes(text);
    if (kind === "scope") return (_, small) => inside(small, low);
    return (_, small) => small.includes(low);
  }

  /**
   * The listings' name of a data type that is spelled in any way; undefined of another word.
   * @param {string} word
   */
  #canonical(word) {
    const names = Object.entries(this.#grammar.dtypes);
    return names.find(([, pattern]) => new RegExp(`^(?:${pattern})$`, "i").test(word))?.[0];
  }
}

/**
 * Whether a value stands in a text, and not as a piece of a longer word.
 * @param {string} text
 * @param {string} value
 */
function holds(text, value) {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const end = at + value.length;
    if (!joined(last(text.slice(0, at)), first(value)) && !joined(last(value), first(text.slice(end)))) return true;
  }
  return false;
}

/** A text's first character, which may be two of UTF-16. @param {string} text */
const first = (text) => [...text.slice(0, 2)][0] ?? "";

/** A text's last character. @param {string} text */
const last = (text) => [...text.slice(-2)].pop() ?? "";

/**
 * Whether two characters are of one word.
 * @param {string} beside
 * @param {string} own
 */
const joined = (beside, own) => /[\p{L}\p{N}_]/u.test(beside) && /[\p{L}\p{N}_]/u.test(own);

/**
 * Whether the scope is the path's, or around it; without its first `/` it may begin anywhere.
 * @param {string} path
 * @param {string} scope
 */
function inside(path, scope) {
  const mark = path.includes("/") ? "/" : ".";
  const [parts, wanted] = [stripped(path, mark).split(mark), stripped(scope, mark).split(mark)];
  const last = scope.startsWith(mark) ? 0 : parts.length - wanted.length;
  for (let start = 0; start <= last; start++)
    if (parts.length - start >= wanted.length && wanted.every((one, n) => like(parts[start + n], one))) return true;
  return false;
}

/**
 * @param {string} text
 * @param {string} mark
 */
function stripped(text, mark) {
  let [from, to] = [0, text.length];
  while (text[from] === mark) from++;
  while (to > from && text[to - 1] === mark) to--;
  return text.slice(from, to);
}

/**
 * Whether a part of a path is what is wanted, in which `*` is anything.
 * @param {string} part
 * @param {string} wanted
 */
function like(part, wanted) {
  const [first, ...others] = wanted.split("*");
  const last = others.pop();
  if (last === undefined) return part === first;
  if (!part.startsWith(first) || !part.endsWith(last) || part.length < first.length + last.length) return false;
  let at = first.length;
  const end = part.length - last.length;
  for (const piece of others) {
    at = part.indexOf(piece, at);
    if (at < 0 || at + piece.length > end) return false;
    at += piece.length;
  }
  return true;
}

/** @param {number} number */
const six = (number) => Number(number.toPrecision(6));
