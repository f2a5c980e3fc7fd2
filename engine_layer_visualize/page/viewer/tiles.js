// @ts-check
// A scene and the view -> the drawing as tiles, each painted once at one scale and then moved by the browser: a pan
// paints what comes into view, and no more. While the scale changes, tiles are stretched; when it rests, they are
// painted at that scale, some in each frame, so that no frame is late.

import { reducedMotion } from "./camera.js";
import { el } from "./dom.js";
import * as paint from "./paint.js";

/** @import { Scene } from "./scene.js" */
/** @import { View } from "./types.d.ts" */

const SIDE = 512; // pixels of the screen
const AROUND = 1; // tiles around the window that are painted ahead
const OUTSIDE = 200; // of the drawing, where curves and flags may be
const BUDGET = 4; // milliseconds of a frame that go to painting; the browser takes half as many again for the pixels
const REST = 90; // milliseconds after which a scale is not about to change
const FADE = 240; // milliseconds in which a drawing goes that another takes the place of
const STRETCH = 2.5; // by more than this no tile is stretched

/** First and last column and row of tiles. @typedef {[left: number, top: number, right: number, bottom: number]} Range */
/** @typedef {{ x: number; y: number; canvas: HTMLCanvasElement; version: number }} Tile */

/** The tiles of one scale. */
class Level {
  element = el("div", {});
  /** By their place. @type {Map<string, Tile>} */
  tiles = new Map();

  /**
   * @param {number} scale
   * @param {number} ratio
   */
  constructor(scale, ratio) {
    this.scale = scale;
    this.ratio = ratio;
    // Pixels of the screen by which a tile lies on the next, a whole number of the page's: where the page begins between
    // two pixels, nothing is seen through.
    this.over = [1, 2, 3, 4, 5].find((pixels) => Number.isInteger(pixels / ratio)) ?? 1;
    this.side = Math.round(SIDE / ratio); // in pixels of the page; whole pixels of the screen, too, where that can be
    for (let less = this.side; less > this.side / 2 && !Number.isInteger(this.side * ratio); less--)
      if (Number.isInteger(less * ratio)) this.side = less;
  }

  /** @param {View} view */
  move(view) {
    const zoom = view.scale * this.ratio;
    const [x, y] = [view.x, view.y].map((at) => -Math.round(at * zoom) / this.ratio);
    this.element.style.transform = `translate(${x}px, ${y}px) scale(${view.scale / this.scale})`;
  }

  /**
   * The tiles that a view shows of a drawing, and those around it.
   * @param {View} view
   * @param {{ width: number; height: number }} drawing
   * @param {number} around
   * @returns {Range}
   */
  range(view, drawing, around) {
    const side = this.side / this.scale;
    /** @type {(from: number, size: number, whole: number) => [number, number]} */
    const ends = (from, size, whole) => [
      Math.floor(Math.max(-OUTSIDE, from) / side) - around,
      Math.floor(Math.min(whole + OUTSIDE, from + size) / side) + around,
    ];
    const [left, right] = ends(view.x, view.width / view.scale, drawing.width);
    const [top, bottom] = ends(view.y, view.height / view.scale, drawing.height);
    return [left, top, right, bottom];
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  #tile(x, y) {
    const size = `${this.side + this.over / this.ratio}px`;
    const canvas = el("canvas", {
      style: { left: `${x * this.side}px`, top: `${y * this.side}px`, width: size, height: size },
    });
    canvas.width = canvas.height = Math.round(this.side * this.ratio) + this.over;
    const tile = { x, y, canvas, version: -1 };
    this.tiles.set(`${x},${y}`, tile);
    this.element.append(canvas);
    return tile;
  }

  /**
   * Paints the tiles of a range that are not there or older than `version`, until the time is over: whether all are done.
   * @param {Range} range
   * @param {Scene} scene
   * @param {number} version
   * @param {() => boolean} over
   */
  paint([left, top, right, bottom], scene, version, over) {
    for (let y = top; y <= bottom; y++)
      for (let x = left; x <= right; x++) {
        const there = this.tiles.get(`${x},${y}`);
        if (there?.version === version) continue;
        if (over()) return false;
        const tile = there ?? this.#tile(x, y);
        const [side, { canvas }] = [this.side / this.scale, tile];
        const wide = this.side + this.over / this.ratio;
        const view = { x: x * side, y: y * side, scale: this.scale, width: wide, height: wide };
        const context = /** @type {import("./types.d.ts").Context} */ (canvas.getContext("2d", { alpha: false }));
        paint.base(context, scene, view, this.ratio);
        tile.version = version;
      }
    return true;
  }

  /** Removes the tiles outside of a range. @param {Range} range */
  keep([left, top, right, bottom]) {
    for (const [place, { x, y, canvas }] of this.tiles) {
      if (x >= left && x <= right && y >= top && y <= bottom) continue;
      canvas.width = 0; // gives its memory back at once
      canvas.remove();
      this.tiles.delete(place);
    }
  }

  remove() {
    this.keep([0, 0, -1, -1]);
    this.element.remove();
  }
}

export class Tiles {
  #element;
  /** The scale that is shown; before it an older one, until all tiles in view are painted. @type {Level[]} */
  #levels = [];
  #version = 0;
  #scale = 0;
  #since = 0;

  /** @param {HTMLElement} element */
  constructor(element) {
    this.#element = element;
  }

  /** The scene tells something else: each tile stays until it is painted anew. */
  stale() {
    this.#version++;
  }

  /** Another drawing takes the place of what was painted. @param {boolean} fades as the eye can follow */
  clear(fades) {
    for (const level of this.#levels) {
      level.element.style.zIndex = "1";
      if (!fades || reducedMotion()) level.remove();
      else level.element.animate({ opacity: [1, 0] }, FADE).onfinish = () => level.remove();
    }
    this.#levels = [];
  }

  /**
   * The level for a view: a new one where its scale rests, or is too far from that of the last.
   * @param {View} view
   * @param {number} ratio
   * @param {number} now
   */
  #level({ scale }, ratio, now) {
    if (scale !== this.#scale) [this.#scale, this.#since] = [scale, now];
    const last = this.#levels.at(-1);
    if (last && last.ratio === ratio) {
      const by = Math.max(scale / last.scale, last.scale / scale);
      if (by === 1 || (by < STRETCH && now - this.#since < REST)) return last;
    }
    const level = new Level(scale, ratio);
    this.#element.append(level.element);
    this.#levels.splice(1, 1)[0]?.remove();
    this.#levels.push(level);
    return level;
  }

  /**
   * Shows the view: whether there is more to do in the next frame.
   * @param {Scene} scene
   * @param {View} view
   * @param {number} ratio
   */
  show(scene, view, ratio) {
    const now = performance.now();
    const first = !this.#levels.length;
    const level = this.#level(view, ratio, now);
    for (const each of this.#levels) each.move(view);
    const over = () => !first && performance.now() - now > BUDGET;
    if (!level.paint(level.range(view, scene.folded, 0), scene, this.#version, over)) return true;
    if (level !== this.#levels[0]) this.#levels.shift()?.remove();
    if (first || level.scale !== view.scale) return true;
    const ring = level.range(view, scene.folded, AROUND);
    level.keep(ring);
    return !level.paint(ring, scene, this.#version, over);
  }
}
