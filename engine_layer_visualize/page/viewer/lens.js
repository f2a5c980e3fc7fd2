// @ts-check
// The selected layer or tensor, and what to light of its surroundings -> the layers and edges that are lit, and what
// the panel tells of them: all above or below, a path, a trace, the cut edges of a box.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import { cutEdges } from "./flags.js";
import * as graph from "./graph.js";
import * as numbers from "./numbers.js";
import { link, section, several } from "./parts.js";
import { QueryError } from "./query.js";
import { ranged, ranges } from "./ranges.js";
import { Search } from "./search.js";

/** @import { App } from "./app.js" */
/** @import { Engine, Lens, Subgraph } from "./types.d.ts" */

const LONGEST = 2000; // characters of a link to several layers; a longer one is left out
/** How many steps a cone may have; 0: all. */
const STEPS = [3, 0];
/** @type {Record<import("./graph.js").Role, string>} */
const ROLES = { origin: "made by", moves: "moved by", uses: "used by" };
const WAYS = /** @type {const} */ ({ up: "Upstream of", down: "Downstream of", both: "Above and below" });

/** @typedef {keyof typeof WAYS} Way */

/**
 * What a node is called in a sentence.
 * @param {Engine} engine
 * @param {number} node
 */
export const called = (engine, node) => (engine.isLayer(node) ? `layer ${node}` : engine.name(node));

/**
 * @param {Engine} engine
 * @param {Iterable<number>} nodes
 */
const counted = (engine, nodes) => numbers.count([...nodes].filter((node) => engine.isLayer(node)).length, "layer");

/** What is lit on request, for one page. */
export class Lenses {
  #app;
  /** Of the next cones; 0: all. */
  steps = 0;
  /** The field for the other end of a path is open. */
  asks = false;

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
  }

  /**
   * Lights all above, all below, or both, as far as `steps` says.
   * @param {Way} way
   * @param {number} [steps]
   */
  cone(way, steps = this.steps) {
    const { engine, selected } = this.#app;
    if (selected === null) return;
    /** @type {Subgraph} */
    const all = { nodes: new Set(), edges: new Set() };
    for (const down of way === "both" ? [false, true] : [way === "down"]) {
      const found = graph.cone(engine, [selected], down, steps || Infinity);
      for (const node of found.nodes) all.nodes.add(node);
      for (const edge of found.edges) all.edges.add(edge);
    }
    const nodes = [...all.nodes].sort((a, b) => a - b);
    const others = nodes.filter((node) => node !== selected);
    this.#app.light({
      title: `${WAYS[way]} ${called(engine, selected)}`,
      words: counted(engine, others) + (steps ? ` at most ${numbers.count(steps, "step")} away` : ""),
      nodes,
      edges: all.edges,
      steps: null,
      link: [way, selected, ...(steps ? [steps] : [])].join(","),
    });
  }

  /**
   * Lights the shortest path from the selected node to the nearest of these.
   * @param {number[]} targets
   */
  path(targets) {
    const { engine, selected } = this.#app;
    const others = targets.filter((node) => node !== selected);
    if (selected === null || !others.length) return;
    const found = graph.path(engine, selected, others);
    if (!found) {
      const to = others.length === 1 ? called(engine, others[0]) : "any of them";
      const words = `No path leads from ${called(engine, selected)} to ${to}, nor back.`;
      this.#app.light({
        title: "No path",
        words,
        nodes: [selected, ...others],
        edges: new Set(),
        steps: null,
        link: null,
      });
      return;
    }
    const { nodes, count, all } = found;
    const title = `Path from ${called(engine, nodes[0])} to ${called(engine, nodes[nodes.length - 1])}`;
    const ends = [selected, nodes[0] === selected ? nodes[nodes.length - 1] : nodes[0]].join(",");
    /** @type {Lens} */
    const lens = {
      title,
      words: `${numbers.count(found.edges.length, "step")}, ${waysInWords(count)}`,
      nodes,
      edges: new Set(found.edges),
      steps: nodes.map((node) => [node, ""]),
      link: `path,${ends}`,
    };
    if (count !== 1) {
      const whole = { ...lens, title: `All paths${title.slice(4)}`, steps: null, link: `paths,${ends}` };
      const words = `${count === null ? "some go round" : paths(count)}, through ${counted(engine, all.nodes)}`;
      const call = () => this.#app.light({ ...whole, words, nodes: [...all.nodes], edges: all.edges });
      lens.more = { words: "Light all of them", call };
    }
    this.#app.light(lens);
  }

  /**
   * Lights a tensor from where it is made, through all that only moves it, to all that use it.
   * @param {number} edge
   */
  trace(edge) {
    const { engine } = this.#app;
    const { nodes, edges, steps } = graph.trace(engine, edge);
    const uses = steps.filter(([, role]) => role === "uses").length;
    const moves = steps.filter(([, role]) => role === "moves").length;
    this.#app.light({
      title: `Trace of ${engine.text(engine.tensors.name[engine.edges.tensor[edge]])}`,
      words: [
        `used ${uses === 1 ? "once" : `${numbers.grouped(uses)} times`}`,
        moves ? `moved by ${numbers.count(moves, "layer")}` : "",
      ]
        .filter(Boolean)
        .join(", "),
      nodes,
      edges,
      steps: steps.map(([node, role]) => [node, ROLES[role]]),
      link: `trace,${edge}`,
    });
  }

  /**
   * Lights the cut edges of a box.
   * @param {number} box
   */
  cut(box) {
    const { engine, scene, selected } = this.#app;
    const flags = cutEdges(scene, box);
    const nodes = [...scene.nodes(box), ...flags.map(({ node }) => node)];
    if (selected !== null && !nodes.includes(selected)) this.#app.select(null); // a link could not hold both
    const group = scene.group(box);
    const name = group ? group.path : called(engine, scene.nodes(box)[0]);
    const count = numbers.count(flags.length, "other box", "es");
    const ends = flags.map(
      ({ words, node }) => /** @type {[number, string]} */ ([node, words === "←" ? "from" : "to"]),
    );
    this.#app.light({
      title: `Lines of ${name} that are not drawn`,
      words: `They lead to ${count}.`,
      nodes,
      edges: new Set(flags.map(({ edge }) => edge)),
      steps: ends,
      link: `cut,${scene.nodes(box)[0]}`,
    });
  }

  /**
   * Lights several nodes that a person chose, with their sums.
   * @param {Iterable<number>} nodes none: the end of it
   */
  several(nodes) {
    const { engine } = this.#app;
    const chosen = new Set(nodes);
    const list = [...chosen].sort((a, b) => a - b);
    if (!list.length) {
      this.#app.light(null);
      return;
    }
    if (this.#app.selected !== null && !list.includes(this.#app.selected)) this.#app.select(null);
    const link = `set,${ranges(list)}`;
    this.#app.light({
      title: "Selected",
      words: "Ctrl+click adds or takes away; Shift+drag takes a frame.",
      nodes: list,
      edges: new Set(list.flatMap((node) => [...engine.out(node)].filter((edge) => chosen.has(engine.edges.to[edge])))),
      steps: null,
      link: link.length > LONGEST ? null : link,
    });
  }

  /**
   * Adds nodes to those that a person chose, or takes them away where all are among them.
   * @param {number[]} nodes
   */
  toggle(nodes) {
    const { lens, selected } = this.#app;
    const now = new Set(lens?.link?.startsWith("set,") ? lens.nodes : selected === null ? [] : [selected]);
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
    const { engine } = app;
    const chosen = link.startsWith("set,") ? ranged(link.slice(4), engine.all) : null;
    if (chosen) this.several(chosen);
    const [, how, first, second] = /^(\w{1,9}),(\d{1,9})(?:,(\d{1,9}))?$/.exec(link) ?? [];
    const [node, other] = [Number(first), Number(second ?? 0)];
    if (chosen) return app.lens?.link === link;
    if (how === undefined || node >= (how === "trace" ? engine.edges.from.length : engine.all)) return false;
    if (how === "trace") this.trace(node);
    else if (how === "cut") this.cut(app.folded.of[node]);
    else {
      app.select(node, false);
      if (how === "up" || how === "down" || how === "both") this.cone(how, other);
      else if (/^paths?$/.test(how) && other < engine.all) this.path([other]);
      if (how === "paths") app.lens?.more?.call();
    }
    return app.lens?.link === link;
  }

  /** Opens the field for the other end of a path. */
  ask() {
    if (this.#app.selected === null) return;
    this.asks = true;
    this.#app.tell();
    this.#app.showPanel();
    dom.find("path-to").focus();
  }

  /**
   * @param {string} text a number, or a query
   * @returns {string} what is wrong with it
   */
  #answer(text) {
    const { engine, look } = this.#app;
    try {
      const query = /^\s*\d+\s*$/.test(text) ? `#${text.trim()}` : text;
      const found = new Search(engine, look.search, query).find() ?? [];
      if (!found.some((node) => node !== this.#app.selected)) return "nothing found";
      this.asks = false;
      this.path(found);
      return "";
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      return `${error.message}; expected: ${error.expected}`;
    }
  }

  /** Buttons that light what is around the selected layer, for the panel. */
  controls() {
    /** @type {(words: string, title: string, call: () => void) => HTMLElement} */
    const button = (words, title, call) => dom.button({ title, on: { click: call } }, words);
    const steps = el(
      "select",
      { "aria-label": "How many steps away at most" },
      STEPS.map((by) =>
        el("option", { value: String(by), selected: by === this.steps }, by ? `within ${by}` : "all the way"),
      ),
    );
    steps.addEventListener("change", () => {
      this.steps = Number(steps.value);
    });
    return section(
      "Highlight",
      el(
        "div",
        { class: "lights" },
        button("Upstream", "All that it depends on (u)", () => this.cone("up")),
        button("Downstream", "All that depends on it (d)", () => this.cone("down")),
        button("Both", "Upstream and downstream (c, Shift+click)", () => this.cone("both")),
        steps,
        button("Path to …", "The shortest path to another layer (g, Alt+click on it)", () => this.ask()),
      ),
      this.asks ? this.#field() : null,
    );
  }

  #field() {
    const wrong = el("p", { class: "error", role: "alert" });
    const input = el("input", {
      id: "path-to",
      type: "text",
      "aria-label": "Path to: the number of a layer, or a search",
      placeholder: "number or search",
      autocomplete: "off",
    });
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      wrong.textContent = this.#answer(input.value);
      if (!this.asks) dom.find("lens").focus();
    };
    return el("form", { class: "lights", on: { submit } }, input, el("button", { type: "submit" }, "Light"), wrong);
  }

  /** What is lit, for the panel; null: nothing. */
  told() {
    const app = this.#app;
    const { lens } = app;
    if (!lens) return null;
    const { more } = lens;
    /** @type {(words: string, call: () => void) => HTMLElement} */
    const button = (words, call) => dom.button({ on: { click: call } }, words);
    return el(
      "section",
      { class: "lens", id: "lens", tabindex: "-1", "aria-label": "What is lit" },
      el("h3", { dir: "ltr" }, lens.title),
      lens.words ? el("p", {}, lens.words) : null,
      el("p", { class: "sums" }, sums(app, lens.nodes)),
      el(
        "div",
        { class: "lights" },
        button("Show", () => app.drawing.showAll(lens.nodes)),
        button("Table", () => app.panes.show("table")),
        more ? button(more.words, more.call) : null,
        button("End", () => app.light(null)),
      ),
      lens.steps
        ? el(
            "ol",
            { class: "steps" },
            several(lens.steps, ([node, role]) =>
              el(
                "li",
                { "aria-current": node === app.selected && "step" },
                role ? el("span", { class: "muted" }, role) : null,
                " ",
                link(app, node),
              ),
            ),
          )
        : null,
    );
  }
}

/**
 * Time, share and bytes of the layers among these nodes.
 * @param {App} app
 * @param {number[]} nodes
 */
function sums(app, nodes) {
  const { engine } = app;
  const own = nodes.filter(engine.isLayer);
  const bytes = own.reduce((sum, node) => sum + (engine.layers.bytes[node] ?? 0), 0);
  const memory = bytes ? [`${numbers.bytes(bytes)}: ${engine.memory}`] : [];
  return dom.unbroken([...app.told(own), ...memory].join("  ·  "));
}

/** @param {number} count */
const paths = (count) => (count < graph.MANY_PATHS ? `${numbers.grouped(count)} paths` : "more than a million paths");

/** @param {number | null} count */
function waysInWords(count) {
  if (count === null) return "the shortest; others go round";
  return count === 1 ? "the only path" : `the shortest of ${paths(count)}`;
}
