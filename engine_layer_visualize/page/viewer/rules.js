// @ts-check
// Queries of the reader's that colour what they find: the first that finds a layer wins. Each is named above the
// drawing, with its number, which boxes bear too, and how many layers it colours.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import * as numbers from "./numbers.js";
import { QueryError } from "./query.js";
import { Search } from "./search.js";
import * as text from "./text.js";

/** @import { App } from "./app.js" */
/** @import { Color, ColorRule, Palette, Ruled } from "./types.d.ts" */

export class Rules {
  /** @type {ColorRule[]} */
  list = [];
  /** What the list finds in the open engine; null: there are no rules. @type {Ruled | null} */
  ruled = null;
  #app;
  #place = dom.find("rules");
  /** @type {number[]} */
  #counts = [];

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
  }

  /** The query of the moment, where it can become a rule. */
  get #query() {
    const { hits, search } = this.#app;
    const query = hits?.length && !search.problem ? search.query.trim() : "";
    return this.list.some((rule) => rule.query === query) ? "" : query;
  }

  /** Of the colours the first that no rule has; undefined: all are taken. */
  get #free() {
    return this.#app.colors.rules.findIndex((_, color) => !this.list.some((rule) => rule.color === color));
  }

  /** The query of the moment becomes a rule. */
  add() {
    const [query, color] = [this.#query, this.#free];
    if (query && color >= 0) this.set([...this.list, { query, color }]);
  }

  /** @param {number} at */
  remove(at) {
    this.set(this.list.filter((_, place) => place !== at));
    const left = this.#place.querySelectorAll("button");
    (left[Math.min(at, left.length - 1)] ?? this.#app.canvas).focus();
  }

  /** Those that cannot be read are left out. @param {ColorRule[]} list @returns {number} how many */
  set(list) {
    const { cam, colors, engine, look } = this.#app;
    this.list = list.filter(({ query, color }) => color in colors.rules && found(engine, look.search, query) !== null);
    const whole = cam.seesAll;
    this.find();
    this.#app.recolor();
    this.#app.panes.update();
    if (whole) cam.all(); // none of it is behind the rules
    this.#app.address.changed();
    return list.length - this.list.length;
  }

  /** In the open engine. */
  find() {
    const { engine, look } = this.#app;
    const of = new Int8Array(engine.count).fill(-1);
    this.#counts = this.list.map(({ query }, place) => {
      let count = 0;
      for (const node of found(engine, look.search, query) ?? []) {
        if (!engine.isLayer(node) || of[node] >= 0) continue;
        of[node] = place;
        count++;
      }
      return count;
    });
    this.ruled = this.list.length ? { list: this.list, of } : null;
    this.show();
  }

  /** Which rules colour these layers, in words. @param {number[]} nodes */
  told(nodes) {
    const { ruled } = this;
    if (!ruled) return "";
    const counts = this.list.map((_, place) => nodes.filter((node) => ruled.of[node] === place).length);
    return counts
      .flatMap((count, at) =>
        count ? [`[${at + 1}] ${this.list[at].query}${nodes.length > 1 ? `: ${count} of ${nodes.length}` : ""}`] : [],
      )
      .join("  ·  ");
  }

  /** The rules above the drawing, each with a button that removes it, and one that makes the query of the moment a rule. */
  show() {
    const query = this.#query;
    const full = this.#free < 0;
    const words = full ? "No colour is left: remove a rule" : `Colour what ${query} finds`;
    const add = dom.button(
      { disabled: full, title: `${words} (f)`, on: { click: () => this.add() } },
      full ? "No colour is left" : `Colour ${query}`,
    );
    dom.fill(this.#place, this.#entries(this.#app.colors, true), query ? add : null);
    this.#place.hidden = !this.#place.childElementCount;
    if (this.#app.scene) this.#app.drawing.margins();
  }

  /** Colour and words of each, for a picture. @returns {[color: Color, words: string][]} */
  get keys() {
    const { colors } = this.#app;
    return this.list.map(({ query, color }, at) => [
      colors.rules[color][0],
      `[${at + 1}] ${text.lead(query, text.FONTS.plain, 240)}  ${numbers.count(this.#counts[at], "layer")}`,
    ]);
  }

  /** The rules with their colours, for paper. @param {Palette} colors */
  printed(colors) {
    return el("div", { class: "keys" }, this.#entries(colors, false));
  }

  /**
   * @param {Palette} colors
   * @param {boolean} removable
   */
  #entries(colors, removable) {
    return this.list.map(({ query, color }, at) => {
      const background = colors.rules[color][0];
      const label = `Remove the colour of ${query}`;
      return el(
        "span",
        { class: "key" },
        el("b", { class: "swatch", style: { background, color: colors.on(background) } }, String(at + 1)),
        el("span", { class: "query", dir: "ltr", title: query }, query),
        el("span", { class: "muted" }, numbers.count(this.#counts[at], "layer")),
        removable && dom.button({ "aria-label": label, title: label, on: { click: () => this.remove(at) } }, "×"),
      );
    });
  }
}

/**
 * What a query finds; null: it cannot be read.
 * @param {ConstructorParameters<typeof Search>[0]} engine
 * @param {ConstructorParameters<typeof Search>[1]} grammar
 * @param {string} query
 */
function found(engine, grammar, query) {
  try {
    return new Search(engine, grammar, query).find() ?? [];
  } catch (error) {
    if (error instanceof QueryError) return null;
    throw error;
  }
}
