// @ts-check
// An engine -> what `summary` says of it beyond the other views, below the drawing: sections of paragraphs and tables.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import * as links from "./links.js";

/** @import { App } from "./app.js" */

/** What this asks of the app. @typedef {Pick<App, "engine" | "panes" | "select">} Host */

export class ReportView {
  id = "report";
  #app;
  #place = dom.find("report");
  #body = el("div", { class: "sections", tabindex: "0", role: "group", "aria-label": "Sections of the summary" });
  /** The engine that it tells of. @type {object | null} */
  #told = null;

  /** @param {Host} app */
  constructor(app) {
    this.#app = app;
    const close = dom.cross("Close the summary", () => app.panes.show(null));
    dom.fill(this.#place, el("div", { class: "tools" }, el("h2", {}, "Summary"), close), this.#body);
  }

  focus() {
    this.#body.focus({ preventScroll: true });
  }

  /** Shows what is true now; a hidden one later. */
  update() {
    const { engine } = this.#app;
    if (this.#place.hidden || this.#told === engine) return;
    this.#told = engine;
    const sections = engine.report.map(([title, inside]) =>
      el(
        "section",
        {},
        el("h3", {}, title),
        inside.map((each) => (typeof each === "string" ? el("p", {}, dom.sentence(each)) : this.#table(each))),
      ),
    );
    dom.fill(this.#body, sections);
    this.#body.scrollTop = 0;
  }

  /** Another engine was opened. */
  reset() {
    this.update();
  }

  select() {}

  /** @param {[string[], string[][]]} grid */
  #table([heads, rows]) {
    const right = heads.map((head) => head.startsWith(">"));
    const layers = heads.indexOf("layer");
    /** @type {(tag: "th" | "td", words: string, at: number) => HTMLElement} */
    const cell = (tag, words, at) =>
      el(
        tag,
        { class: right[at] ? "right" : null, scope: tag === "th" ? "col" : null, dir: "ltr" },
        tag === "td" && at === layers ? this.#layer(words) : dom.sentence(words),
      );
    return dom.table(
      {},
      heads.map((head, at) => cell("th", head.replace(/^>/, ""), at)),
      rows.map((row) => row.map((words, at) => cell("td", words, at))),
    );
  }

  /** A cell that begins with the number of a layer leads there. @param {string} words */
  #layer(words) {
    const number = /^\d+(?=$| (?!×))/.exec(words)?.[0];
    if (number === undefined) return words;
    const node = Number(number);
    /** @param {MouseEvent} event */
    const click = (event) => {
      event.preventDefault();
      this.#app.select(node);
    };
    return el("a", { href: links.to(this.#app.engine.head.index, node), on: { click } }, words);
  }
}
