// @ts-check
// An engine and its folded rows -> colours and words of every box and edge. It draws nothing.

import { Fills } from "./fills.js";
import * as flags from "./flags.js";
import { badges } from "./found.js";
import * as grids from "./grid.js";
import { withInside, withWires } from "./inside.js";
import * as numbers from "./numbers.js";

/** @import { Color, Engine, Flag, Frame, Curve, Mark, Mode, Palette, BoxText, Folded, Routes } from "./types.d.ts" */

const PARTS = 48; // of the strip of a folded group
const CURVES = 40; // lit edges that are cut and drawn all the same

export class Scene extends Fills {
  /** Boxes that a search found, or that are lit; null: all. @type {Set<number> | null} */
  hits = null;
  /** Which of the boxes inside of a layer that was found a search asks for. @type {((boxes: number[]) => number[]) | null} */
  within = null;
  /** How many nodes of each box it found. @type {Map<number, number>} */
  #found = new Map();
  /** Layers without a kernel that a search found, or one that is selected. @type {Set<number>} */
  foundMarks = new Set();
  /** Routes that are lit. @type {Set<number>} */
  lit = new Set();
  /** Whether all other routes are faint, but those between hits of a search. */
  faint = false;
  /** Whether they are faint for a search alone. */
  #searched = false;
  /** Boxes at the other ends of the selected one's edges, or at the ends of the selected tensor. @type {Set<number>} */
  ends = new Set();
  hover = -1;
  selected = -1;
  /** Routes under the pointer. @type {Set<number>} */
  pointed = new Set();
  /** Those of them that are cut. @type {Curve[]} */
  #pointedCurves = [];
  /** @type {Color[]} */
  #fills = [];
  /** @type {BoxText[]} */
  #texts = [];
  /** @type {Curve[]} */
  #litCurves = [];
  /** @type {Flag[][]} */
  #flags = [];
  /** @type {Color[][]} */
  #strips = [];

  /**
   * @param {Engine} engine
   * @param {Folded} folded
   * @param {Frame[]} frames
   * @param {Routes} routes
   * @param {Palette} colors
   * @param {Mode} mode
   */
  constructor(engine, folded, frames, routes, colors, mode) {
    super(engine, colors, mode);
    this.folded = folded;
    this.frames = frames;
    this.routes = routes;
    this.grid = grids.over(folded, routes);
    this.badges = badges(engine.found, folded.of, folded.size);
    const [slowest, hottest] = this.#mostOf((box) => this.share(this.nodes(box)));
    this.hottest = hottest;
    this.slowest = slowest < 0 ? null : this.sum(this.nodes(slowest), "ms");
    this.top = Math.max(engine.top, hottest); // collapsed, several layers are one box
    this.largest = this.#mostOf((box) => this.moved(this.nodes(box)))[1];
    /** Control flow from box to box. @type {Curve[]} */
    this.jumps = engine.jumps
      .map(([a, b]) => ({ from: folded.of[a], to: folded.of[b], color: null }))
      .filter(({ from, to }) => from !== to);
  }

  /**
   * The group that a box stands for; null: it is one node.
   * @param {number} box
   */
  group(box) {
    const node = this.folded.node[box];
    return node < 0 ? this.engine.groups[-1 - node] : null;
  }

  /** @param {number} box */
  nodes(box) {
    return this.group(box)?.nodes ?? [this.folded.node[box]];
  }

  /**
   * The box that has the most, and how much that is.
   * @param {(box: number) => number | null} value
   */
  #mostOf(value) {
    let [found, most] = [-1, 0];
    for (let box = 0; box < this.folded.size; box++) {
      const here = value(box) || 0;
      if (here > most) [found, most] = [box, here];
    }
    return /** @type {const} */ ([found, most]);
  }

  /** The fill of a box that nothing colours. @param {number} box */
  plain(box) {
    return this.uncolored(this.nodes(box)[0], Boolean(this.group(box)));
  }

  /** @param {number} box */
  fill(box) {
    this.#fills[box] ??= this.color(this.nodes(box), Boolean(this.group(box)));
    return this.#fills[box];
  }

  /**
   * The fill as it is seen from afar, where the paper's own colour would vanish.
   * @param {number} box
   */
  far(box) {
    const node = this.folded.node[box];
    return this.seen(this.fill(box), node >= 0 && this.colors.quiet.has(this.engine.kind(node)));
  }

  /** The layers of the box at the pointer, or the layer that it is inside of. */
  get hoverLayers() {
    return this.hover < 0 ? [] : this.nodes(this.hover).map(this.engine.owner);
  }

  /**
   * The same for a box that is not among the hits, or not on the connected.
   * @param {number} box
   */
  pale(box) {
    return this.paled(this.far(box));
  }

  /** Of a folded box also how many of its layers a search found. @param {number} box */
  text(box) {
    this.#texts[box] ??= this.#textOf(box);
    const [words, found] = [this.#texts[box], this.group(box) && this.#found.get(box)];
    return found ? { ...words, sub: `${found} of ${numbers.grouped(this.nodes(box).length)} found` } : words;
  }

  /**
   * @param {number} box
   * @returns {BoxText}
   */
  #textOf(box) {
    const { engine } = this;
    const group = this.group(box);
    const list = this.nodes(box);
    const time = numbers.about(engine.head, this.sum(list, "ms"));
    const bytes = this.mode === "memory" ? this.moved(list) : null;
    const share = bytes === null ? numbers.percent(this.share(list)) : numbers.bytes(bytes);
    const sign = this.badges.of.get(box) ?? "";
    if (group) {
      const layers = numbers.count(list.length, "layer");
      const sub = group.brief ?? (group.label.startsWith("#") ? this.#held(list) : layers + this.mostly(list));
      return { index: "", head: `+ ${group.head}`, sub, share, time, quiet: false, badge: sign };
    }
    const [node] = list;
    const quiet = this.colors.quiet.has(engine.kind(node));
    return {
      index: engine.isLayer(node) ? String(node) : "",
      head: engine.headline(node),
      sub: engine.within(node),
      share: share || this.#estimate(node),
      time: time || (engine.layers.missing.has(node) ? "not timed" : ""),
      quiet,
      badge: sign,
    };
  }

  /** Their time and share, in words. @param {number[]} nodes */
  took(nodes) {
    return [numbers.about(this.engine.head, this.sum(nodes, "ms")), numbers.percent(this.share(nodes))].filter(Boolean);
  }

  /** What takes the most time of layers that no name joins. @param {number[]} list */
  #held(list) {
    const { engine } = this;
    const own = list.filter((node) => !this.colors.quiet.has(engine.kind(node)));
    const most = own.reduce((a, b) => ((engine.share(b) ?? 0) > (engine.share(a) ?? 0) ? b : a), own[0] ?? list[0]);
    const head = engine.headline(most);
    return own.some((node) => engine.headline(node) !== head) ? `${head}, …` : head;
  }

  /** What the builder measured of an operation inside of a ForeignNode, as an estimate. @param {number} node */
  #estimate(node) {
    const { engine } = this;
    const ms = engine.isInner(node) ? engine.inside.estimate[engine.inner(node)] : null;
    return ms === null ? "" : `≈ ${numbers.milliseconds(ms)}`;
  }

  /** Control flow, and of the edges that are lit or under the pointer those that are cut. */
  get curves() {
    return [...this.jumps, ...this.#litCurves, ...this.#pointedCurves];
  }

  /**
   * Takes over what is selected, what a search found, and the edges that are lit.
   * @param {number | null} node
   * @param {number[] | null} hits
   * @param {Iterable<number>} edges
   * @param {boolean} alone whether all other edges are faint
   * @returns {boolean} whether more changes than what lies upon the drawing
   */
  select(node, hits, edges, alone) {
    const { from, to } = this.engine.edges;
    const { of } = this.folded;
    const found = hits && withInside(this.engine, hits, this.within);
    const below = [this.hits, hits, this.faint, alone].some(Boolean);
    this.#searched = hits !== null && !alone;
    const marked = new Set([...this.folded.marks.values()].flat());
    const boxes = found?.filter((hit) => !marked.has(hit)).map((hit) => of[hit]);
    this.hits = boxes ? new Set(boxes) : null;
    this.#found = new Map();
    if (this.#searched) for (const box of boxes ?? []) this.#found.set(box, (this.#found.get(box) ?? 0) + 1);
    this.foundMarks = new Set([...(found ?? []), ...(node === null ? [] : [node])].filter((each) => marked.has(each)));
    this.selected = node === null ? -1 : of[node];
    const lit = [...edges];
    this.lit = this.#routesOf(lit);
    this.#litCurves = this.#curvesOf(lit);
    this.faint = alone || this.#searched;
    this.ends = new Set(alone ? [] : lit.flatMap((edge) => [of[from[edge]], of[to[edge]]]));
    return below;
  }

  /**
   * Whether something else is meant: what is lit, or what a search found.
   * @param {number} route
   */
  isFaint(route) {
    if (!this.faint || this.lit.has(route)) return false;
    if (!this.#searched || !this.hits) return true;
    const edge = this.routes.edge[route];
    const { from, to } = this.engine.edges;
    return ![from[edge], to[edge]].every((node) => this.hits?.has(this.folded.of[node]));
  }

  /** Whether something lies upon the drawing. */
  get marked() {
    const boxes = this.foundMarks.size > 0 || this.hover >= 0 || this.selected >= 0 || this.ends.size > 0;
    return boxes || this.pointed.size > 0 || this.curves.length > 0;
  }

  /**
   * What is under the pointer: a box, edges.
   * @param {number} box
   * @param {number[]} edges
   */
  point(box, edges) {
    this.hover = box;
    this.pointed = this.#routesOf(edges);
    this.#pointedCurves = this.#curvesOf(edges);
  }

  /** What `call` draws is without what is under the pointer. @param {() => void} call */
  unpointed(call) {
    const { hover, pointed } = this;
    const curves = this.#pointedCurves;
    this.point(-1, []);
    call();
    [this.hover, this.pointed, this.#pointedCurves] = [hover, pointed, curves];
  }

  /** @param {number[]} edges */
  #routesOf(edges) {
    const all = withWires(this.engine, edges);
    return new Set(all.map((edge) => this.routes.routeOf[edge]).filter((route) => route >= 0));
  }

  /**
   * @param {number[]} edges
   * @returns {Curve[]}
   */
  #curvesOf(edges) {
    const { from, to } = this.engine.edges;
    const { of } = this.folded;
    const cut = withWires(this.engine, edges)
      .filter((edge) => this.cut(edge))
      .slice(0, CURVES);
    return cut.map((edge) => ({ from: of[from[edge]], to: of[to[edge]], color: this.edgeColor(edge) }));
  }

  /**
   * A box's border; that of a hit is strong, as a hit of 0 µs has no fill that differs.
   * @param {number} box
   * @returns {Mark}
   */
  mark(box) {
    const node = this.folded.node[box];
    const { engine } = this;
    const layered = node < 0 || engine.isInner(node);
    const [, line, , dash, width] = this.colors.marks[layered ? "layer" : engine.kind(node)];
    const round = !layered && !engine.isLayer(node);
    return this.hits?.has(box) ? { line: this.colors.ink, dash, width: 2, round } : { line, dash, width, round };
  }

  /**
   * The colours of a group's layers in order of execution, on the scale of the boxes, neighbours together where they are
   * many. Empty where nothing is timed, and of other boxes.
   * @param {number} box
   */
  strip(box) {
    this.#strips[box] ??= this.ofTime && this.group(box) ? this.#stripOf(this.nodes(box)) : [];
    return this.#strips[box];
  }

  /** @param {number[]} list @returns {Color[]} */
  #stripOf(list) {
    const { share } = this.engine.layers;
    if (list.some((node) => !this.engine.isLayer(node))) return [];
    const count = Math.min(list.length, PARTS);
    return Array.from({ length: count }, (_, at) => {
      const own = list.slice(Math.floor((at * list.length) / count), Math.floor(((at + 1) * list.length) / count));
      return this.colors.heat(Math.max(...own.map((node) => share[node] ?? 0)) / this.top);
    });
  }

  /** Whether the DLA runs all layers of a box. @param {number} box */
  onDla(box) {
    const { dla } = this.engine.layers;
    return dla.size > 0 && this.nodes(box).every((node) => dla.has(this.engine.owner(node)));
  }

  /** @param {number} edge */
  edgeColor(edge) {
    const { edges, tensors } = this.engine;
    return this.colors.precisions[tensors.precision[edges.tensor[edge]]][1];
  }

  /** @param {number} route */
  routeColor(route) {
    return this.edgeColor(this.routes.edge[route]);
  }

  /**
   * Whether an edge between two boxes is drawn as a pair of flags only.
   * @param {number} edge
   */
  cut(edge) {
    const { folded, engine } = this;
    return folded.netOf[edge] === -1 && folded.of[engine.edges.from[edge]] !== folded.of[engine.edges.to[edge]];
  }

  /** Lines between boxes, and those of them that are cut: a tensor from one box to another is one. */
  get lines() {
    const { engine, folded } = this;
    const { from, to, tensor } = engine.edges;
    const cut = new Set();
    for (let edge = 0; edge < from.length; edge++) {
      const [a, b] = [folded.of[from[edge]], folded.of[to[edge]]];
      if (this.cut(edge)) cut.add(`${a} ${b} ${engine.tensors.name[tensor[edge]]}`);
    }
    return { all: this.routes.count + cut.size, cut: cut.size };
  }

  /**
   * What stands beside a box in place of its cut edges.
   * @param {number} box
   */
  flags(box) {
    this.#flags[box] ??= flags.of(this, box);
    return this.#flags[box];
  }

  /** @param {number} route */
  dims(route) {
    return this.engine.dims(this.engine.edges.tensor[this.routes.edge[route]]);
  }
}
