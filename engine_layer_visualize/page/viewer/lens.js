// @ts-check
// The selected layer, or what a person chose -> the layers and edges that are lit, and what the panel tells of them: all
// above or below, several that were chosen, the cut edges of a box.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import { cutEdges } from "./flags.js";
import * as graph from "./graph.js";
import * as numbers from "./numbers.js";
import { section } from "./parts.js";
import { ranged, ranges } from "./ranges.js";

/** @import { App } from "./app.js" */
/** @import { Engine } from "./types.d.ts" */

const LONGEST = 2000; // characters of a link to several layers; a longer one is left out
/** Buttons, titles, and what the tooltip of the button says. */
const WAYS = /** @type {const} */ ({
  up: ["Upstream", "Upstream of", "All that it depends on (u)"],
  down: ["Downstream", "Downstream of", "All that depends on it (d)"],
  both: ["Both", "Above and below", "Upstream and downstream (c, Shift+click)"],
});

/** @typedef {keyof typeof WAYS} Way */

/**
 * What a node is called in a sentence.
 * @param {Engine} engine
 * @param {number} node
 */
const called = (engine, node) => (engine.isLayer(node) ? `layer ${node}` : engine.name(node));

/** What is lit on request, for one page. */
export class Lenses {
  #app;

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
  }

  /** Lights all above the selected node, all below, or both. @param {Way} way */
  cone(way) {
    const { engine, selected } = this.#app;
    if (selected === null) return;
    const all = (way === "both" ? [false, true] : [way === "down"]).map((down) => graph.cone(engine, selected, down));
    const nodes = [...new Set(all.flatMap((each) => [...each.nodes]))].sort((a, b) => a - b);
    this.#app.light({
      title: `${WAYS[way][1]} ${called(engine, selected)}, with it`,
      words: "",
      nodes,
      edges: new Set(all.flatMap((each) => [...each.edges])),
      link: `${way},${selected}`,
    });
  }

  /** Lights the cut edges of a box. @param {number} box */
  cut(box) {
    const { engine, scene, selected } = this.#app;
    const flags = cutEdges(scene, box);
    const nodes = [...scene.nodes(box), ...flags.map(({ node }) => node)];
    if (selected !== null && !nodes.includes(selected)) this.#app.select(null); // a link could not hold both
    this.#app.light({
      title: `Lines of ${scene.group(box)?.path ?? called(engine, nodes[0])} that are not drawn`,
      words: `They lead to ${numbers.count(flags.length, "other box", "es")}.`,
      nodes,
      edges: new Set(flags.map(({ edge }) => edge)),
      link: null,
    });
  }

  /**
   * Lights several nodes that a person chose, with their sums.
   * @param {Iterable<number>} nodes none: the end of it
   */
  several(nodes) {
    const { engine, selected, tensor } = this.#app;
    const chosen = new Set(nodes);
    const list = [...chosen].sort((a, b) => a - b);
    if (!list.length) {
      this.#app.light(null);
      return;
    }
    if (tensor !== null || (selected !== null && !chosen.has(selected))) this.#app.select(null);
    const link = `set,${ranges(list)}`;
    this.#app.light({
      title: "Selected",
      words: "Ctrl+click adds or takes away.",
      nodes: list,
      edges: new Set(list.flatMap((node) => [...engine.out(node)].filter((edge) => chosen.has(engine.edges.to[edge])))),
      link: link.length > LONGEST ? null : link,
    });
  }

  /**
   * Adds nodes to those that a person chose, or takes them away where all are among them.
   * @param {number[]} nodes
   */
  toggle(nodes) {
    const { lens, selected } = this.#app;
    const now = new Set(lens?.title === "Selected" ? lens.nodes : selected === null ? [] : [selected]);
    const there = nodes.every((node) => now.has(node));
    for (const node of nodes) {
      if (there) now.delete(node);
      else now.add(node);
    }
    this.several(now);
  }

  /**
   * Lights what a lens's `link` tells; false: there is no such thing.
   * @param {string} link
   */
  restore(link) {
    const app = this.#app;
    const [, how = "", list = ""] = /^(\w{1,9}),([\d,-]*)$/.exec(link) ?? [];
    const nodes = ranged(list, app.engine.all);
    if (nodes && how === "set") this.several(nodes);
    else if (nodes && Object.hasOwn(WAYS, how)) {
      app.select(nodes[0], false);
      this.cone(/** @type {Way} */ (how));
    }
    return app.lens?.link === link;
  }

  /** Buttons that light what is around the selected layer, for the panel. */
  controls() {
    const buttons = Object.entries(WAYS).map(([way, [words, , title]]) =>
      dom.button({ title, on: { click: () => this.cone(/** @type {Way} */ (way)) } }, words),
    );
    return section("Highlight", el("div", { class: "lights" }, buttons));
  }

  /** What is lit, for the panel; null: nothing. */
  told() {
    const app = this.#app;
    const { lens } = app;
    if (!lens) return null;
    /** @type {(words: string, call: () => void) => HTMLElement} */
    const button = (words, call) => dom.button({ on: { click: call } }, words);
    return el(
      "section",
      { class: "lens", id: "lens", tabindex: "-1", "aria-label": "What is lit" },
      el("h3", { dir: "ltr" }, lens.title),
      lens.words ? el("p", {}, lens.words) : null,
      el("p", { class: "sums" }, dom.unbroken(app.told(lens.nodes.filter(app.engine.isLayer)).join("  ·  "))),
      el(
        "div",
        { class: "lights" },
        button("Show", () => app.drawing.showAll(lens.nodes)),
        button("Table", () => app.panes.show("table")),
        button("End", () => app.light(null)),
      ),
    );
  }
}
