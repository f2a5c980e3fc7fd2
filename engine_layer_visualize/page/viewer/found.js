// @ts-check
// The data of findings -> the findings of an engine, each with its rule, and those of each layer.

import { append } from "./maps.js";

/** @import { Finding, Found, FoundGroup, RawFindings, Rule, Text } from "./types.d.ts" */

/**
 * @param {RawFindings} raw
 * @param {(number: Text) => string} text
 * @returns {Found}
 */
export function decode(raw, text) {
  /** @type {Rule[]} */
  const rules = raw.rules.map(([code, name, severity, summary, parts]) => ({
    code: text(code),
    name: text(name),
    severity: text(severity),
    summary: text(summary),
    texts: [code, name],
    parts: parts.map((part) => part.map(text)),
  }));
  const { rule, ms, share, layers, message, advice, evidence, badge } = raw.list;
  /** @type {Finding[]} */
  const all = rule.map((which, at) => ({
    rule: rules[which],
    ms: ms[at],
    share: share[at],
    layers: layers[at],
    message: text(message[at]),
    advice: text(advice[at]),
    evidence: facts(evidence[at], text),
    badge: badge[at],
  }));
  /** @type {Map<number, Finding[]>} */
  const of = new Map();
  /** @type {Map<number, Finding[]>} */
  const badged = new Map();
  for (const one of all) {
    for (const layer of one.layers) append(of, layer, one);
    for (const layer of one.badge) append(badged, layer, one);
  }
  // What is about one layer alone comes before what is about many.
  for (const own of of.values()) own.sort((a, b) => a.layers.length - b.layers.length);
  /** @type {FoundGroup[][]} */
  const groups = raw.groups.map((profile) =>
    profile.map(([which, most, part, count, numbers]) => ({
      rule: rules[which],
      ms: most,
      share: part,
      layers: count,
      list: numbers.map((number) => all[number]),
    })),
  );
  return { all, of: (layer) => of.get(layer) ?? [], badged: (layer) => badged.get(layer) ?? [], groups };
}

/**
 * Lines of the log and texts, by turn -> one text for each.
 * @param {(number | null)[]} flat
 * @param {(number: Text) => string} text
 */
function facts(flat, text) {
  const found = [];
  for (let at = 0; at < flat.length; at += 2) {
    const words = text(flat[at + 1] ?? -1);
    found.push(flat[at] === null ? words : `log line ${flat[at]}: ${words}`);
  }
  return found;
}

/**
 * `P01 +2`: of the badges of these layers the code with the most to gain, and how many others there are.
 * @param {Found} found
 * @param {number[]} layers
 */
export function badge(found, layers) {
  const told = layers.flatMap(found.badged).sort((a, b) => (b.ms ?? 0) - (a.ms ?? 0));
  const codes = new Set(told.map((one) => one.rule.code));
  const [first = ""] = codes;
  return codes.size > 1 ? `${first} +${codes.size - 1}` : first;
}
