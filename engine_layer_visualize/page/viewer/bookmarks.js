// @ts-check
// Layers -> bookmarks with short notes, which the address alone holds: in the panel, in the overview, on the boxes.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import * as numbers from "./numbers.js";
import { link, section } from "./parts.js";

/** @import { App } from "./app.js" */
/** @import { Head, Part } from "./types.d.ts" */

/**
 * What this asks of the app.
 * @typedef {Pick<App, "address" | "bookmarksChanged" | "engine" | "folded" | "select" | "selected" | "showPanel">} Host
 */

const LONGEST = 160; // characters of a note
const MOST = 40; // bookmarks

/** A layer's engine and number -> its note. @typedef {{ engine: number; layer: number; note: string }} Bookmark */

/** @param {string} note */
const escaped = (note) => note.replace(/[\\,]/g, "\\$&");

/** @param {string} text */
const entries = (text) => text.match(/(?:\\.|[^\\,])+/gs) ?? [];

export class Bookmarks {
  #app;
  /** @type {Bookmark[]} */
  #all = [];

  /** @param {Host} app */
  constructor(app) {
    this.#app = app;
  }

  /** @param {number} node */
  #find(node) {
    const { index } = this.#app.engine.head;
    return this.#all.find(({ engine, layer }) => engine === index && layer === node);
  }

  /** The note of a layer, which may be empty; undefined: no bookmark. @param {number} node */
  of(node) {
    return this.#find(node)?.note;
  }

  /** The boxes of the open engine's bookmarks. */
  boxes() {
    const { engine, folded } = this.#app;
    return new Set(this.#all.filter((one) => one.engine === engine.head.index).map((one) => folded.of[one.layer]));
  }

  /** Bookmarks the selected layer, and asks for a note. */
  ask() {
    const { selected, engine } = this.#app;
    if (selected === null || !engine.isLayer(selected)) return;
    if (!this.#find(selected)) {
      if (this.#all.length >= MOST) return;
      this.#all.push({ engine: engine.head.index, layer: selected, note: "" });
      this.#app.bookmarksChanged();
    }
    this.#app.showPanel();
    dom.find("note").focus();
  }

  /** @param {number} node */
  #remove(node) {
    const gone = this.#find(node);
    this.#all = this.#all.filter((one) => one !== gone);
    this.#app.bookmarksChanged();
  }

  /** What the panel of a layer shows. @param {number} node */
  ofLayer(node) {
    const found = this.#find(node);
    if (!found) {
      const full = this.#all.length >= MOST;
      const title = full ? `A link holds at most ${MOST} bookmarks` : "Kept in the address (m)";
      return dom.button({ disabled: full, title, on: { click: () => this.ask() } }, "Bookmark");
    }
    const input = el("input", {
      id: "note",
      value: found.note,
      maxlength: String(LONGEST),
      placeholder: "A note",
      "aria-label": "Note of the bookmark",
      autocomplete: "off",
      on: {
        input: () => {
          found.note = input.value;
          this.#app.address.changed(400);
        },
        keydown: (event) => {
          if (event.key === "Enter") dom.find("drawing").focus({ preventScroll: true });
        },
      },
    });
    const click = () => {
      this.#remove(node);
      dom.find("panel").focus({ preventScroll: true });
    };
    return el("div", { class: "note-field" }, input, dom.button({ on: { click } }, "Remove bookmark"));
  }

  /** What the overview lists. */
  overview() {
    const { engine } = this.#app;
    const own = this.#all.filter((one) => one.engine === engine.head.index).sort((a, b) => a.layer - b.layer);
    if (!own.length) return null;
    /** @param {Bookmark} bookmark */
    const entry = ({ layer, note }) => {
      const remove = dom.cross(`Remove the bookmark of layer ${layer}`, () => this.#remove(layer));
      return el("li", {}, el("div", {}, link(this.#app, layer), note && el("p", {}, note)), remove);
    };
    return section("Bookmarks", el("ul", { class: "bookmarks" }, own.map(entry)));
  }

  /**
   * In the address: layer, its note after a colon, another; the engine before a slash where it is not the open one.
   * @param {Head[]} heads
   * @returns {Part}
   */
  part(heads) {
    /** @param {string} text */
    const parsed = (text) => {
      const [, engine, layer, note = ""] = /^(?:(\d{1,9})\/)?(\d{1,9})(?::(.*))?$/s.exec(text) ?? [];
      const index = engine === undefined ? this.#app.engine.head.index : Number(engine);
      const head = heads.find((one) => one.index === index);
      if (layer === undefined || !head || Number(layer) >= head.layers) return null;
      return { engine: index, layer: Number(layer), note: note.replace(/\\(.)/gs, "$1").slice(0, LONGEST) };
    };
    return {
      key: "notes",
      quiet: true,
      kept: true,
      read: () => {
        const open = this.#app.engine.head.index;
        const list = this.#all.map(({ engine, layer, note }) => {
          const number = engine === open ? String(layer) : `${engine}/${layer}`;
          return note ? `${number}:${escaped(note)}` : number;
        });
        return list.join(",") || null;
      },
      apply: (value) => {
        const list = entries(value ?? "").map(parsed);
        const good = list.filter((one) => one !== null).slice(0, MOST);
        this.#all = good.filter(
          (one, at) => good.findIndex(({ engine, layer }) => engine === one.engine && layer === one.layer) === at,
        );
        this.#app.bookmarksChanged();
        const lost = list.length - good.length;
        return lost
          ? `${numbers.count(lost, "bookmark")} of the link cannot be read, or are of layers that are not here.`
          : null;
      },
    };
  }
}
