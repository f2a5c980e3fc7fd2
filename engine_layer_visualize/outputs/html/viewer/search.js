// @ts-check
// Words -> the nodes whose texts hold all of them, and in which text. No word is read as a pattern.

/** @import { Engine } from "./types.d.ts" */

/** All texts of a node in lower case, made at an engine's first search. @type {WeakMap<Engine, string[]>} */
const indices = new WeakMap();

/**
 * The texts of a node, each with what it is.
 * @param {Engine} engine
 * @param {number} node
 * @returns {[field: string, content: string][]}
 */
function fields(engine, node) {
  if (!engine.isLayer(node)) return [["tensor", engine.name(node)]];
  const { layers, tensors, text, found } = engine;
  const touched = [...layers.in[node], ...layers.out[node]];
  return [
    ["name", text(layers.name[node])],
    ["type", text(layers.type[node])],
    ["what it does", text(layers.title[node])],
    ["kernel", text(layers.kernel[node])],
    ["ONNX node", (layers.onnx.get(node) || []).map(text).join("\n")],
    ["tensor", touched.map((tensor) => text(tensors.name[tensor])).join("\n")],
    ["tactic", text(layers.tactic[node])],
    ["record", text(layers.raw.get(node))],
    [
      "finding",
      found
        .of(node)
        .map(({ rule }) => `${rule.code} ${rule.name}`)
        .join("\n"),
    ],
  ];
}

/** @param {Engine} engine */
function indexed(engine) {
  const found = indices.get(engine);
  if (found) return found;
  const made = Array.from({ length: engine.nodes }, (_, node) =>
    fields(engine, node)
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
 * @param {Engine} engine
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
 * @param {Engine} engine
 * @param {number} node
 * @param {string} words
 */
export function where(engine, node, words) {
  const [word = ""] = wordsOf(words);
  for (const [field, content] of fields(engine, node)) {
    for (const part of content.split("\n")) {
      const at = part.toLowerCase().indexOf(word);
      if (at < 0) continue;
      const from = at > 30 ? at - 24 : 0;
      return [field, (from ? "…" : "") + part.slice(from, from + 160)];
    }
  }
  return ["", ""];
}
