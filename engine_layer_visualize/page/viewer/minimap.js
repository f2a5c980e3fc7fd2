// @ts-check
// A scene and the camera -> the whole drawing, small, drawn once; what a search found stands out, and a frame follows
// the window and can be dragged.

import { contextOf } from "./dom.js";
import { FADED } from "./fills.js";

/** @import { Camera } from "./camera.js" */
/** @import { Scene } from "./scene.js" */

export class Minimap {
  #canvas;
  #camera;
  #context;
  #whole = document.createElement("canvas"); // all boxes
  #kept = document.createElement("canvas"); // the same as a search leaves it
  #at = { scale: 1, left: 0, top: 0, ratio: 1 }; // the drawing's place in the small canvas
  /** @type {Scene | null} */
  #scene = null;

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {Camera} camera
   */
  constructor(canvas, camera) {
    this.#canvas = canvas;
    this.#camera = camera;
    this.#context = contextOf(canvas);
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.#go(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons) this.#go(event);
    });
  }

  /**
   * Draws it anew.
   * @param {Scene} scene
   */
  show(scene) {
    this.#scene = scene;
    const { folded } = scene;
    const at = this.#at;
    at.ratio = devicePixelRatio || 1;
    const [w, h] = [this.#canvas.clientWidth || 343, this.#canvas.clientHeight || 127];
    for (const each of [this.#canvas, this.#kept, this.#whole])
      [each.width, each.height] = [Math.round(w * at.ratio), Math.round(h * at.ratio)];
    at.scale = Math.min((w - 12) / Math.max(1, folded.width), (h - 12) / Math.max(1, folded.height));
    at.left = (w - folded.width * at.scale) / 2;
    at.top = (h - folded.height * at.scale) / 2;
    const small = contextOf(this.#whole);
    small.setTransform(at.ratio, 0, 0, at.ratio, 0, 0);
    small.clearRect(0, 0, w, h);
    for (let box = 0; box < folded.size; box++) this.#block(small, scene, box, 0.7);
    this.lens();
  }

  /** Shows what a search found: the others pale, the hits large enough to be seen. */
  lens() {
    const scene = this.#scene;
    if (!scene) return;
    const on = contextOf(this.#kept);
    on.setTransform(1, 0, 0, 1, 0, 0);
    on.clearRect(0, 0, this.#kept.width, this.#kept.height);
    on.drawImage(this.#whole, 0, 0);
    if (scene.hits) {
      on.globalAlpha = 1 - FADED;
      on.globalCompositeOperation = "source-atop"; // over boxes alone
      on.fillStyle = scene.colors.paper;
      on.fillRect(0, 0, this.#kept.width, this.#kept.height);
      on.globalAlpha = 1;
      on.globalCompositeOperation = "source-over";
      on.setTransform(this.#at.ratio, 0, 0, this.#at.ratio, 0, 0);
      for (const box of scene.hits) this.#block(on, scene, box, 2);
    }
    this.frame();
  }

  /**
   * @param {CanvasRenderingContext2D} on
   * @param {Scene} scene
   * @param {number} box
   * @param {number} least
   */
  #block(on, scene, box, least) {
    const { left, top, scale } = this.#at;
    const { folded } = scene;
    on.fillStyle = scene.far(box);
    on.fillRect(
      left + (folded.x[box] - folded.w[box] / 2) * scale,
      top + folded.y[box] * scale,
      Math.max(least, folded.w[box] * scale),
      Math.max(least, folded.h[box] * scale),
    );
  }

  /** Draws the frame where the window is now. */
  frame() {
    if (!this.#scene) return;
    const { view } = this.#camera;
    const { colors } = this.#scene;
    const [at, context, canvas] = [this.#at, this.#context, this.#canvas];
    const [ends, foot] = [view.x + view.width / view.scale, view.y + view.height / view.scale];
    canvas.classList.toggle("idle", this.#camera.seesAll); // nothing to find
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.drawImage(this.#kept, 0, 0);
    context.setTransform(at.ratio, 0, 0, at.ratio, 0, 0);
    context.strokeStyle = colors.accent;
    context.lineWidth = 1.5;
    const x = Math.max(1, at.left + view.x * at.scale);
    const y = Math.max(1, at.top + view.y * at.scale);
    const right = Math.min(canvas.width / at.ratio - 1, at.left + ends * at.scale);
    const bottom = Math.min(canvas.height / at.ratio - 1, at.top + foot * at.scale);
    context.strokeRect(x, y, Math.max(3, right - x), Math.max(3, bottom - y));
  }

  /** @param {MouseEvent} event */
  #go(event) {
    const [at, { view }] = [this.#at, this.#camera];
    const x = (event.offsetX - at.left) / at.scale - view.width / view.scale / 2;
    const y = (event.offsetY - at.top) / at.scale - view.height / view.scale / 2;
    this.#camera.stop();
    this.#camera.free = true;
    this.#camera.set(x, y, view.scale);
  }
}
