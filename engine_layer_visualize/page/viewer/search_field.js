// @ts-check
// The query in the search field -> the hits, marked in drawing and table and listed; the keys go from one to the
// next. What cannot be read is said below the field.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import * as numbers from "./numbers.js";
import { QueryError } from "./query.js";
import { Search } from "./search.js";

/** @import { Block, Searching } from "./types.d.ts" */

const SHOWN = 100; // hits that are listed
/** `block:7`, `encoder layer 7`: the blocks of this number, also where layers have these words. */
export const NUMBERED = /^\s*([^:]*?)\s*\b(?:block|layer)[: ]\s*#?(\d{1,9})\s*$/i;
const MANY = 3000; // nodes, above which a search waits for the next letter

/**
 * Layers are counted as `--query` does; inputs and outputs, of which that tells nothing, apart.
 * @param {number} layers
 * @param {number} all
 */
function counted(layers, all) {
  if (!all) return "nothing found";
  const ends = all - layers;
  const also = ends === 1 ? "1 input or output" : `${numbers.grouped(ends)} inputs and outputs`;
  if (!layers) return `no layer found, ${also}`;
  return `${numbers.grouped(layers)} found${ends ? `, and ${also}` : ""}`;
}

export class SearchField {
  #app;
  #input = dom.find("search", HTMLInputElement);
  #box = dom.find("found");
  #list = dom.find("hits");
  #count = dom.find("hit-count");
  #note = dom.find("search-note");
  #sum = el("p", { class: "sum" });
  /** What is called so, or may be; `exact`: of these what is called exactly so. @type {(query: string, exact: boolean) => Block[]} */
  blocks = () => [];
  /** Those of the list. @type {Block[]} */
  #blocks = [];
  /** @type {number[]} */
  #hits = [];
  #at = -1; // of the hits
  /** @type {number | undefined} */
  #timer;

  /** @param {Searching} app */
  constructor(app) {
    this.#app = app;
    const input = this.#input;
    this.#list.before(this.#sum);
    input.addEventListener("input", () => {
      this.#stop();
      if (app.engine.nodes > MANY) this.#timer = dom.later(() => this.#run(), 90);
      else this.#run();
    });
    input.addEventListener("focus", () => {
      if (input.value) this.#open(true);
    });
    input.addEventListener("blur", () => this.#open(false));
    input.addEventListener("keydown", (event) => this.#key(event));
  }

  /**
   * Searches for this, with the list closed.
   * @param {string} query
   */
  set(query) {
    this.#input.value = query;
    this.again();
  }

  /** The same in another engine. */
  again() {
    this.#run();
    this.#open(false);
  }

  /** What stands in the field. */
  get query() {
    return this.#input.value;
  }

  /** What of it cannot be read; null: nothing. */
  get problem() {
    return this.#input.getAttribute("aria-invalid") === "true" ? this.#note.textContent : null;
  }

  clear() {
    this.set("");
  }

  /** Waits no longer for the next letter. */
  #stop() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Empties the field; the hits stay as they are. */
  forget() {
    this.#stop();
    this.#input.value = "";
    this.#tell("", "");
    this.#open(false);
  }

  /** Where the list ends, if it is open over the drawing, in pixels of the window. */
  get foot() {
    const [list, drawing] = [this.#box, dom.find("drawing")].map((each) => each.getBoundingClientRect());
    return list.left < drawing.right ? list.bottom : 0;
  }

  focus() {
    this.#input.focus();
    this.#input.select();
  }

  #run() {
    this.#stop();
    [this.#hits, this.#blocks, this.#at] = [[], [], -1];
    dom.fill(this.#list);
    this.#input.removeAttribute("aria-activedescendant");
    try {
      this.#show(NUMBERED.test(this.query) ? this.blocks(this.query, false) : []);
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      this.#app.showHits(null);
      this.#tell("", `Character ${error.column}: ${error.message}. Expected: ${error.expected}.`, true);
      this.#open(true);
    }
  }

  /** Layers and blocks that are called so; blocks of a number alone. @param {Block[]} numbered */
  #show(numbered) {
    const { engine, look } = this.#app;
    const search = numbered.length ? null : new Search(engine, look.search, this.query);
    const hits = search ? search.find() : [];
    if (hits === null) {
      this.#app.showHits(null);
      this.#tell("", "");
      this.#open(false);
      return;
    }
    const blocks = (hits.length ? [] : search ? this.blocks(this.query, false) : numbered).slice(0, SHOWN);
    [this.#hits, this.#blocks] = [hits, blocks];
    if (hits.length || !blocks.length) this.#app.showHits(hits, (boxes) => search?.within(boxes) ?? []);
    else this.#app.showHits([...new Set(blocks.flatMap(({ members }) => members))].sort((a, b) => a - b));
    const all = hits.length;
    const note = all > SHOWN ? `The first ${SHOWN} of ${numbers.grouped(all)}:` : "";
    const found = counted(hits.filter(engine.isLayer).length, all);
    this.#tell(blocks.length ? numbers.count(blocks.length, "block") : found, note);
    dom.fill(
      this.#list,
      blocks.map(({ label, words }, at) => this.#option(at, el("b", {}, label), el("span", { class: "value" }, words))),
      search && hits.slice(0, SHOWN).map((node, at) => this.#entry(node, at, search)),
    );
    this.#offer();
    this.#open(true);
  }

  /** Other queries that may be meant. */
  get #others() {
    const { fields } = this.#app.look.search;
    const said = this.query.trim();
    const number = NUMBERED.exec(said)?.[2];
    if (number) return [`#${number}`];
    const word = /^[\p{L}\p{N}_./]{3,80}$/u.test(said);
    const of = word ? ["type", "tensor"].filter((each) => fields[each]).map((each) => `${each}:${said}`) : [];
    if (this.#hits.length) return of;
    if (/^[<>]=?\s*[\d.]+\s*(%|[mnuµ]?s)$/i.test(said)) return [`time${said.replaceAll(/\s/g, "")}`];
    if (/^(slow|hot|long)(est)?\b/i.test(said)) return ["time>1%"];
    return word && /[^s]s$/i.test(said) ? [...of, said.slice(0, -1)] : of;
  }

  /** Offers blocks that are called so beside layers, and queries that find other layers. */
  #offer() {
    const { engine, look } = this.#app;
    const hits = new Set(this.#hits);
    /** @param {string} words @param {() => void} call */
    const offer = (words, call) => {
      /** @param {MouseEvent} event */
      const mousedown = (event) => {
        event.preventDefault();
        call();
      };
      this.#sum.append(" ", dom.button({ tabindex: "-1", on: { mousedown } }, words));
    };
    for (const { label, words, choose } of hits.size ? this.blocks(this.query, true) : [])
      offer(`block ${label}: ${words}`, choose);
    for (const query of this.#others) {
      const found = (new Search(engine, look.search, query).find() ?? []).filter(engine.isLayer);
      const beyond = found.some((node) => !hits.has(node));
      if (query.startsWith("type:") ? !found.length || found.length === hits.size : !beyond) continue;
      offer(`${query}: ${numbers.count(found.length, "layer")}`, () => {
        this.#input.value = query;
        this.#run();
      });
    }
  }

  /**
   * @param {string} count
   * @param {string} note
   * @param {boolean} [wrong]
   */
  #tell(count, note, wrong = false) {
    this.#count.textContent = count;
    this.#note.textContent = note;
    const found = this.#hits.filter(this.#app.engine.isLayer);
    this.#sum.textContent = found.length && this.#app.told ? this.#app.told(found).join("  ·  ") : "";
    this.#input.setAttribute("aria-invalid", String(wrong));
  }

  /**
   * @param {number} node
   * @param {number} number
   * @param {Search} search
   */
  #entry(node, number, search) {
    const [field, content] = search.where(node);
    return this.#option(
      number,
      el("b", {}, this.#app.engine.label(node)),
      el("span", { class: "value" }, this.#app.cost?.(node) ?? ""),
      el("span", { class: "what", dir: "ltr" }, el("span", { class: "where" }, field), ` ${content}`),
      el("span", { class: "place" }, this.#app.within?.(node) ?? ""),
    );
  }

  /**
   * @param {number} number
   * @param {...HTMLElement} content
   */
  #option(number, ...content) {
    /** @param {MouseEvent} event */
    const mousedown = (event) => {
      event.preventDefault();
      this.#open(false);
      this.#pick(number);
    };
    return el("li", { id: `hit-${number}`, role: "option", "aria-selected": "false", on: { mousedown } }, content);
  }

  /** @param {boolean} yes */
  #open(yes) {
    const told = Boolean(this.#list.childElementCount || this.#note.textContent || this.#sum.textContent);
    this.#box.hidden = !(yes && told);
    this.#input.setAttribute("aria-expanded", String(yes && told));
  }

  /**
   * To the number-th hit, counted round; beyond the list as well.
   * @param {number} number
   */
  #pick(number) {
    const [hits, blocks] = [this.#hits, this.#blocks];
    const all = hits.length || blocks.length;
    if (!all) return;
    const at = (number + all) % all;
    this.#at = at;
    [...this.#list.children].forEach((item, place) => {
      item.setAttribute("aria-selected", String(place === at));
    });
    const item = this.#list.children[at];
    if (item) {
      item.scrollIntoView({ block: "nearest" });
      this.#input.setAttribute("aria-activedescendant", item.id);
    }
    this.#count.textContent = `${numbers.grouped(at + 1)} of ${numbers.grouped(all)}`;
    if (hits.length) this.#app.select(hits[at]);
    else blocks[at].choose();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { key } = event;
    if (key === "Enter" || key === "ArrowDown" || key === "ArrowUp") {
      event.preventDefault();
      if (this.#timer !== undefined) this.#run(); // the hits are still those of what stood there before
      const back = key === "ArrowUp" || event.shiftKey;
      this.#open(key !== "Enter"); // the list would lie over what the panel tells of the hit
      this.#pick(back ? Math.max(-1, this.#at - 1) : this.#at + 1);
    } else if (key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      this.#open(false);
      dom.find("drawing").focus({ preventScroll: true }); // what was searched for stays; Escape there ends it
    }
  }
}
