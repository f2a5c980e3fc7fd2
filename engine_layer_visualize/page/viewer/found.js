// @ts-check
// The data of findings -> the findings of an engine, each with its rule, and those of each layer.

import { append } from "./maps.js";

/** @import { Finding, Found, RawFindings, Rule, Text } from "./types.d.ts" */

/**
 * @param {RawFindings} raw
 * @param {(number: Text) => string} text
 * @returns {Found}
 */
export function decode(raw, text) {
  /** @type {Rule[]} */
  const rules = raw.rules.map(([code, name, severity, summary, action, parts]) => ({
    code: text(code),
    name: text(name),
    severity: text(severity),
    summary: text(summary),
    action: text(action),
    texts: [code, name],
    parts: parts.map((part) => part.map(text)),
  }));
  const { rule, stake, share, saves, shown, layers, about, message, advice, evidence, badge } = raw.list;
  const ranks = raw.counts.flatMap((count) => Array.from({ length: count }, (_, at) => at + 1));
  /** @type {Finding[]} */
  const all = rule.map((which, at) => ({
    rule: rules[which],
    rank: ranks[at],
    stake: text(stake[at]),
    share: share[at],
    saves: saves[at],
    shown: shown[at],
    layers: [...layers[at], ...about[at]].sort((a, b) => a - b),
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
  let end = 0;
  const profiles = raw.counts.map((count) => {
    end += count;
    return all.slice(end - count, end);
  });
  return {
    all,
    of: (layer) => of.get(layer) ?? [],
    badged: (layer) => badged.get(layer) ?? [],
    profiles,
    gains: raw.gains,
  };
}

/**
 * Lines of the log and texts, by turn -> each text with its line.
 * @param {(number | null)[]} flat
 * @param {(number: Text) => string} text
 */
function facts(flat, text) {
  const found = [];
  for (let at = 0; at < flat.length; at += 2) {
    const [line, words] = [flat[at], text(flat[at + 1] ?? -1)];
    found.push(line === null ? words : `log line ${line}: ${words}`);
  }
  return found;
}

/**
 * `P01 +2`: of the badges of these layers the code of the first finding, and how many others there are.
 * @param {Found} found
 * @param {number[]} layers
 */
export function badge(found, layers) {
  const told = layers.flatMap(found.badged).sort((a, b) => a.rank - b.rank);
  const codes = new Set(told.map((one) => one.rule.code));
  const [first = ""] = codes;
  return codes.size > 1 ? `${first} +${codes.size - 1}` : first;
}
