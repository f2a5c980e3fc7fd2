// @ts-check
// The open engine, and what of it is selected, collapsed, found and shown; each change goes from here to the
// modules that draw and tell it.

import * as camera from "./camera.js";
import * as dom from "./dom.js";
import { around, layOut } from "./layout.js";
import { legend } from "./legend.js";
import { Levels } from "./levels.js";
import * as links from "./links.js";
import { Minimap } from "./minimap.js";
import * as numbers from "./numbers.js";
import * as paint from "./paint.js";
import * as palette from "./palette.js";
import * as panel from "./panel.js";
import { RooflineView } from "./roofline.js";
import { Scene } from "./scene.js";
import { SearchField } from "./search_field.js";
import { Table } from "./table.js";
import * as title from "./title.js";

/** @import { Engine, Finding, FoundGroup, Frame, Look, Mode, Palette, Folded, Rule, Routes } from "./types.d.ts" */

const canvas = dom.find("drawing", HTMLCanvasElement);

export class App {
  numbers = numbers; // for tests
  canvas = canvas;
  /** The open engine; `open` sets it and all that follows from it. @type {Engine} */
  engine = /** @type {any} */ (null);
  /** @type {Folded} */
  folded = /** @type {any} */ (null);
  /** @type {Frame[]} */
  frames = [];
  /** @type {Routes} */
  routes = /** @type {any} */ (null);
  /** @type {Scene} */
  scene = /** @type {any} */ (null);
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
  #wanted = false; // the overview, in a small window
  #context = dom.contextOf(canvas, { alpha: false });
  #ratio = 1; // pixels of the screen in one of the page
  #requested = 0;

  /** @param {Look} look */
  constructor(look) {
    this.look = look;
    this.colors = palette.of(look, false);
    this.cam = camera.connect(canvas, () => {
      this.requestDraw();
      this.map.frame();
    });
    this.map = new Minimap(dom.find("map", HTMLCanvasElement), this.cam);
    this.levels = new Levels(this);
    this.table = new Table(this);
    this.roofline = new RooflineView(this);
    this.search = new SearchField(this);
  }

  // ---- drawing --------------------------------------------------------------------------------

  /** Draws at the next frame. */
  requestDraw() {
    this.#requested ||= requestAnimationFrame(() => {
      this.#requested = 0;
      this.#draw();
    });
  }

  #draw() {
    if (this.scene) paint.draw(this.#context, this.scene, this.cam.view, this.#ratio);
  }

  /** Takes the size of the window. */
  size() {
    const { cam, folded } = this;
    this.#ratio = Math.min(3, devicePixelRatio || 1);
    const [w, h] = [canvas.clientWidth, canvas.clientHeight];
    [canvas.width, canvas.height] = [Math.round(w * this.#ratio), Math.round(h * this.#ratio)];
    [cam.view.width, cam.view.height] = [w, h];
    this.#margins();
    cam.least = folded
      ? Math.min(0.2, 0.6 * Math.min(w / Math.max(1, folded.width), h / Math.max(1, folded.height)))
      : 0.05;
    this.#draw();
  }

  /** What the panel covers of the drawing's foot in a small window, in pixels. */
  #covered() {
    const panel = dom.find("panel").getBoundingClientRect();
    const own = canvas.getBoundingClientRect();
    return panel.height && panel.left < own.right ? Math.max(0, own.bottom - panel.top) : 0;
  }

  #margins() {
    const bottom = Math.max(dom.find("legend").offsetHeight + 14, this.#covered() + 10);
    this.cam.margins = { top: 18, left: 18, right: 18, bottom };
  }

  /** Rows -> columns -> paths. @param {number} [keep] the box of this node stays where it is in the window */
  layOut(keep) {
    const { cam } = this;
    const was = keep === undefined ? null : this.#place(keep);
    const aspect = Math.max(0.5, (canvas.clientWidth || 1200) / Math.max(200, (canvas.clientHeight || 700) - 40));
    Object.assign(this, layOut(this.engine, this.collapsed, this.oneColumn ? null : aspect));
    cam.drawing = { width: this.folded.width, height: this.folded.height };
    this.recolor();
    this.size();
    if (!was || keep === undefined) return;
    const now = this.#place(keep);
    cam.set(cam.view.x + now.x - was.x, cam.view.y + now.y - was.y, cam.view.scale);
  }

  /** @param {number} node */
  #place(node) {
    const box = this.folded.of[node];
    return { x: this.folded.x[box], y: this.folded.y[box] };
  }

  /** Makes the scene anew: after another layout, palette, measure or optimisation profile. */
  recolor() {
    this.scene = new Scene(this.engine, this.folded, this.frames, this.routes, this.colors, this.mode);
    this.#highlight();
    this.map.show(this.scene);
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
    this.map.lens();
    this.table.update();
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
    this.table.reveal(node);
    this.roofline.draw();
    this.#opened();
    if (node !== null && go) this.#show(node);
  }

  /** In a small window the panel stands over the drawing, while there is something to tell. */
  #opened() {
    const open = this.#wanted || this.selected !== null || this.rule !== null;
    dom.find("panel").classList.toggle("open", open);
    dom.find("show-panel").setAttribute("aria-pressed", String(open));
    this.#margins();
  }

  /** Opens the panel in a small window, or ends what it tells. */
  togglePanel() {
    const open = dom.find("panel").classList.contains("open");
    while (open && (this.selected !== null || this.rule !== null)) this.close();
    this.#wanted = !open;
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
    if (this.hits) this.#showAll(this.hits);
  }

  #endRule() {
    [this.rule, this.finding] = [null, null];
    this.#setHits(null);
  }

  /**
   * Brings nodes into the window.
   * @param {number[]} nodes
   */
  #showAll(nodes) {
    this.cam.fit(around(this.folded, nodes), 1);
  }

  /**
   * To the layer before (-1) or after (1) the selected one.
   * @param {number} by
   */
  step(by) {
    const last = this.engine.count - 1;
    if (this.selected === null) this.select(by > 0 ? 0 : last);
    else this.select(Math.max(0, Math.min(last, this.selected + by)));
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
   * Brings a node into the window, near enough to be read.
   * @param {number} node
   */
  #show(node) {
    const at = this.#place(node);
    const { view } = this.cam;
    const scale = Math.max(view.scale, 0.8);
    const [x, y] = [(at.x - view.x) * view.scale, (at.y - view.y) * view.scale];
    const foot = view.height - this.#covered();
    const head = Math.max(0, this.search.foot - canvas.getBoundingClientRect().top);
    const inside = x > 120 && x < view.width - 120 && y > head + 30 && y < foot - 80;
    if (inside && scale === view.scale) return;
    this.cam.glide(at.x - view.width / 2 / scale, at.y + 20 - (head + foot) / 2 / scale, scale);
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

  /** @param {boolean} yes */
  showTable(yes) {
    if (yes) dom.find("roofline").hidden = true;
    dom.find("table").hidden = !yes;
    dom.find("show-table").setAttribute("aria-pressed", String(yes));
    this.size();
    if (yes) this.table.shown();
    else canvas.focus({ preventScroll: true });
  }

  /** In place of the table, and of the overview in a small window. @param {boolean} yes */
  showRoofline(yes) {
    if (yes) this.showTable(false);
    if (yes) this.#wanted = false;
    dom.find("roofline").hidden = !yes;
    this.#opened();
    this.size();
    this.roofline.update();
    if (yes && this.selected === null) this.cam.all();
    else if (yes && this.selected !== null) this.#show(this.selected);
    if (yes) this.roofline.focus();
    else canvas.focus({ preventScroll: true });
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
    this.table.update();
    this.roofline.update();
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
    this.table.update();
    this.roofline.update();
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
    this.table.reset();
    this.search.again();
    this.roofline.update();
    this.select(layer !== null && layer < engine.count ? layer : null);
  }
}
