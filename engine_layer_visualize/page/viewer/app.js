// @ts-check
// The open engine: what is selected, collapsed, found, shown. Each change goes from here to what draws and tells it.

import * as dom from "./dom.js";
import { Drawer } from "./drawer.js";
import { Drawing } from "./drawing.js";
import { above } from "./findings.js";
import { ofLayers, tensorEdges } from "./graph.js";
import { told } from "./hierarchy.js";
import { legend } from "./legend.js";
import { Lenses } from "./lens.js";
import { Levels } from "./levels.js";
import { Address } from "./links.js";
import * as numbers from "./numbers.js";
import * as palette from "./palette.js";
import * as panel from "./panel.js";
import { Panes } from "./panes.js";
import { RooflineView } from "./roofline.js";
import { SearchField } from "./search_field.js";
import { Table } from "./table.js";
import { TimeView } from "./time_view.js";
import * as title from "./title.js";

/** @import { Engine, Finding, Lens, Look, Mode, Palette } from "./types.d.ts" */

const SETTLED = 400; // milliseconds without a move of the window or a letter in the search field

export class App {
  numbers = numbers; // for tests
  /** The open engine; `open` sets it and all that follows from it. @type {Engine} */
  engine = /** @type {any} */ (null);
  /** @type {Palette} */
  colors;
  /** @type {Mode} */
  mode = "time";
  /** What colours this engine at first. @type {Mode} */
  firstMode = "time";
  /** @type {number | null} */
  selected = null;
  /** An edge of the tensor that is selected in place of a node. @type {number | null} */
  tensor = null;
  /** Groups. @type {Set<number>} */
  collapsed = new Set();
  /** Nodes that a search found, a finding is about, or a lens lights; null: all. @type {number[] | null} */
  hits = null;
  /** What is lit on request. @type {Lens | null} */
  lens = null;
  /** The finding that the panel is about while no node is selected; null: none. @type {Finding | null} */
  finding = null;
  address = new Address();

  /** @param {Look} look */
  constructor(look) {
    this.look = look;
    this.colors = palette.of(look, false);
    this.drawing = new Drawing(
      () => this.search.foot,
      () => this.drawer.taken,
      () => this.address.changed(SETTLED),
    );
    this.levels = new Levels(this);
    this.table = new Table(this);
    this.roofline = new RooflineView(this);
    this.time = new TimeView(this);
    this.panes = new Panes([this.table, this.time.pane, this.roofline.pane], (open) => this.#paneMoved(open));
    this.drawer = new Drawer({ tells: () => this.#tells, pane: () => this.panes.open !== null });
    this.search = new SearchField(this);
    this.lenses = new Lenses(this);
  }

  /** The box, frames and routes of the drawing, and what is seen of it. */
  get folded() {
    return this.drawing.folded;
  }
  get frames() {
    return this.drawing.frames;
  }
  get routes() {
    return this.drawing.routes;
  }
  get scene() {
    return this.drawing.scene;
  }
  get cam() {
    return this.drawing.cam;
  }
  get canvas() {
    return this.drawing.canvas;
  }

  requestDraw() {
    this.drawing.request();
  }

  size() {
    this.drawing.size((anchor) => this.layOut(anchor));
  }

  /** @param {number} [keep] the box of this node stays where it is in the window */
  layOut(keep) {
    const { drawing } = this;
    const was = keep === undefined ? null : drawing.place(keep);
    dom.find("tip").hidden = true; // what it told is elsewhere now
    drawing.layOut(this.engine, this.collapsed);
    this.recolor();
    drawing.fill();
    if (was && keep !== undefined) drawing.keep(keep, was);
  }

  /** After another layout, palette, measure or optimisation profile. */
  recolor() {
    this.drawing.recolor(this.engine, this.colors, this.mode);
    this.#highlight();
    this.requestDraw();
    dom.fill(dom.find("above"), above(this, this.scene.badges.above));
    dom.fill(dom.find("legend"), legend(this.scene));
  }

  #highlight() {
    const { engine, selected: node, tensor, lens } = this;
    const own = node === null ? [] : [...engine.into(node), ...engine.out(node)];
    const edges = lens?.edges ?? (tensor === null ? own : tensorEdges(engine, tensor));
    if (this.scene.select(node, this.hits, edges, Boolean(lens))) this.requestDraw();
    else this.drawing.requestOver();
  }

  /** @param {number[] | null} hits @param {import("./scene.js").Scene["within"]} [within] */
  #setHits(hits, within = null) {
    [this.hits, this.scene.within] = [hits, within];
    this.#highlight();
    this.panes.update();
  }

  // ---- what the page can do -------------------------------------------------------------------

  /**
   * Tells everything of a node; null: of the engine.
   * @param {number | null} node
   * @param {boolean} [go] brings it into the window
   * @param {boolean} [unfold] what it is folded into; else that block is told
   */
  select(node, go = true, unfold = true) {
    if (node !== null && !(node >= 0 && node < this.engine.all)) return;
    [this.selected, this.tensor] = [node, null];
    if (node !== null && this.finding && !this.hits?.includes(node)) this.#endFinding(); // it is about others
    if (this.lens && !(node !== null && this.lens.nodes.includes(node))) this.#endLens();
    if (node !== null && unfold) this.levels.reveal(node);
    this.#selected(node);
    if (node !== null && go) this.drawing.show(node);
  }

  /** Tells everything of a tensor. @param {number} edge one that carries it */
  selectTensor(edge) {
    [this.selected, this.tensor] = [null, ofLayers(this.engine, edge)];
    if (this.finding) this.#endFinding();
    if (this.lens && !this.lens.edges.has(this.tensor)) this.#endLens();
    this.#selected(null);
  }

  /** @param {number | null} node */
  #selected(node) {
    this.#highlight();
    this.tell();
    this.panes.select(node);
    this.#opened();
  }

  /** What is selected, and lit, in the panel and in the address. */
  tell() {
    panel.show(this, this.selected);
    title.describe(this);
    this.address.changed();
  }

  /** @param {Lens | null} lens lights this, in place of what a search or a rule found */
  light(lens) {
    const inPanel = dom.find("panel").contains(document.activeElement);
    [this.finding, this.lens] = [null, lens];
    this.search.forget();
    this.#setHits(lens?.nodes ?? null);
    this.tell();
    this.#opened();
    if (inPanel) dom.find(lens ? "lens" : "panel").focus({ preventScroll: true });
  }

  #endLens() {
    this.lens = null;
    this.#setHits(null);
  }

  #opened() {
    if (!this.drawer.update()) return;
    this.cam.free = true; // what is seen stays where it is
    this.size();
  }

  /** Whether the panel is about something else than the engine. */
  get #tells() {
    return [this.selected, this.tensor, this.finding, this.lens].some((each) => each !== null);
  }

  /** Opens the panel in a small window, or ends what it tells. */
  togglePanel() {
    const end = () => {
      while (this.#tells) this.close();
    };
    this.drawer.toggle({ end, closePane: () => this.panes.show(null) });
    this.#opened();
  }

  /** From a layer back to the finding, from there to the engine. */
  close() {
    if (this.selected === null && this.tensor === null && this.finding) this.showFinding(null);
    else this.select(null);
  }

  /**
   * Tells a finding, and marks and shows its layers; null: none.
   * @param {Finding | null} finding
   */
  showFinding(finding) {
    [this.finding, this.lens] = [finding, null];
    this.search.forget();
    this.#setHits(finding?.layers.length ? finding.layers : null);
    this.select(null);
    dom.find("panel").focus({ preventScroll: true });
    if (this.hits) this.drawing.showAll(this.hits);
  }

  #endFinding() {
    this.finding = null;
    this.#setHits(null);
  }

  /**
   * To the layer before (-1) or after (1) the selected one, or the one that this is inside of; inputs stand before all
   * layers, outputs after them.
   * @param {number} by
   */
  step(by) {
    const { engine, selected } = this;
    const [before, after] = [-1, engine.count];
    const from = selected === null ? (by > 0 ? before : after) : engine.owner(selected);
    const at = from < after || selected === null ? from : engine.ports.entry[engine.port(from)] ? before : after;
    if (at + by > before && at + by < after) this.select(at + by);
  }

  /** The drawing shows other groups as boxes. */
  foldsChanged() {
    this.tell();
    this.levels.show();
  }

  /** @param {number[] | null} found @param {import("./scene.js").Scene["within"]} [within] */
  showHits(found, within = null) {
    const told = this.finding ?? this.lens;
    [this.finding, this.lens] = [null, null];
    this.#setHits(found, within);
    if (told) this.tell();
    this.address.changed(SETTLED);
  }

  /** What layers take together, in words. @param {number[]} layers */
  told(layers) {
    return told(this.engine, layers);
  }

  /** Time and share of a layer, in words. @param {number} node */
  cost(node) {
    const { head, layers, share } = this.engine;
    const ms = layers.ms[node] ?? null;
    return [numbers.about(head, ms), numbers.percent(share(node))].filter(Boolean).join("  ");
  }

  /** Of which part of the network a layer is, or what it changes. @param {number} node */
  within(node) {
    return this.engine.isLayer(node) ? this.engine.text(this.engine.layers.subtitle[node]) : "";
  }

  /** Marks layers in place of what a search found. @param {number[]} layers */
  mark(layers) {
    this.search.forget();
    this.showHits(layers);
  }

  /** What the pointer is on, here or in a view below the drawing. @param {number} box @param {number[]} [edges] */
  point(box, edges = []) {
    const moved = box !== this.scene.hover;
    this.scene.point(box, edges);
    this.drawing.requestOver();
    if (moved) this.panes.point();
  }

  /** @param {boolean} open */
  #paneMoved(open) {
    if (open) this.drawer.giveWay();
    this.#opened();
    this.size();
    if (open && this.selected !== null) this.drawing.show(this.selected);
    this.address.changed();
  }

  /** @param {Mode} mode */
  colorBy(mode) {
    this.mode = mode;
    dom.find("color", HTMLSelectElement).value = mode;
    this.recolor();
    this.tell();
    this.panes.update();
  }

  /** @param {boolean} yes */
  dark(yes) {
    this.colors = palette.of(this.look, yes);
    palette.apply(this.colors);
    dom.find("dark").setAttribute("aria-pressed", String(yes));
    if (!this.engine) return;
    this.recolor();
    this.tell();
    this.panes.update();
  }

  /**
   * Totals, shares, rankings, table and heat of another optimisation profile; all stay drawn.
   * @param {number} at
   */
  profile(at) {
    this.engine.shown = at;
    if (this.finding) this.#endFinding();
    title.show(this);
    dom.find("profile", HTMLSelectElement).value = String(at);
    this.recolor();
    this.tell();
    this.panes.update();
  }

  /** @param {Engine} engine */
  open(engine) {
    this.engine = engine;
    [this.selected, this.tensor, this.finding, this.lens, this.hits] = [null, null, null, null, null];
    this.collapsed = this.levels.open();
    this.firstMode = title.choices(this);
    this.mode = this.firstMode;
    this.layOut();
    this.levels.show();
    this.drawing.first();
    this.panes.reset();
    this.search.again();
    this.select(null);
  }
}
