// @ts-check
// Wheel and pointers -> what part of the drawing the window shows.

import * as dom from "./dom.js";

/** @import { View } from "./types.d.ts" */

const MOST = 5;
const GLIDE = 240; // milliseconds of a move that the eye can follow
export const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Pan and zoom. `moved` is called when the view changes; beyond the drawing's edges only the margins are seen. */
export class Camera {
  /** @type {View} */
  view = { x: 0, y: 0, scale: 1, width: 1, height: 1 };
  drawing = { width: 1, height: 1 };
  margins = { top: 20, right: 20, bottom: 20, left: 20 }; // of the window, kept free by `fit`
  least = 0.05; // scale
  dragged = 0; // pixels, since the pointer went down
  free = false; // it shows a part that was asked for; else the whole, in a window of any size
  covered = 0; // pixels at the window's top that something stands over, from below which the drawing may be pulled
  /** Which point of the window stays where it zooms; null: the middle. @type {() => [x: number, y: number] | null} */
  anchor = () => null;
  #flight = 0;
  /** Where the flight ends. @type {[x: number, y: number, scale: number]} */
  #end = [0, 0, 1];
  #moved;

  /** @param {() => void} moved */
  constructor(moved) {
    this.#moved = moved;
  }

  /**
   * Takes the size of a canvas: how many of its pixels are one of the page.
   * @param {HTMLCanvasElement} canvas
   */
  measure(canvas) {
    const ratio = Math.min(3, devicePixelRatio || 1);
    [this.view.width, this.view.height] = [canvas.clientWidth, canvas.clientHeight];
    canvas.width = Math.round(this.view.width * ratio);
    canvas.height = Math.round(this.view.height * ratio);
    return ratio;
  }

  /** @param {number} scale */
  #scaled(scale) {
    return Math.min(MOST, Math.max(this.least, scale));
  }

  /**
   * Puts the window's corner at (x, y) of the drawing.
   * @param {number} x
   * @param {number} y
   * @param {number} scale
   */
  set(x, y, scale) {
    const { view, drawing, margins: m } = this;
    view.scale = this.#scaled(scale);
    /** @type {(at: number, size: number, window: number, before: number, behind: number, over: number) => number} */
    const bounded = (at, size, window, before, behind, over) => {
      const ends = [-before / view.scale, size + (behind - window) / view.scale];
      return Math.min(Math.max(...ends), Math.max(Math.min(...ends, -over / view.scale), at));
    };
    view.x = bounded(x, drawing.width, view.width, m.left, m.right, 0);
    view.y = bounded(y, drawing.height, view.height, m.top, m.bottom, this.covered);
    this.#moved();
  }

  /** A person moves it: what was pulled from below something goes back, as far as it is pushed. */
  #pushed() {
    this.stop();
    this.free = true;
    this.covered = Math.min(this.covered, Math.max(0, -this.view.y * this.view.scale));
  }

  stop() {
    cancelAnimationFrame(this.#flight);
    this.#flight = 0;
  }

  /** Where a flight ends. */
  get scale() {
    return this.#flight ? this.#end[2] : this.view.scale;
  }

  /** Ends a flight where it goes to. */
  land() {
    if (this.#flight) this.set(...this.#end);
    this.stop();
  }

  /**
   * Glides there: the centre and the scale's logarithm move evenly.
   * @param {number} x
   * @param {number} y
   * @param {number} scale
   */
  glide(x, y, scale) {
    this.stop();
    if (reducedMotion()) {
      this.set(x, y, scale);
      return;
    }
    this.#end = [x, y, scale];
    const from = { ...this.view };
    const began = performance.now();
    const step = () => {
      const at = Math.min(1, (performance.now() - began) / GLIDE);
      const eased = 1 - (1 - at) ** 3;
      const s = from.scale * (scale / from.scale) ** eased;
      /** @type {(a: number, b: number, size: number) => number} */
      const mid = (a, b, size) =>
        (a + size / from.scale / 2) * (1 - eased) + (b + size / scale / 2) * eased - size / s / 2;
      this.set(mid(from.x, x, this.view.width), mid(from.y, y, this.view.height), s);
      this.#flight = at < 1 ? dom.later(step) : 0;
    };
    this.#flight = dom.later(step);
  }

  /**
   * So that this rectangle of the drawing fits between the margins, at a scale of at most `most`.
   * @param {{ left: number; top: number; width: number; height: number }} rectangle
   * @param {number} most
   * @param {boolean} [atOnce]
   */
  fit({ left, top, width, height }, most, atOnce = false) {
    this.free = true;
    this.covered = 0;
    const { view, margins: m } = this;
    const room = { w: Math.max(50, view.width - m.left - m.right), h: Math.max(50, view.height - m.top - m.bottom) };
    const scale = this.#scaled(Math.min(most, room.w / width, room.h / height));
    const x = left + width / 2 - (m.left + room.w / 2) / scale;
    const y = top + height / 2 - (m.top + room.h / 2) / scale;
    this.stop();
    if (atOnce) this.set(x, y, scale);
    else this.glide(x, y, scale);
  }

  /** Whether the whole drawing is in the window. */
  get seesAll() {
    return this.sees({ left: 1, top: 1, width: this.drawing.width - 2, height: this.drawing.height - 2 });
  }

  /**
   * Whether this rectangle of the drawing is in the window.
   * @param {{ left: number; top: number; width: number; height: number }} rectangle
   */
  sees({ left, top, width, height }) {
    const { view } = this;
    const [ends, foot] = [view.x + view.width / view.scale, view.y + view.height / view.scale];
    return view.x <= left && view.y <= top && ends >= left + width && foot >= top + height;
  }

  /** @param {boolean} [atOnce] */
  all(atOnce) {
    this.fit({ left: 0, top: 0, ...this.drawing }, Math.max(1.6, this.view.width / 800), atOnce);
    this.free = false;
  }

  /**
   * Where the scale becomes `by` times what it is or glides to, and the point (px, py) of the window stays.
   * @param {number} by
   * @param {number} px
   * @param {number} py
   * @returns {[x: number, y: number, scale: number]}
   */
  #zoomed(by, px, py) {
    const { x, y, scale: now } = this.view;
    const [left, top, from] = this.#flight ? this.#end : [x, y, now];
    const scale = this.#scaled(from * by);
    return [left + px / from - px / scale, top + py / from - py / scale, scale];
  }

  /**
   * Glides; the point stays, by default the anchor.
   * @param {number} by
   * @param {[x: number, y: number]} [point]
   */
  zoom(by, point = this.anchor() ?? [this.view.width / 2, this.view.height / 2]) {
    this.free = true;
    this.glide(...this.#zoomed(by, ...point));
  }

  /**
   * At once.
   * @param {number} by
   * @param {number} px
   * @param {number} py
   */
  zoomAt(by, px, py) {
    this.#pushed();
    this.set(...this.#zoomed(by, px, py));
  }

  /**
   * By pixels of the window.
   * @param {number} dx
   * @param {number} dy
   */
  pan(dx, dy) {
    this.#pushed();
    this.set(this.view.x + dx / this.view.scale, this.view.y + dy / this.view.scale, this.view.scale);
  }
}

/**
 * A camera that the canvas's wheel and pointers move.
 * @param {HTMLCanvasElement} canvas
 * @param {() => void} moved
 */
export function connect(canvas, moved) {
  const camera = new Camera(moved);
  wheel(canvas, camera);
  drag(canvas, camera);
  return camera;
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Camera} camera
 */
export function wheel(canvas, camera) {
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const unit = event.deltaMode === 1 ? 18 : event.deltaMode === 2 ? 300 : 1;
      const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
      if (sideways && !event.ctrlKey) {
        camera.pan((event.deltaX || event.deltaY) * unit, 0);
        return;
      }
      if (!event.ctrlKey) {
        camera.pan(0, event.deltaY * unit);
        return;
      }
      const by = Math.max(-30, Math.min(30, event.deltaY * unit)); // a pinch comes in small steps, a wheel's is a hundred
      camera.zoomAt(Math.exp(-by * 0.01), event.offsetX, event.offsetY);
    },
    { passive: false },
  );
}

/**
 * Drag and pinch.
 * @param {HTMLCanvasElement} canvas
 * @param {Camera} camera
 */
export function drag(canvas, camera) {
  /** @type {Map<number, { x: number; y: number }>} */
  const pointers = new Map();
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button > 1) return;
    camera.stop();
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    camera.dragged = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const was = pointers.get(event.pointerId);
    if (!was) return;
    const now = { x: event.offsetX, y: event.offsetY };
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      /** @param {{ x: number; y: number }} point */
      const apart = (point) => Math.max(20, Math.hypot(point.x - other.x, point.y - other.y));
      camera.pan((was.x - now.x) / 2, (was.y - now.y) / 2);
      camera.zoomAt(apart(now) / apart(was), (now.x + other.x) / 2, (now.y + other.y) / 2);
    } else camera.pan(was.x - now.x, was.y - now.y);
    camera.dragged += Math.abs(now.x - was.x) + Math.abs(now.y - was.y);
    pointers.set(event.pointerId, now);
  });
  for (const name of /** @type {const} */ (["pointerup", "pointercancel"]))
    canvas.addEventListener(name, (event) => pointers.delete(event.pointerId));
}
