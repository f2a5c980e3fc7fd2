// @ts-check
// An engine laid out -> the canvas that shows it: what of it the window shows, its scene.

import * as camera from "./camera.js";
import { NEAR } from "./cards.js";
import * as dom from "./dom.js";
import { around, layOut } from "./layout.js";
import * as paint from "./paint.js";
import { Scene } from "./scene.js";
import { Tiles } from "./tiles.js";

/** @import { Engine, Folded, Frame, Mode, Palette, Pen, Routes } from "./types.d.ts" */

const READABLE = NEAR; // the scale at which a box is shown
const LEGIBLE = 0.43; // the scale from which all boxes have their words: what is in the window stays where it is

export class Drawing {
  canvas = dom.find("drawing", HTMLCanvasElement);
  /** `layOut` sets these. @type {Folded} */
  folded = /** @type {any} */ (null);
  /** @type {Frame[]} */
  frames = [];
  /** @type {Routes} */
  routes = /** @type {any} */ (null);
  /** `recolor` sets it. @type {Scene} */
  scene = /** @type {any} */ (null);
  #context = dom.contextOf(this.canvas); // of what lies upon the tiles
  #tiles = new Tiles(dom.find("tiles"));
  #ratio = 1; // pixels of the screen in one of the page
  #requested = 0;
  #marked = false; // something lies upon the tiles
  #aspect = 0; // of the room that the columns fit
  #head;
  #taken;

  /**
   * @param {() => number} head where the drawing begins that nothing stands over, from the window's top, in pixels
   * @param {() => number[]} taken width and height of the window that it has to itself at other times
   * @param {() => void} moved called when the window shows another part
   */
  constructor(head, taken, moved) {
    this.#head = head;
    this.#taken = taken;
    this.cam = camera.connect(this.canvas, () => {
      this.requestOver();
      moved();
    });
    this.cam.anchor = () => this.#seen(this.scene.selected);
  }

  /** The scene tells something else: all of it is drawn at the next frame. */
  request() {
    this.#tiles.stale();
    this.requestOver();
  }

  /** Only what lies upon it changed (`paint.over`), or the view: drawn at the next frame. */
  requestOver() {
    this.#requested ||= dom.later(() => {
      this.#requested = 0;
      this.#draw();
    });
  }

  #draw() {
    const { scene, cam } = this;
    if (!scene) return;
    if (this.#tiles.show(scene, cam.view, this.#ratio)) this.requestOver();
    this.#context.setTransform(1, 0, 0, 1, 0, 0);
    if (this.#marked) this.#context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.#marked = scene.marked;
    if (this.#marked) paint.over(this.#context, scene, cam.view, this.#ratio);
  }

  /** What the window shows, all at once. @param {Pen} context */
  paintOn(context) {
    paint.draw(context, this.scene, this.cam.view, 1);
  }

  /**
   * The window has another size, and `again` lays out in the columns that fit it. A view of the whole stays one; in any
   * other the anchor stays where it was: a link says no more.
   * @param {(anchor?: number) => void} again
   */
  size(again) {
    const { cam } = this;
    cam.land();
    const anchor = this.scene && cam.free ? this.#anchor : undefined;
    cam.covered = 0;
    this.fill();
    if (!this.scene) return;
    if (this.#room() !== this.#aspect) again(anchor);
    if (anchor === undefined) cam.all(true);
    else this.#reach(anchor);
    this.#draw();
  }

  /** Width : height of the window without what comes and goes with a selection. */
  #room() {
    const { clientWidth: wide, clientHeight: tall } = /** @type {HTMLElement} */ (this.canvas.parentElement);
    const [beside, below] = this.#taken();
    return Math.max(0.5, (wide + beside || 1200) / Math.max(200, (tall + below || 700) - 40));
  }

  /** Takes the size of the window. */
  fill() {
    const { cam, canvas, folded } = this;
    this.#ratio = cam.measure(canvas);
    const { width: w, height: h } = cam.view;
    cam.margins = { top: 18 + dom.find("above").offsetHeight, left: 18, right: 18, bottom: 4 };
    cam.least = folded
      ? Math.min(0.2, 0.6 * Math.min(w / Math.max(1, folded.width), h / Math.max(1, folded.height)))
      : 0.05;
  }

  /**
   * Rows -> columns -> paths. The scene has to be made anew, and the size taken.
   * @param {Engine} engine
   * @param {Set<number>} collapsed
   */
  layOut(engine, collapsed) {
    const room = this.#room();
    this.#tiles.clear(room === this.#aspect); // in another room than before it is the window that changes
    this.#aspect = room;
    Object.assign(this, layOut(engine, collapsed, room));
    this.cam.drawing = { width: this.folded.width, height: this.folded.height };
  }

  /**
   * Makes the scene anew: after another layout, palette, measure or optimisation profile.
   * @param {Engine} engine
   * @param {Palette} colors
   * @param {Mode} mode
   */
  recolor(engine, colors, mode) {
    this.scene = new Scene(engine, this.folded, this.frames, this.routes, colors, mode);
  }

  /** The top of a node's box, in the middle. @param {number} node */
  place(node) {
    const box = this.folded.of[node];
    return { x: this.folded.x[box], y: this.folded.y[box] };
  }

  /**
   * Moves the window as the node's box moved.
   * @param {number} node
   * @param {{ x: number; y: number }} was
   */
  keep(node, was) {
    const now = this.place(node);
    const { view } = this.cam;
    this.cam.free = true;
    this.cam.set(view.x + now.x - was.x, view.y + now.y - was.y, view.scale);
  }

  /** @param {number} box @returns {[x: number, y: number] | null} where the window shows its middle; null: nowhere */
  #seen(box) {
    const [{ view }, { folded }] = [this.cam, this];
    if (box < 0) return null;
    const [x, y] = [folded.x[box] - view.x, folded.y[box] + folded.h[box] / 2 - view.y].map((at) => at * view.scale);
    return x > 0 && y > 0 && x < view.width && y < view.height ? [x, y] : null;
  }

  /** A node of the selected box where that is seen, else of the one nearest to the window's middle. */
  get #anchor() {
    const { folded, scene } = this;
    const { x, y, width, height, scale } = this.cam.view;
    let [near, least] = [scene.selected, this.#seen(scene.selected) ? 0 : Infinity];
    for (let box = 0; least && box < folded.size; box++) {
      const far = Math.hypot(folded.x[box] - x - width / 2 / scale, folded.y[box] - y - height / 2 / scale);
      if (far < least) [near, least] = [box, far];
    }
    return scene.nodes(near)[0];
  }

  /** Where the middle of its box is not in the window, it moves there. @param {number} node */
  #reach(node) {
    const [{ cam, folded }, box] = [this, this.folded.of[node]];
    const { x, y, width, height, scale } = cam.view;
    if (this.#seen(box)) cam.set(x, y, scale);
    else cam.set(folded.x[box] - width / 2 / scale, folded.y[box] + (folded.h[box] - height / scale) / 2, scale);
  }

  /** The anchor, how far the window's corner is from its box, and the scale. */
  corner() {
    const [node, { x, y, scale }] = [this.#anchor, this.cam.view];
    const at = this.place(node);
    return [node, Math.round(x - at.x), Math.round(y - at.y), Number(scale.toFixed(4))].join(",");
  }

  /** What the window shows, as a link says it. Null: what it shows at first, or first of what the panel tells. */
  get where() {
    const { cam } = this;
    return cam.free ? this.corner() : cam.scale < LEGIBLE ? "all" : null;
  }

  /**
   * To what `corner` told; its box is seen in a window of another size, too.
   * @param {number} node
   * @param {number} x
   * @param {number} y
   * @param {number} scale
   */
  moveTo(node, x, y, scale) {
    const [at, { cam }] = [this.place(node), this];
    cam.free = true;
    cam.covered = cam.view.height / 2; // a list may have stood over its top
    cam.set(at.x + x, at.y + y, scale);
    this.#reach(node);
  }

  /**
   * Brings nodes into the window; where all of them are in it and can be read, it stays.
   * @param {number[]} nodes
   * @param {boolean} [unread] or cannot be read
   */
  showAll(nodes, unread = false) {
    const [place, { cam }] = [around(this.folded, nodes), this];
    if (!cam.sees(place) || !(unread || cam.view.scale >= LEGIBLE)) cam.fit(place, 1);
  }

  /** Shows the whole drawing; where some boxes of it have no words, as on a phone, its beginning. */
  first() {
    this.cam.all(true);
    if (this.cam.view.scale >= LEGIBLE) return;
    const { row, x } = this.folded;
    const begins = row.reduce((left, at, box) => (at || x[box] >= x[left] ? left : box), row.indexOf(0));
    this.show(this.scene.nodes(begins)[0], true);
  }

  /** Brings a node into the window, near enough to be read. @param {number} node @param {boolean} [atOnce] */
  show(node, atOnce) {
    const at = this.place(node);
    const { view } = this.cam;
    const scale = view.scale < LEGIBLE ? READABLE : view.scale;
    const [x, y] = [(at.x - view.x) * view.scale, (at.y - view.y) * view.scale];
    const foot = view.height - this.cam.margins.bottom;
    const head = Math.max(0, this.#head() - this.canvas.getBoundingClientRect().top);
    const within = this.cam.seesAll || (x > 120 && x < view.width - 120 && y < foot - 40);
    if (within && y > head + 30 && scale === view.scale) return;
    this.cam.free = true;
    this.cam.covered = head;
    this.cam[atOnce ? "set" : "glide"](at.x - view.width / 2 / scale, at.y + 20 - (head + foot) / 2 / scale, scale);
  }
}
