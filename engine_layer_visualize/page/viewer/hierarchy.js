// @ts-check
// Groups, and what a ForeignNode holds -> their sections of panel and overview.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import { button } from "./inside.js";
import * as numbers from "./numbers.js";
import { close, list, members, row, rows, section } from "./parts.js";

/** @import { App } from "./app.js" */
/** @import { Engine, Group } from "./types.d.ts" */

/**
 * What this asks of the app.
 * @typedef {Pick<App, "close" | "collapsed" | "engine" | "folded" | "levels" | "select">} Host
 */

/**
 * Time and share of layers, and how many of them have none; of an engine without times nothing is known.
 * @param {Engine} engine
 * @param {number[]} nodes
 */
export function sums(engine, nodes) {
  const { layers } = engine;
  const own = nodes.filter((node) => engine.isLayer(node));
  const alone = own.every((n) => layers.profile[n] === layers.profile[own[0]]); // of several profiles one runs
  /** @param {(number | null)[]} column */
  const sum = (column) => (alone ? numbers.sumOf(own.map((n) => column[n])) : null);
  return {
    alone,
    layers: own.length,
    ms: sum(layers.ms),
    share: sum(layers.share),
    missing: own.filter((node) => layers.missing.has(node)).length,
  };
}

/**
 * The same in words: `13 layers`, `1.23 ms`, `4.5 % of all measured time`, `2 not timed`.
 * @param {Engine} engine
 * @param {number[]} nodes
 */
export function told(engine, nodes) {
  const { alone, layers, ms, share, missing } = sums(engine, nodes);
  const of = engine.times.profiles[engine.layers.profile[nodes[0]]]?.of;
  const part = numbers.percent(share);
  return [
    numbers.count(layers, "layer"),
    numbers.about(engine.head, ms) || (engine.timed && alone && share === null ? "no time" : ""),
    part && of ? `${part} ${of}` : part,
    missing ? `${missing} not timed` : "",
  ].filter(Boolean);
}

/**
 * What a group holds, in words.
 * @param {Engine} engine
 * @param {Group} group
 */
const holds = (engine, { nodes, owner, words }) =>
  owner === undefined ? told(engine, nodes).join("  ·  ") : (words ?? "");

/**
 * The groups around a node's box, the outermost first, each with a button that folds or unfolds it.
 * @param {Host} app
 * @param {number} node
 */
export function groupsAround(app, node) {
  const { engine, collapsed, folded } = app;
  const box = folded.node[folded.of[node]];
  return engine.groups.flatMap((group, g) => {
    if (!group.nodes.includes(node) || (box < 0 && g > -1 - box)) return [];
    const click = () => app.levels.toggleGroup(g);
    const button = dom.button(
      { class: "plain", "data-key": group.path, on: { click } },
      `${group.path}: ${collapsed.has(g) ? "unfold" : "fold"}`,
    );
    return [row("block", button, dom.muted(dom.unbroken(holds(engine, group))))];
  });
}

/**
 * The folded group whose box stands for a node; null: the node has another.
 * @param {Pick<App, "engine" | "folded">} app
 * @param {number} node
 */
export function foldedInto({ engine, folded }, node) {
  const group = engine.groups[-1 - folded.node[folded.of[node]]];
  return group?.nodes.includes(node) ? group : null;
}

/**
 * What the panel says of a folded group that is selected by one of its nodes; null: none is.
 * @param {Host} app
 * @param {number} node
 */
export function block(app, node) {
  const group = foldedInto(app, node);
  if (!group) return null;
  return [
    el("div", { class: "top" }, dom.muted("Folded block"), close(app)),
    el("h2", { dir: "ltr" }, group.path),
    section("Where", rows(...groupsAround(app, node))),
    section("Inside", members(app, group.nodes)),
  ];
}

/**
 * What a ForeignNode holds: the parts that are alike.
 * @param {Host} app
 * @param {number} node
 */
export function inside(app, node) {
  const { layers, text } = app.engine;
  const held = layers.inside.get(node);
  if (!held) return button(app, node);
  const [alike, all] = held;
  return section(
    `Inside: ${numbers.count(all, "node")}`,
    button(app, node),
    list({ class: "plain inside" }, alike, ([words, nodes, kinds]) => {
      const counted = [numbers.count(nodes, "node"), text(kinds)].filter(Boolean).join(": ");
      return el("li", { dir: "ltr" }, el("b", {}, text(words)), dom.muted(counted));
    }),
  );
}

/**
 * What a tooltip says of a group.
 * @param {Engine} engine
 * @param {Group} group
 */
export const groupTip = (engine, group) => [el("b", {}, group.path), el("span", {}, holds(engine, group))];
