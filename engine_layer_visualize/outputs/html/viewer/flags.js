// @ts-check
// A box of a scene whose lines are too long to be drawn -> the flags beside it, which name the boxes at their
// other ends, and where these stand.

import { withWires } from "./inside.js";
import * as text from "./text.js";

/** @import { Scene } from "./scene.js" */
/** @import { Flag } from "./types.d.ts" */

const ROOM = 64; // for the words of a flag
const ROW = 13;
const BEFORE = 5; // between a box and its flags

/**
 * What a box is called beside another: a folded group by its name, a layer by its number.
 * @param {Scene} scene
 * @param {number} node
 */
function called({ engine, folded }, node) {
  const group = folded.node[folded.of[node]];
  if (group < 0) return engine.groups[-1 - group].label.replace(/^.*\//, "");
  if (engine.isInner(node)) return engine.headline(node);
  if (!engine.isLayer(node)) return engine.name(node);
  const words = `#${node} ${engine.headline(node)}`;
  return text.width(words, text.FONTS.plain) <= ROOM - 14 ? words : `#${node}`;
}

/**
 * The cut edges of a box, one for each box at an other end.
 * @param {Scene} scene
 * @param {number} box
 * @returns {Flag[]}
 */
export function cutEdges(scene, box) {
  const { engine, folded } = scene;
  const { from, to } = engine.edges;
  /** @type {Map<string, Flag>} */
  const found = new Map();
  /** @type {(sign: string, edge: number, node: number) => void} */
  const add = (sign, edge, node) => {
    const key = `${sign}${folded.of[node]}`;
    if (!scene.cut(edge) || found.has(key)) return;
    found.set(key, { words: sign, color: scene.edgeColor(edge), edge, node });
  };
  for (const node of scene.nodes(box)) {
    for (const edge of withWires(engine, engine.into(node))) add("←", edge, from[edge]);
    for (const edge of withWires(engine, engine.out(node))) add("→", edge, to[edge]);
  }
  return [...found.values()];
}

/**
 * The flags of a box: two at most, of which the second may say how many more there are.
 * @param {Scene} scene
 * @param {number} box
 * @returns {Flag[]}
 */
export function of(scene, box) {
  const all = cutEdges(scene, box);
  const shown = all.slice(0, all.length > 2 ? 1 : 2).map((flag) => {
    const name = text.fit(called(scene, flag.node), text.FONTS.plain, ROOM - 14);
    return { ...flag, words: `${flag.words} ${name}` };
  });
  const more = all.length - shown.length;
  if (more) shown.push({ words: `+ ${more} more`, color: scene.colors.muted, edge: -1, node: -1 });
  return shown;
}

/**
 * Where the words of a box's flags begin, and their foot.
 * @param {Scene} scene
 * @param {number} box
 */
export function places(scene, box) {
  const { folded } = scene;
  const list = scene.flags(box);
  const middle = folded.y[box] + folded.h[box] / 2;
  const x = folded.x[box] + folded.w[box] / 2 + BEFORE;
  return list.map((flag, at) => ({ flag, x, foot: middle + 4 + ROW * (at - (list.length - 1) / 2) }));
}

/**
 * The flag at a point of the drawing.
 * @param {Scene} scene
 * @param {number} x
 * @param {number} y
 */
export function at(scene, x, y) {
  for (const box of scene.grid.boxes(x, y, x, y)) {
    if (!scene.folded.flag[box]) continue;
    const found = places(scene, box).find(
      (one) =>
        x >= one.x - BEFORE &&
        x <= one.x + text.width(one.flag.words, text.FONTS.plain) + 2 &&
        y <= one.foot + 3 &&
        y > one.foot + 3 - ROW,
    );
    if (found) return { box, flag: found.flag };
  }
  return null;
}
