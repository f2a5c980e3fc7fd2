// @ts-check
// A box of a scene whose lines are too long to be drawn -> the flags beside it, which name the boxes at their
// other ends, and where these stand.

import { withWires } from "./inside.js";
import * as text from "./text.js";

/** @import { Scene } from "./scene.js" */
/** @import { Flag } from "./types.d.ts" */

const ROOM = 67; // for the words of a flag
const ROW = 13;
const BEFORE = 5; // between a box and its flags
const SHADOW = 6; // of the box of a folded group

/**
 * The words of a flag: a folded group by its name, a layer by its number and, where there is room, its operators.
 * @param {Scene} scene
 * @param {Flag} flag
 * @param {number} room
 */
function worded({ engine, folded }, { words: sign, node }, room) {
  const group = folded.node[folded.of[node]];
  const name =
    group < 0
      ? engine.groups[-1 - group].label.replace(/^.*\//, "")
      : engine.isInner(node)
        ? engine.headline(node)
        : engine.name(node);
  const left = room - text.width(`${sign} `, text.FONTS.plain);
  if (group < 0 || !engine.isLayer(node)) return `${sign} ${text.tail(name, text.FONTS.plain, left)}`;
  const words = `${sign} ${node} ${engine.headline(node)}`;
  return text.width(words, text.FONTS.plain) <= room ? words : `${sign} ${node}`;
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
  const room = ROOM - (scene.group(box) ? SHADOW : 0);
  const shown = all.slice(0, all.length > 2 ? 1 : 2).map((flag) => ({ ...flag, words: worded(scene, flag, room) }));
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
  const x = folded.x[box] + folded.w[box] / 2 + BEFORE + (scene.group(box) ? SHADOW : 0);
  return list.map((flag, at) => ({ flag, x, foot: middle + 4 + ROW * (at - (list.length - 1) / 2) }));
}

/**
 * Where the longest of a box's flags ends, and the box where it has none.
 * @param {Scene} scene
 * @param {number} box
 */
export function right(scene, box) {
  const ends = places(scene, box).map(({ flag, x }) => x + text.width(flag.words, text.FONTS.plain) + BEFORE);
  return Math.max(scene.folded.x[box] + scene.folded.w[box] / 2, ...ends);
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
