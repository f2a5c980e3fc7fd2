// @ts-check
// The words in the search field -> the hits, marked in the drawing and listed; the keys go from one to the next.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import * as numbers from "./numbers.js";
import { find, where } from "./search.js";

/** @import { Searching } from "./types.d.ts" */

const SHOWN = 100; // hits that are listed
const MANY = 3000; // nodes, above which a search waits for the next letter

export class SearchField {
  #app;
  #input = dom.find("search", HTMLInputElement);
  #box = dom.find("found");
  #list = dom.find("hits");
  #count = dom.find("hit-count");
  /** @type {number[]} */
  #hits = [];
  #at = -1; // of the hits
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @param {Searching} app */
  constructor(app) {
    this.#app = app;
    const input = this.#input;
    input.addEventListener("input", () => {
      clearTimeout(this.#timer);
      if (app.engine.nodes > MANY) this.#timer = setTimeout(() => this.#run(), 90);
      else this.#run();
    });
    input.addEventListener("focus", () => {
      if (input.value) this.#open(true);
    });
    input.addEventListener("blur", () => this.#open(false));
    input.addEventListener("keydown", (event) => this.#key(event));
  }

  /**
   * Searches for these words, with the list closed.
   * @param {string} words
   */
  set(words) {
    this.#input.value = words;
    this.#run();
    this.#open(false);
  }

  clear() {
    this.#input.value = "";
    this.#run();
  }

  focus() {
    this.#input.focus();
    this.#input.select();
  }

  #run() {
    const found = find(this.#app.engine, this.#input.value);
    const hits = found ?? [];
    [this.#hits, this.#at] = [hits, -1];
    this.#app.showHits(found);
    this.#open(found !== null);
    if (found === null) return;
    const listed = hits.length > SHOWN ? `, the first ${SHOWN} listed` : "";
    this.#count.textContent = hits.length ? `${numbers.grouped(hits.length)} found${listed}` : "nothing found";
    dom.fill(
      this.#list,
      hits.slice(0, SHOWN).map((node, number) => this.#entry(node, number)),
    );
    this.#input.removeAttribute("aria-activedescendant");
  }

  /**
   * @param {number} node
   * @param {number} number
   */
  #entry(node, number) {
    const { engine } = this.#app;
    const [field, content] = where(engine, node, this.#input.value);
    /** @param {MouseEvent} event */
    const mousedown = (event) => {
      event.preventDefault();
      this.#pick(number);
      this.#open(false);
    };
    return el(
      "li",
      { id: `hit-${number}`, role: "option", "aria-selected": "false", on: { mousedown } },
      el("b", {}, engine.label(node)),
      el("span", { class: "where" }, field),
      el("span", { class: "what", dir: "ltr" }, content),
    );
  }

  /** @param {boolean} yes */
  #open(yes) {
    this.#box.hidden = !yes;
    this.#input.setAttribute("aria-expanded", String(yes));
  }

  /**
   * To the number-th hit, counted round; beyond the list as well.
   * @param {number} number
   */
  #pick(number) {
    const hits = this.#hits;
    if (!hits.length) return;
    const at = (number + hits.length) % hits.length;
    this.#at = at;
    [...this.#list.children].forEach((item, place) => {
      item.setAttribute("aria-selected", String(place === at));
    });
    const item = this.#list.children[at];
    if (item) {
      item.scrollIntoView({ block: "nearest" });
      this.#input.setAttribute("aria-activedescendant", item.id);
    }
    this.#count.textContent = `${numbers.grouped(at + 1)} of ${numbers.grouped(hits.length)}`;
    this.#app.select(hits[at]);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { key } = event;
    if (key === "Enter" || key === "ArrowDown" || key === "ArrowUp") {
      event.preventDefault();
      if (this.#box.hidden) this.#open(Boolean(this.#hits.length));
      const back = key === "ArrowUp" || event.shiftKey;
      this.#pick(back ? Math.max(-1, this.#at - 1) : this.#at + 1);
    } else if (key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      if (!this.#box.hidden && this.#hits.length) this.#open(false);
      else {
        this.clear();
        dom.find("drawing").focus();
      }
    }
  }
}
