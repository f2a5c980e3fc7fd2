// @ts-check
// Titles, keys, texts and nodes -> the elements that panel and overview share: sections, rows of key and value,
// links to nodes.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import * as links from "./links.js";
import * as numbers from "./numbers.js";

/** @import { App } from "./app.js" */
/** @import { Child, Engine, FactName, Text } from "./types.d.ts" */

const LONG = 400; // characters that stand open
const MANY = 24; // entries of a list that stand open

/**
 * Null where nothing is inside.
 * @param {string} title
 * @param {...(Child | Child[])} inside
 */
export const section = (title, ...inside) =>
  inside.flat().some(Boolean) ? el("section", {}, el("h3", {}, title), ...inside) : null;

/**
 * @param {string} key
 * @param {...Child} value
 */
export function row(key, ...value) {
  const content = value.flatMap(
    (part) => /** @type {Child[]} */ (typeof part === "string" ? dom.unbroken(part) : [part]),
  );
  return el("div", { class: "row" }, el("dt", {}, key), el("dd", { dir: "ltr" }, content));
}

/**
 * What a layer's field says: its label and value; null where that is unknown.
 * @param {Engine} engine
 * @param {FactName} name
 * @param {number} node
 */
export function fact({ fields, words }, name, node) {
  const value = words(name, node);
  return value ? row(fields[name].label, long(value)) : null;
}

/**
 * key, value, key, value … -> pairs of texts
 * @param {Engine["text"]} text
 * @param {Text[]} [flat]
 */
export const pairs = (text, flat = []) =>
  flat.flatMap((key, at) => (at % 2 ? [] : [/** @type {const} */ ([text(key), text(flat[at + 1])])]));

/**
 * How far a layer's time is from what no kernel beats, and its work; empty where the data says nothing of either.
 * @param {Engine} engine
 * @param {number} node
 */
export function limits({ fields, layers, text }, node) {
  const known = new Map(pairs(text, layers.facts.get(node)));
  const [best = "", work = ""] = [fields.best, fields.macs].map(({ label }) => known.get(label));
  return [best && `${fields.best.label} ${best}`, work].filter(Boolean);
}

/** Null where there is none. @param {...Child} all */
export const rows = (...all) => (all.some(Boolean) ? el("dl", {}, ...all) : null);

/**
 * @param {Pick<App, "engine" | "select">} app
 * @param {number} node
 */
export function link(app, node) {
  const { engine } = app;
  const layer = engine.isLayer(node);
  /** @param {MouseEvent} event */
  const click = (event) => {
    event.preventDefault();
    app.select(node);
  };
  return el(
    "a",
    { href: layer ? links.to(engine.head.index, node) : "#", on: { click } },
    layer && el("span", { class: "number" }, String(node)),
    layer || engine.isInner(node) ? engine.headline(node) : engine.text(engine.ports.words[engine.port(node)]),
  );
}

/**
 * Links to nodes, with the times of layers.
 * @param {Pick<App, "engine" | "select">} app
 * @param {number[]} nodes
 */
export function members(app, nodes) {
  const { head, layers } = app.engine;
  const took = (/** @type {number} */ n) => el("span", { class: "value" }, numbers.about(head, layers.ms[n] ?? null));
  return list({ class: "ranking" }, nodes, (n) => el("li", {}, link(app, n), took(n)));
}

/** @param {Pick<App, "close">} app */
export function close(app) {
  const click = () => app.close();
  const words = { "aria-label": "Close details (Escape)", title: "Close (Esc)" };
  return dom.button({ class: "close", ...words, on: { click } }, "×");
}

/**
 * A long text: its beginning, and the rest on demand.
 * @param {string} text
 */
export function long(text) {
  if (text.length <= LONG) return text;
  return el("details", {}, el("summary", {}, `${text.slice(0, 160)}…`), el("div", {}, text));
}

/**
 * A list of items; null where there is none.
 * @template Item
 * @param {import("./types.d.ts").Attributes} attributes
 * @param {Item[]} items
 * @param {(item: Item) => HTMLElement} make
 * @param {number} [many] that stand open
 */
export const list = (attributes, items, make, many) =>
  items.length ? el("ul", attributes, several(items, make, many)) : null;

/**
 * Its entries; of a long one the rest on demand.
 * @template Item
 * @param {Item[]} items
 * @param {(item: Item) => HTMLElement} make
 * @param {number} [many] that stand open
 * @returns {HTMLElement[]}
 */
export function several(items, make, many = MANY) {
  if (items.length <= many) return items.map(make);
  const rest = el("details", {}, el("summary", {}, `${numbers.grouped(items.length - many)} more`));
  const open = () => rest.append(el("ul", { class: rest.closest("ul")?.className ?? "" }, items.slice(many).map(make)));
  rest.addEventListener("toggle", open, { once: true });
  return [...items.slice(0, many).map(make), el("li", { class: "more" }, rest)];
}
