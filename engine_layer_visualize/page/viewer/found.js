// @ts-check
// The data of findings -> the findings of an engine, each with its rule, and those of each layer.

import { append } from "./maps.js";

const MOST = 0.15; // of the boxes that may be marked, as in a picture

/** @import { Finding, Found, RawFindings, Rule, Text } from "./types.d.ts" */

/**
 * @param {RawFindings} raw
 * @param {(number: Text) => string} text
 * @returns {Found}
 */
export function decode(raw, text) {
  /** @type {Rule[]} */
  const rules = raw.rules.map(([code, name, severity, summary, action]) => ({
    code: text(code),
    name: text(name),
    severity: text(severity),
    summary: text(summary),
    action: text(action),
    texts: [code, name],
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
  for (const one of all) for (const layer of one.layers) append(of, layer, one);
  let end = 0;
  const profiles = raw.counts.map((count) => {
    end += count;
    return all.slice(end - count, end);
  });
  return {
    all,
    of: (layer) => of.get(layer) ?? [],
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
 * `P01 +2` of each box that findings mark: the code of the first, and how many others there are. Findings that would
 * mark too many boxes are `above` them.
 * @param {Found} found
 * @param {ArrayLike<number>} of the box of each layer
 * @param {number} boxes
 */
export function badges({ all }, of, boxes) {
  /** @type {Map<number, Set<string>>} */
  const codes = new Map();
  const above = [];
  for (const one of all) {
    const own = new Set(one.badge.map((layer) => of[layer]));
    const more = [...own].filter((box) => !codes.has(box));
    if (codes.size + more.length > Math.max(1, MOST * boxes)) above.push(one);
    else for (const box of own) codes.set(box, (codes.get(box) ?? new Set()).add(one.rule.code));
  }
  const words = Array.from(
    codes,
    ([box, [first, ...others]]) => /** @type {const} */ ([box, first + (others.length ? ` +${others.length}` : "")]),
  );
  return { of: new Map(words), above };
}
