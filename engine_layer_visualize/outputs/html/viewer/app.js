// @ts-check
// The open engine, and what of it is selected, collapsed, found and shown; each change goes from here to the
// modules that draw and tell it.

import * as dom from "./dom.js";
import { Drawer } from "./drawer.js";
import { Drawing } from "./drawing.js";
import { legend } from "./legend.js";
import { Levels } from "./levels.js";
import * as links from "./links.js";
import * as numbers from "./numbers.js";
import * as palette from "./palette.js";
import * as panel from "./panel.js";
import { Panes } from "./panes.js";
import { RooflineView } from "./roofline.js";
import { SearchField } from "./search_field.js";
import { Table } from "./table.js";
import * as title from "./title.js";

/** @import { Engine, Finding, FoundGroup, Look, Mode, Palette, Rule } from "./types.d.ts" */

export class App {
  numbers = numbers; // for tests
  /** The open engine; `open` sets it and all that follows from it. @type {Engine} */
  engine = /** @type {any} */ (null);
  /** @type {Palette} */
  colors;
  /** @type {Mode} */
  mode = "time";
  /** @type {number | null} */
  selected = null;
  /** Groups. @type {Set<number>} */
  collapsed = new Set();
  oneColumn = false;
  /** Nodes that a search found; null: no search. @type {number[] | null} */
  hits = null;
  /** The rule that the panel is about while no node is selected; null: none. @type {FoundGroup | null} */
  rule = null;
  /** The one of its findings that is shown; null: all. @type {Finding | null} */
  finding = null;

  /** @param {Look} look */
  constructor(look) {
    this.look = look;
    this.colors = palette.of(look, false);
    this.drawing = new Drawing(() => this.search.foot);
    this.levels = new Levels(this);
    this.table = new Table(this);
    this.roofline = new RooflineView(this);
    this.panes = new Panes([this.table, this.roofline], (open) => this.#paneMoved(open));
    this.drawer = new Drawer({ tells: () => this.#tells, pane: () => this.panes.open !== null });
    this.search = new SearchField(this);
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
    this.drawing.size();
  }

  /** @param {number} [keep] the box of this node stays where it is in the window */
  layOut(keep) {
    const { drawing } = this;
    const was = keep === undefined ? null : drawing.place(keep);
    drawing.layOut(this.engine, this.collapsed, this.oneColumn);
    this.recolor();
    drawing.fill();
    if (was && keep !== undefined) drawing.keep(keep, was);
  }

  /** After another layout, palette, measure or optimisation profile. */
  recolor() {
    this.drawing.recolor(this.engine, this.colors, this.mode);
    this.#highlight();
    this.drawing.map.lens();
    dom.fill(dom.find("legend"), legend(this.scene));
  }

  #highlight() {
    this.scene.select(this.selected, this.hits);
    this.requestDraw();
  }

  /** @param {number[] | null} hits */
  #setHits(hits) {
    this.hits = hits;
    this.#highlight();
    this.drawing.map.lens();
    this.panes.update();
  }

  // ---- what the page can do -------------------------------------------------------------------

  /**
   * Tells everything of a node; null: of the engine.
   * @param {number | null} node
   * @param {boolean} [go] brings it into the window
   */
  select(node, go = true) {
    if (node !== null && !(node >= 0 && node < this.engine.nodes)) return;
    this.selected = node;
    if (node !== null && this.rule && !this.hits?.includes(node)) this.#endRule(); // it is about others
    if (node !== null) this.#reveal(node);
    this.#highlight();
    panel.show(this, node);
    links.write(this.engine.head.index, node !== null && this.engine.isLayer(node) ? node : null);
    this.panes.select(node);
    this.#opened();
    if (node !== null && go) this.drawing.show(node);
  }

  /** Whether the panel tells of a layer or a rule, not of the engine. */
  get #tells() {
    return this.selected !== null || this.rule !== null;
  }

  #opened() {
    if (this.drawer.update()) this.size();
  }

  /** Opens the panel in a small window, or ends what it tells. */
  togglePanel() {
    const end = () => {
      while (this.#tells) this.close();
    };
    this.drawer.toggle({ end, closePane: () => this.panes.show(null) });
    this.#opened();
  }

  /** From a layer back to the rule, from there to the engine. */
  close() {
    if (this.selected === null && this.rule) this.showRule(null);
    else this.select(null);
  }

  /**
   * Tells what a rule found, and marks and shows the layers; null: of no rule.
   * @param {Rule | null} rule
   * @param {Finding | null} [finding] this one alone
   */
  showRule(rule, finding = null) {
    const groups = this.engine.found.groups;
    const of = finding
      ? groups.find((each) => each.some(({ list }) => list.includes(finding)))
      : groups[this.engine.shown];
    this.rule = of?.find((group) => group.rule === rule) ?? null;
    this.finding = finding;
    const layers = new Set((finding ? [finding] : (this.rule?.list ?? [])).flatMap((one) => one.layers));
    this.search.forget();
    this.#setHits(layers.size ? [...layers].sort((a, b) => a - b) : null);
    this.select(null);
    dom.find("panel").focus({ preventScroll: true });
    if (this.hits) this.drawing.showAll(this.hits);
  }

  #endRule() {
    [this.rule, this.finding] = [null, null];
    this.#setHits(null);
  }

  /**
   * To the layer before (-1) or after (1) the selected one; inputs stand before all layers, outputs after them.
   * @param {number} by
   */
  step(by) {
    const { engine, selected } = this;
    const [before, after] = [-1, engine.count];
    const from = selected ?? (by > 0 ? before : after);
    const at = from < after || selected === null ? from : engine.ports.entry[engine.port(from)] ? before : after;
    if (at + by > before && at + by < after) this.select(at + by);
  }

  /**
   * Expands what a node is collapsed into.
   * @param {number} node
   */
  #reveal(node) {
    const inside = [...this.collapsed].filter((g) => this.engine.groups[g].nodes.includes(node));
    if (!inside.length) return;
    for (const g of inside) this.collapsed.delete(g);
    this.layOut(node);
    this.levels.show();
  }

  /**
   * Collapses or expands a group.
   * @param {number} group
   */
  toggle(group) {
    if (!this.collapsed.delete(group)) this.collapsed.add(group);
    this.layOut(this.engine.groups[group].nodes[0]);
    this.#groupsChanged();
  }

  /** Collapses these groups, and no other. @param {Set<number>} groups */
  collapse(groups) {
    this.collapsed = groups;
    this.layOut();
    this.cam.all();
    this.#groupsChanged();
  }

  #groupsChanged() {
    panel.show(this, this.selected);
    this.levels.show();
  }

  /** @param {boolean} yes */
  setOneColumn(yes) {
    const { cam } = this;
    this.oneColumn = yes;
    this.layOut();
    if (!yes) {
      cam.all(true);
      return;
    }
    cam.fit({ left: 0, top: 0, width: this.folded.width, height: 1 }, 1, true);
    cam.set(cam.view.x, -24 / cam.view.scale, cam.view.scale);
  }

  /** @param {number[] | null} found */
  showHits(found) {
    const { rule } = this;
    [this.rule, this.finding] = [null, null];
    this.#setHits(found);
    if (rule) panel.show(this, this.selected);
  }

  /** @param {boolean} open */
  #paneMoved(open) {
    if (open) this.drawer.giveWay();
    this.#opened();
    this.size();
    if (open && this.selected !== null) this.drawing.show(this.selected);
  }

  /** @param {Mode} mode */
  colorBy(mode) {
    this.mode = mode;
    dom.find("color", HTMLSelectElement).value = mode;
    this.recolor();
    panel.show(this, this.selected);
  }

  /** @param {boolean} yes */
  dark(yes) {
    this.colors = palette.of(this.look, yes);
    palette.apply(this.colors);
    dom.find("dark").setAttribute("aria-pressed", String(yes));
    if (!this.engine) return;
    this.recolor();
    panel.show(this, this.selected);
    this.panes.update();
  }

  /**
   * Totals, shares, rankings, table and heat of another optimisation profile; all stay drawn.
   * @param {number} at
   */
  profile(at) {
    this.engine.shown = at;
    if (this.rule) this.#endRule();
    title.show(this);
    this.recolor();
    panel.show(this, this.selected);
    this.panes.update();
  }

  /**
   * @param {Engine} engine
   * @param {number | null} layer
   */
  open(engine, layer) {
    this.engine = engine;
    [this.selected, this.rule, this.finding, this.hits] = [null, null, null, null];
    this.collapsed = this.levels.open();
    this.mode = title.choices(this);
    this.levels.show();
    this.layOut();
    this.cam.all(true);
    this.panes.reset();
    this.search.again();
    this.select(layer !== null && layer < engine.count ? layer : null);
  }
}
