// @ts-check
// Two columns of layers, the bands between them, and a part of both -> pixels.

import { count, milliseconds, signed } from "./numbers.js";
import { FONTS, lead, tail, width } from "./text.js";

/** @import { Band, Compared, Geometry, Palette, Pen, SideShown, View } from "./types.d.ts" */

const LINE = 12; // pixels of a label
const TIME = 62; // pixels for a time
const PLACE = 90; // pixels under which a layer's place is not worth cutting
const OVERHEAD = 1; // the place of a layer that runs for no layer of the network
const FAINT = 0.82; // of paper in what a search or a cause leaves out
const FADED = 0.55; // of paper in a band

/**
 * Where the columns stand.
 * @param {number} width
 * @returns {Geometry}
 */
export function geometry(width) {
  const box = width < 640 ? 22 : 40;
  const between = Math.max(50, Math.min(300, width * 0.22));
  const labels = (width - between) / 2 - box;
  return { labels, box, left: labels + box, right: width - labels - box };
}

/**
 * The first layer that ends below `y`.
 * @param {SideShown} side
 * @param {number} y
 */
export function firstBelow({ top, height }, y) {
  let [low, high] = [0, top.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (top[middle] + height[middle] < y) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * @typedef {object} Sight what is drawn, and how
 * @property {Compared} compared
 * @property {Palette} colors
 * @property {View} view
 * @property {number | null} selected
 * @property {((node: number) => boolean) | null} lit what is not faint
 * @property {Map<number, import("./compare_data.js").Share> | null} step what the shown step of the waterfall sums
 */

/**
 * @param {Pen} context
 * @param {Sight} sight
 * @param {number} ratio
 */
export function draw(context, sight, ratio) {
  const { colors, view } = sight;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = colors.paper;
  context.fillRect(0, 0, view.width, view.height);
  const place = geometry(view.width);
  bands(context, sight, place);
  for (const side of [0, 1]) column(context, sight, place, side);
}

/**
 * Where an edge lies in the window.
 * @param {Sight} sight
 * @param {number} y
 */
const seen = ({ view }, y) => (y - view.y) * view.scale;

/**
 * The ends of a band in the window: top and bottom at A, at B.
 * @param {Sight} sight
 * @param {Band} band
 */
function ends(sight, { a: [a, aLast], b: [b, bLast] }) {
  const [one, other] = sight.compared.sides;
  return [
    seen(sight, one.top[a]),
    seen(sight, one.top[aLast] + one.height[aLast]),
    seen(sight, other.top[b]),
    seen(sight, other.top[bLast] + other.height[bLast]),
  ];
}

/**
 * The bands in the window, those of the selected group above the others.
 * @param {Pen} context
 * @param {Sight} sight
 * @param {Geometry} place
 */
function bands(context, sight, place) {
  const { compared, view, selected } = sight;
  const chosen = selected === null ? -1 : compared.groupOf(selected);
  let before = -2;
  for (const one of compared.bands) {
    const [a, aEnd, b, bEnd] = ends(sight, one);
    if (one.group === chosen || Math.max(aEnd, bEnd) < 0 || Math.min(a, b) > view.height) continue;
    if (aEnd - a < 1 && Math.abs(a - b) < 1 && Math.abs(a - before) < 0.7) continue; // on the pixels of the last
    before = a;
    band(context, sight, place, one, false);
  }
  for (const one of compared.bands) if (one.group === chosen) band(context, sight, place, one, true);
  context.setLineDash([]);
  differences(context, sight, place);
}

/**
 * Whether what a band joins is not faint: a step may sum the reformats of its group alone.
 * @param {Sight} sight
 * @param {Band} band
 */
const isLit = ({ compared, lit }, { group }) =>
  !lit || compared.members[group].some((own, side) => own.some((layer) => lit(compared.node(side, layer))));

/**
 * Whether a group's time is that of reformats, too, which stand beside the band.
 * @param {Compared} compared
 * @param {number} group
 */
const reformatted = ({ members, sides }, group) =>
  members[group].some((own, side) => own.some((layer) => sides[side].reformat[layer] && sides[side].ms[layer]));

/**
 * In each band that has room for it, how much longer B takes; once for each group, and never over another.
 * @param {Pen} context
 * @param {Sight} sight
 * @param {Geometry} place
 */
function differences(context, sight, { left, right }) {
  const { compared, colors, view, step } = sight;
  /** @type {Map<number, number>} */
  const told = new Map(); // of each group where its widest band is
  const rooms = compared.bands.map((one) => {
    const [a, aEnd, b, bEnd] = ends(sight, one);
    return { group: one.group, y: (a + aEnd + b + bEnd) / 4, room: (aEnd - a + bEnd - b) / 2, one };
  });
  rooms.forEach(({ group, room }, at) => {
    if (room > (rooms[told.get(group) ?? -1]?.room ?? 0)) told.set(group, at);
  });
  context.font = FONTS.plain;
  context.textAlign = "center";
  /** @type {number[]} */
  const used = [];
  const shown = [...told.values()].map((at) => rooms[at]);
  for (const { group, y, room, one } of shown.sort((mine, yours) => yours.room - mine.room)) {
    const part = step?.get(group);
    const delta = part ? part.b - part.a : compared.groups[group][2];
    if (!delta || room < LINE || y < 0 || y > view.height || !isLit(sight, one)) continue;
    if (used.some((other) => Math.abs(other - y) < LINE + 2)) continue;
    used.push(y);
    const [plain, more] = [signed(delta), !step && reformatted(compared, group) ? " with reformats" : ""];
    const words = right - left > 2 * PLACE ? plain + more : plain;
    const wide = width(words, context.font) + 8;
    context.fillStyle = colors.paper;
    context.beginPath();
    context.roundRect((left + right - wide) / 2, y - LINE / 2, wide, LINE, 3);
    context.globalAlpha = 0.85;
    context.fill();
    context.globalAlpha = 1;
    context.fillStyle = colors.ink;
    context.fillText(words, (left + right) / 2, y + LINE / 2 - 2);
  }
  context.textAlign = "left";
}

/**
 * @param {Pen} context
 * @param {Sight} sight
 * @param {Geometry} place
 * @param {Band} one
 * @param {boolean} chosen
 */
function band(context, sight, { left, right }, one, chosen) {
  const { compared, colors } = sight;
  const [a, aEnd, b, bEnd] = ends(sight, one);
  const middle = (left + right) / 2;
  const [fill, line] = tone(sight, compared.groups[one.group][3]);
  const faint = !chosen && !isLit(sight, one);
  context.beginPath();
  context.moveTo(left, a);
  context.bezierCurveTo(middle, a, middle, b, right, b);
  context.lineTo(right, bEnd);
  context.bezierCurveTo(middle, bEnd, middle, aEnd, left, aEnd);
  context.fillStyle = colors.mix(fill, colors.paper, faint ? 0.92 : chosen ? 0.2 : FADED);
  context.fill();
  if (aEnd - a + bEnd - b < 4 && !chosen) return;
  context.setLineDash(one.dash);
  context.lineWidth = chosen ? 2 : 0.8;
  context.strokeStyle = chosen ? colors.ink : faint ? colors.mix(line, colors.paper, FAINT) : line;
  context.stroke();
}

/**
 * @param {Sight} sight
 * @param {number} number
 */
const tone = ({ colors }, number) => colors.tones[number];

/**
 * @param {Pen} context
 * @param {Sight} sight
 * @param {Geometry} place
 * @param {number} side
 */
function column(context, sight, place, side) {
  const { compared, colors, view, lit, selected } = sight;
  const own = compared.sides[side];
  const chosen = selected === null ? -1 : compared.groupOf(selected);
  let before = -2;
  for (let at = firstBelow(own, view.y); at < own.top.length; at++) {
    const y = seen(sight, own.top[at]);
    if (y > view.height) break;
    const tall = own.height[at] * view.scale;
    const node = compared.node(side, at);
    const inGroup = node === selected || (chosen >= 0 && own.group[at] === chosen);
    if (isRun(own, at) && !isRun(own, at - 1, at)) run(context, sight, place, side, at);
    if (tall < 0.7 && y - before < 0.7 && !inGroup) continue;
    before = y;
    const faint = Boolean(lit) && !inGroup && !lit?.(node);
    const [fill, line] = tone(sight, own.tone[at]);
    const wide = own.reformat[at] ? place.box / 2 : place.box;
    const x = side ? place.right : place.left - wide;
    context.fillStyle = faint ? colors.mix(fill, colors.paper, FAINT) : fill;
    context.fillRect(x, y, wide, Math.max(0.7, tall));
    if (tall > 3 || inGroup) {
      context.lineWidth = inGroup ? 2 : 0.8;
      context.strokeStyle = inGroup ? colors.ink : faint ? colors.mix(line, colors.paper, FAINT) : line;
      context.strokeRect(x, y, wide, Math.max(2, tall));
    }
    if (tall >= LINE - 1 && (!own.reformat[at] || inGroup) && !own.folds[at])
      label(context, sight, place, side, at, y, faint);
  }
}

/**
 * Whether words stand for the layer together with its neighbours, of the same kind as `other`.
 * @param {SideShown} side
 * @param {number} layer
 * @param {number} other
 */
function isRun({ folds, place }, layer, other = layer) {
  if (layer < 0 || layer >= folds.length || folds[layer] !== folds[other]) return false;
  return folds[layer] || (place[layer] === OVERHEAD && place[other] === OVERHEAD);
}

/**
 * What follows each other, where none has room for words: layers that run for no other, or that did not change.
 * @param {Pen} context
 * @param {Sight} sight
 * @param {Geometry} place
 * @param {number} side
 * @param {number} first of them
 */
function run(context, sight, place, side, first) {
  const { compared, colors, view } = sight;
  const own = compared.sides[side];
  let last = first;
  while (isRun(own, last + 1, first)) last++;
  const layers = Array.from({ length: last + 1 - first }, (_, at) => first + at);
  const y = seen(sight, own.top[first]);
  const room = seen(sight, own.top[last] + own.height[last]) - y;
  const folded = own.folds[first];
  if ((layers.length < 2 && !folded) || room < LINE - 1) return;
  if (!folded && own.height[first] * view.scale >= LINE - 1) return; // each has its own words
  const titles = new Set(layers.map((layer) => compared.text(own.title[layer])));
  const named = `${first} to ${last} ${[...titles].slice(0, 3).join(", ")}${titles.size > 3 ? " …" : ""}`;
  const ms = layers.reduce((sum, layer) => sum + (own.ms[layer] ?? 0), 0);
  const main = layers.filter((layer) => !own.reformat[layer]).length;
  const number = main ? count(main, "layer") : count(layers.length, "reformat");
  const words = folded ? `${number} unchanged${ms ? `  ${milliseconds(ms)}` : ""}` : named;
  context.font = FONTS.plain;
  context.fillStyle = colors.muted;
  context.textAlign = side ? "left" : "right";
  const x = side ? place.right + place.box + 8 : place.labels - 8;
  context.fillText(lead(words, context.font, place.labels - 12), x, y + room / 2 + LINE / 2 - 2);
  context.textAlign = "left";
}

/**
 * @param {Pen} context
 * @param {Sight} sight
 * @param {Geometry} place
 * @param {number} side
 * @param {number} at
 * @param {number} y
 * @param {boolean} faint
 */
function label(context, { compared, colors, selected, view }, place, side, at, y, faint) {
  const own = compared.sides[side];
  const { text } = compared;
  const bold = compared.node(side, at) === selected;
  const base = y + LINE - 1;
  const out = side ? 1 : -1;
  let x = side ? place.right + place.box + 8 : place.labels - 8;
  let room = place.labels - 12;
  context.font = bold ? FONTS.strong : FONTS.plain;
  context.fillStyle = faint ? colors.mix(colors.muted, colors.paper, 0.5) : colors.muted;
  const ms = own.ms[at];
  const below = own.height[at] * view.scale >= 2 * LINE;
  const beside = room > (below ? 4 : 2) * TIME;
  if (ms !== null && (beside || below)) {
    context.textAlign = beside || !side ? "right" : "left";
    context.fillText(milliseconds(ms), beside && side ? x + TIME - 10 : x, beside ? base : base + LINE);
  }
  if (ms !== null && beside) {
    x += out * TIME;
    room -= TIME;
  }
  const precision = text(own.precision[at]);
  const known = precision && precision !== "unknown" ? ` · ${precision}` : "";
  const alone = own.place[at] === 2 && compared.groups.length ? (side ? "new: " : "gone: ") : "";
  const [head, part] = [`${alone}${at} ${text(own.title[at])}`, text(own.part[at])];
  const where = part && ` · ${part}`;
  context.textAlign = side ? "left" : "right";
  context.fillStyle = faint ? colors.mix(colors.muted, colors.paper, 0.5) : colors.ink;
  const fits = [head + known + where, head + where].find((words) => width(words, context.font) <= room);
  const left = room - width(head + known, context.font);
  const end = tail(part, context.font, left - width(" · ", context.font));
  const cut = part && left > PLACE ? `${head}${known} · ${end}` : lead(head, context.font, room);
  context.fillText(fits ?? cut, x, base);
  context.textAlign = "left";
}

/**
 * The node under a point of the window; of a band, the first layer on the nearer side. Null: nothing.
 * @param {Sight} sight
 * @param {number} x
 * @param {number} y
 */
export function at(sight, x, y) {
  const { compared, view } = sight;
  const { left, right } = geometry(view.width);
  if (x > left && x < right) return atBand(sight, (x - left) / (right - left), y);
  const side = x < left ? 0 : 1;
  const own = compared.sides[side];
  const down = y / view.scale + view.y;
  const found = firstBelow(own, down);
  return own.top[found] <= down + 2 ? compared.node(side, found) : null;
}

/**
 * @param {Sight} sight
 * @param {number} part of the way from A to B
 * @param {number} y
 */
function atBand(sight, part, y) {
  const eased = part * part * (3 - 2 * part);
  const found = sight.compared.bands.findLast((band) => {
    const [a, aEnd, b, bEnd] = ends(sight, band);
    return y >= a + (b - a) * eased && y <= aEnd + (bEnd - aEnd) * eased;
  });
  if (!found) return null;
  return part < 0.5 ? found.a[0] : sight.compared.node(1, found.b[0]);
}
