// @ts-check
// Two layouts of an engine -> the boxes on their way from one to the other: what is unfolded comes out of the box that
// stood for it, what is folded goes into the box that stands for it now.

import { card } from "./cards.js";
import { place } from "./paint.js";
import { FAR } from "./paint_edges.js";

/** @import { Scene } from "./scene.js" */
/** @import { Folded, Pen, View } from "./types.d.ts" */

const TAKES = 260; // milliseconds
const MOST = 400; // boxes that move; more would be late, and nothing to follow
const FADES = 0.25; // of the time: the lines come when the boxes are nearly there

/** Left, top, width, height. @typedef {[x: number, y: number, w: number, h: number]} Rectangle */

/** @type {(folded: Folded, box: number) => Rectangle} */
const rectangle = ({ x, y, w, h }, box) => [x[box], y[box], w[box], h[box]];

/** The node that a box stands for, or the first of its group's. @param {Scene} scene @param {number} box */
const first = (scene, box) => scene.nodes(box)[0];

export class Morph {
  #scene;
  /** Of each box of the new layout where it comes from. @type {Rectangle[]} */
  #from;
  /** Boxes of the old layout that go into one of the new. @type {{ color: string; from: Rectangle; to: Rectangle }[]} */
  #going;
  #began = performance.now();

  /**
   * @param {Scene} before
   * @param {Scene} after
   * @param {{ x: number; y: number }} moved how far the window moved with the layout
   */
  constructor(before, after, moved) {
    this.#scene = after;
    /** @type {(box: number) => Rectangle} */
    const old = (box) => {
      const [x, y, w, h] = rectangle(before.folded, box);
      return [x + moved.x, y + moved.y, w, h];
    };
    const boxes = [...after.folded.node.keys()];
    this.#from = boxes.map((box) => old(before.folded.of[first(after, box)]));
    const there = new Set(after.folded.node);
    this.#going = [...before.folded.node].flatMap((node, box) => {
      if (there.has(node) || node < 0) return [];
      const to = rectangle(after.folded, after.folded.of[node]);
      return [{ color: before.fill(box), from: old(box), to }];
    });
  }

  /** Whether the eye can follow it. @param {Scene} before @param {Scene} after */
  static fits(before, after) {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    return !still && before.engine === after.engine && Math.max(before.folded.size, after.folded.size) <= MOST;
  }

  /** How much of what lies below is seen: 0 to 1. */
  get under() {
    const at = (performance.now() - this.#began) / TAKES;
    return Math.max(0, Math.min(1, (at - 1 + FADES) / FADES));
  }

  /**
   * Whether they are still on their way.
   * @param {Pen} context
   * @param {View} view
   * @param {number} ratio
   */
  paint(context, view, ratio) {
    const at = Math.min(1, (performance.now() - this.#began) / TAKES);
    if (at >= 1) return false;
    const done = 1 - (1 - at) ** 3;
    /** @type {(from: Rectangle, to: Rectangle) => Rectangle} */
    const between = (from, to) => /** @type {Rectangle} */ (from.map((start, n) => start + (to[n] - start) * done));
    const scene = this.#scene;
    const { folded } = scene;
    place(context, view, ratio);
    context.globalAlpha = 1 - done;
    for (const { color, from, to } of this.#going) fill(context, color, between(from, to));
    context.globalAlpha = 1;
    const now = this.#from.map((from, box) => between(from, rectangle(folded, box)));
    if (view.scale < FAR) {
      for (const [box, each] of now.entries()) fill(context, scene.far(box), each);
    } else {
      const [x, y, w, h] = [0, 1, 2, 3].map((n) => Float64Array.from(now, (each) => each[n]));
      scene.folded = { ...folded, x, y, w, h };
      for (const box of folded.node.keys()) card(context, scene, view.scale, box);
      scene.folded = folded;
    }
    return true;
  }
}

/** @param {Pen} context @param {string} color @param {Rectangle} rectangle */
function fill(context, color, [x, y, w, h]) {
  context.fillStyle = color;
  context.fillRect(x - w / 2, y, w, h);
}
