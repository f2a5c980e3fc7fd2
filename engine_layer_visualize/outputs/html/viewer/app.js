// @ts-check
// The open engine, and what of it is selected, collapsed, found and shown; each change goes from here to the
// modules that draw and tell it.

import * as camera from "./camera.js";
import * as dom from "./dom.js";
import { layOut } from "./layout.js";
import { legend } from "./legend.js";
import * as links from "./links.js";
import { Minimap } from "./minimap.js";
import * as numbers from "./numbers.js";
import * as paint from "./paint.js";
import * as palette from "./palette.js";
import * as panel from "./panel.js";
import { Scene } from "./scene.js";
import { SearchField } from "./search_field.js";
import { Table } from "./table.js";
import * as title from "./title.js";

/** @import { Engine, Frame, Look, Mode, Palette, Folded, Text, Routes } from "./types.d.ts" */

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
    this.table = new Table(this);
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
    cam.margins = { top: 18, left: 18, right: 18, bottom: dom.find("legend").offsetHeight + 14 };
    cam.least = folded
      ? Math.min(0.2, 0.6 * Math.min(w / Math.max(1, folded.width), h / Math.max(1, folded.height)))
      : 0.05;
    this.#draw();
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

  // ---- what the page can do -------------------------------------------------------------------

  /**
   * Tells everything of a node; null: of the engine.
   * @param {number | null} node
   * @param {boolean} [go] brings it into the window
   */
  select(node, go = true) {
    if (node !== null && !(node >= 0 && node < this.engine.nodes)) return;
    this.selected = node;
    if (node !== null) this.#reveal(node);
    this.#highlight();
    panel.show(this, node);
    links.write(this.engine.head.index, node !== null && this.engine.isLayer(node) ? node : null);
    this.table.reveal(node);
    if (node !== null && go) this.#show(node);
    dom.find("panel").classList.toggle("open", node !== null);
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
    this.#blocks();
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
    const inside = x > 120 && x < view.width - 120 && y > 30 && y < view.height - 80;
    if (inside && scale === view.scale) return;
    this.cam.glide(at.x - view.width / 2 / scale, at.y + 20 - view.height / 2 / scale, scale);
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

  /** The repeated blocks; the optimisation profiles where there are no others. */
  #collapsible() {
    const all = this.engine.groups.map((_, g) => g);
    const inner = all.filter((g) => !this.engine.groups[g].outer);
    return inner.length ? inner : all;
  }

  toggleAll() {
    this.collapsed = new Set(this.collapsed.size ? [] : this.#collapsible());
    this.layOut();
    this.cam.all();
    this.#groupsChanged();
  }

  #groupsChanged() {
    panel.show(this, this.selected);
    this.#blocks();
  }

  #blocks() {
    const button = dom.find("blocks");
    button.hidden = !this.engine.groups.length;
    button.textContent = this.collapsed.size ? "Unfold blocks" : "Fold blocks";
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
    this.hits = found;
    this.#highlight();
  }

  /**
   * Shows the table with the layers of one type or precision.
   * @param {"type" | "dtype"} column
   * @param {Text} value
   */
  filter(column, value) {
    const { engine } = this;
    const own = engine.layers[column]; // numbers of texts; nothing and no text are the same
    const label = engine.text(value) || "(no type)";
    this.showTable(true);
    this.table.keep(label, (n) => engine.text(own[n]) === engine.text(value));
  }

  /** @param {boolean} yes */
  showTable(yes) {
    dom.find("table").hidden = !yes;
    dom.find("show-table").setAttribute("aria-pressed", String(yes));
    this.size();
    if (yes) this.table.shown();
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
  }

  /**
   * Totals, shares, rankings, table and heat of another optimisation profile; all stay drawn.
   * @param {number} at
   */
  profile(at) {
    this.engine.shown = at;
    title.show(this);
    this.recolor();
    panel.show(this, this.selected);
    this.table.update();
  }

  /**
   * @param {Engine} engine
   * @param {number | null} layer
   */
  open(engine, layer) {
    this.engine = engine;
    this.selected = null;
    this.hits = null;
    this.collapsed = new Set(engine.count > this.look.many ? this.#collapsible() : []);
    this.mode = title.choices(this);
    this.#blocks();
    this.layOut();
    this.cam.all(true);
    this.table.reset();
    this.select(layer !== null && layer < engine.count ? layer : null);
  }
}
