// @ts-check
// Words -> the nodes whose texts hold all of them, and in which text. No word is read as a pattern.

/** @import { Searched } from "./types.d.ts" */

/** All texts of a node in lower case, made at an engine's first search. @type {WeakMap<Searched, string[]>} */
const indices = new WeakMap();

/** @param {Searched} engine */
function indexed(engine) {
  const found = indices.get(engine);
  if (found) return found;
  const made = Array.from({ length: engine.nodes }, (_, node) =>
    engine
      .fields(node)
      .map(([, content]) => content)
      .join("\n")
      .toLowerCase(),
  );
  indices.set(engine, made);
  return made;
}

/** @param {string} words */
const wordsOf = (words) => words.toLowerCase().split(/\s+/).filter(Boolean);

/**
 * The nodes that hold all words, in order; null where there is no word.
 * @param {Searched} engine
 * @param {string} words
 */
export function find(engine, words) {
  const wanted = wordsOf(words);
  if (!wanted.length) return null;
  const texts = indexed(engine);
  /** @type {number[]} */
  const found = [];
  for (let node = 0; node < texts.length; node++)
    if (wanted.every((word) => texts[node].includes(word))) found.push(node);
  return found;
}

/**
 * Which text of a node holds the first word, and that text from a little before it.
 * @param {Searched} engine
 * @param {number} node
 * @param {string} words
 */
export function where(engine, node, words) {
  const [word = ""] = wordsOf(words);
  for (const [field, content] of engine.fields(node)) {
    for (const part of content.split("\n")) {
      const at = part.toLowerCase().indexOf(word);
      if (at < 0) continue;
      const from = at > 30 ? at - 24 : 0;
      return [field, (from ? "…" : "") + part.slice(from, from + 160)];
    }
  }
  return ["", ""];
}
