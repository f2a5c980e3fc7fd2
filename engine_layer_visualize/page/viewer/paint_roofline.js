// @ts-check
// A roofline and a palette -> pixels: the grid, the roofs, dots, and words where they touch nothing; as
// drawings/picture/roofline.py places them.

import { FADED } from "./fills.js";
import * as numbers from "./numbers.js";
import * as text from "./text.js";

/** @import { Context, Dot, Palette, Plot } from "./types.d.ts" */

const SEEN_THROUGH = 0.6;
const LINE = 14; // height of a line of words
const EFFICIENCIES = [0.1, 0.01]; // of the highest roof, that have lines

/** @typedef {[left: number, top: number, right: number, bottom: number]} Box */
/** @typedef {[x: number, y: number]} Place of the beginning of words */

/**
 * @param {Context} on
 * @param {Plot} plot
 * @param {Palette} colors
 * @param {(dot: Dot) => boolean} marked
 * @param {(dot: Dot) => boolean} faded a search did not find it
 */
export function draw(on, plot, colors, marked, faded) {
  grid(on, plot, colors);
  roofs(on, plot, colors);
  for (const dot of [...plot.dots].sort((a, b) => Number(faded(b)) - Number(faded(a)))) {
    on.globalAlpha = faded(dot) ? FADED : 1;
    circle(on, dot, colors);
  }
  on.globalAlpha = 1;
  for (const dot of plot.dots) if (marked(dot)) ring(on, dot, colors);
  labels(new Words(on, plot, colors), plot);
}

/** @param {number} value */
const tick = (value) =>
  value < 1000 ? String(Number(value.toPrecision(3))) : numbers.large(value).replace(/\.0+/, "");

/** @param {Context} on @param {Place} from @param {Place} to */
function line(on, from, to) {
  on.beginPath();
  on.moveTo(...from);
  on.lineTo(...to);
  on.stroke();
}

/** @param {Context} on @param {Plot} plot @param {Palette} colors */
function grid(on, plot, colors) {
  const { box, x, y } = plot;
  on.fillStyle = colors.group;
  on.fillRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
  on.fillStyle = colors.block;
  on.fillRect(box.left, box.top, ridge(plot) - box.left, box.bottom - box.top);
  on.strokeStyle = colors.mix(colors.group, colors.muted, 0.25);
  on.fillStyle = colors.muted;
  on.font = text.FONTS.plain;
  on.lineWidth = 0.8;
  on.textAlign = "center";
  for (const value of x.decades) {
    line(on, [x.at(value), box.top], [x.at(value), box.bottom]);
    on.fillText(tick(value), x.at(value), box.bottom + 15);
  }
  on.textAlign = "right";
  for (const value of y.decades) {
    line(on, [box.left, y.at(value)], [box.right, y.at(value)]);
    on.fillText(tick(value), box.left - 5, y.at(value) + 4);
  }
  on.fillStyle = colors.ink;
  on.textAlign = "center";
  on.fillText("FLOP per byte", (box.left + box.right) / 2, box.bottom + 32);
  on.save();
  on.translate(12, (box.top + box.bottom) / 2);
  on.rotate(-Math.PI / 2);
  on.fillText("FLOP per second", 0, 0);
  on.restore();
}

/** Where the highest roof begins: at its left bytes bound a layer, at its right FLOP. @param {Plot} plot */
function ridge({ box, x, roofs, bandwidth }) {
  const [[peak] = [0]] = roofs;
  return bandwidth && peak ? Math.min(box.right, Math.max(box.left, x.at(peak / bandwidth[0]))) : box.left;
}

/**
 * The bandwidth up to the highest peak, and each peak from where it begins; a tenth and a hundredth of the highest.
 * @param {Context} on @param {Plot} plot @param {Palette} colors
 */
function roofs(on, plot, colors) {
  const { box, x, y, bandwidth } = plot;
  on.lineWidth = 1.8;
  for (const [value, , precision] of plot.roofs) {
    on.strokeStyle = colors.precisions[precision][1];
    line(on, [start(plot, value), y.at(value)], [box.right, y.at(value)]);
  }
  const points = slope(plot);
  if (!bandwidth || !points.length) return;
  on.strokeStyle = colors.ink;
  line(on, points[0], points[points.length - 1]);
  on.strokeStyle = colors.muted;
  on.lineWidth = 1;
  on.save();
  on.beginPath();
  on.rect(box.left, box.top, box.right - box.left, box.bottom - box.top);
  on.clip();
  on.setLineDash([2, 4]);
  for (const part of plot.roofs.length ? EFFICIENCIES : []) {
    const [peak, corner] = [plot.roofs[0][0] * part, x.at(plot.roofs[0][0] / bandwidth[0])];
    line(on, [box.left, y.at(x.low * bandwidth[0] * part)], [corner, y.at(peak)]);
    line(on, [corner, y.at(peak)], [box.right, y.at(peak)]);
  }
  on.restore();
}

/** Where a roof begins. @param {Plot} plot @param {number} value */
const start = ({ x, bandwidth }, value) => x.at(Math.max(x.low, bandwidth ? value / bandwidth[0] : x.low));

/** Points of the bandwidth's line, where that is in the plot. @param {Plot} plot @returns {Place[]} */
function slope({ x, y, roofs, bandwidth }) {
  const [rate] = bandwidth ?? [0];
  const [first, last] = [Math.max(x.low, y.low / rate), Math.min(x.high, (roofs[0]?.[0] ?? y.high) / rate)];
  return Array.from({ length: first < last ? 201 : 0 }, (_, step) => {
    const at = first * (last / first) ** (step / 200);
    return [x.at(at), y.at(at * rate)];
  });
}

/** The words in the plot, each at the first of its places that is free. @param {Words} words @param {Plot} plot */
function labels(words, plot) {
  const { box, y, dots, roofs, bandwidth, worst } = plot;
  const middle = ridge(plot);
  for (const { x, y, r } of dots) words.keepClear(x, y, r);
  for (const [value] of roofs)
    for (let at = start(plot, value); at < box.right; at += 8) words.keepClear(at, y.at(value), 1);
  const points = slope(plot);
  for (const point of points) words.keepClear(...point, 1);
  for (const [node, name, told] of worst) {
    const dot = dots.find((each) => each.node === node);
    if (dot) words.name(dot, name, told);
  }
  for (const [value, told] of roofs) {
    const [from, wide] = [start(plot, value), text.width(told, text.FONTS.strong)];
    /** @type {number[]} */
    const across = [];
    for (let at = box.right - wide - 8; at > from || !across.length; at -= 40) across.push(at);
    words.put(
      [-5, LINE].flatMap((by) => across.map((at) => /** @type {Place} */ ([at, y.at(value) + by]))),
      told,
    );
  }
  if (!bandwidth || !points.length) return;
  const wide = text.width(bandwidth[1], text.FONTS.strong) + 12;
  const along = [70, 100, 40, 130, 160].map((step) => points[step]);
  words.put(
    along.map(([x, y]) => [Math.max(box.left + 6, x - wide), y - 4]),
    bandwidth[1],
  );
  if (!roofs.length) return;
  for (const part of EFFICIENCIES) {
    const foot = y.at(roofs[0][0] * part) - 4;
    words.put(
      [box.right - 36, middle + 8].map((x) => [x, foot]),
      `${part * 100} %`,
      false,
    );
  }
  for (const [told, from] of /** @type {[string, number][]} */ ([
    ["bound by memory", box.left],
    ["bound by computing", middle],
  ]))
    words.put(
      [box.bottom - 8, box.top + 16].map((foot) => [from + 8, foot]),
      told,
      false,
    );
}

/** Places words in a plot, so that they touch neither dots nor each other, if that can be. */
class Words {
  /** @type {Box[]} */
  #kept = [];
  /** @type {Box[]} */
  #taken = [];
  #on;
  #box;
  #colors;

  /** @param {Context} on @param {Plot} plot @param {Palette} colors */
  constructor(on, { box }, colors) {
    this.#on = on;
    this.#box = box;
    this.#colors = colors;
  }

  /** @param {number} x @param {number} y @param {number} r */
  keepClear(x, y, r) {
    this.#kept.push([x - r, y - r, x + r, y + r]);
  }

  /**
   * @param {Place[]} places
   * @param {string} told
   * @param {boolean} [needed] else only where nothing is
   */
  put(places, told, needed = true) {
    const font = needed ? text.FONTS.strong : text.FONTS.plain;
    const place = this.#free(places, text.width(told, font) + 8, 1, needed);
    if (place) this.#plate(place, text.width(told, font), needed ? [told] : ["", told]);
  }

  /**
   * Two lines beside a dot, and a line to it where they stand farther away.
   * @param {Dot} dot
   * @param {string} name
   * @param {string} told
   */
  name({ x, y, r }, name, told) {
    const wide = Math.max(text.width(name, text.FONTS.strong), text.width(told, text.FONTS.plain)) + 8;
    /** @type {Place[]} */
    const places = [
      [x + r + 8, y - 3.5],
      [x - r - wide, y - 3.5],
    ];
    for (let far = 4; far < 160; far += 12)
      for (const rise of [-r - far - 17.5, r + far + 10.5])
        for (const part of [0.5, 0, 1, -0.3, 1.3]) places.push([x + 4 - wide * part, y + rise]);
    const [left, foot] = this.#free(places, wide, 2, true) ?? places[0];
    const end = /** @type {Place} */ ([
      Math.min(Math.max(x, left - 4), left + wide - 4),
      Math.min(Math.max(y, foot - 10.5), foot + 17.5),
    ]);
    if (Math.hypot(end[0] - x, end[1] - y) > r + 8) {
      this.#on.strokeStyle = this.#colors.ink;
      this.#on.lineWidth = 1.2;
      line(this.#on, [x, y], end);
      for (let part = 0; part < 1; part += 0.1) this.keepClear(x + (end[0] - x) * part, y + (end[1] - y) * part, 1);
    }
    this.#plate([left, foot], wide - 8, [name, told]);
  }

  /**
   * The first place of so many lines that is free; else, of what is needed, one free of words.
   * @param {Place[]} places
   * @param {number} wide
   * @param {number} count
   * @param {boolean} needed
   */
  #free(places, wide, count, needed) {
    const { left, top, right, bottom } = this.#box;
    for (const taken of [[...this.#kept, ...this.#taken], ...(needed ? [this.#taken] : [])])
      for (const [x, y] of places) {
        /** @type {Box} */
        const own = [x - 4, y - 10.5, x - 4 + wide, y - 10.5 + LINE * count];
        if (own[0] < left || own[1] < top || own[2] > right || own[3] > bottom) continue;
        if (taken.some((a) => a[0] < own[2] && own[0] < a[2] && a[1] < own[3] && own[1] < a[3])) continue;
        this.#taken.push(own);
        return /** @type {Place} */ ([x, y]);
      }
    return needed ? places[0] : null;
  }

  /**
   * Words on a ground of their own: a bold line, a plain one.
   * @param {Place} place
   * @param {number} wide
   * @param {string[]} told
   */
  #plate([x, y], wide, told) {
    const [on, colors] = [this.#on, this.#colors];
    const lines = told.filter(Boolean);
    on.fillStyle = colors.group;
    on.fillRect(x - 4, y - 10.5, wide + 8, LINE * lines.length);
    on.textAlign = "left";
    lines.forEach((words, at) => {
      on.font = words === told[0] ? text.FONTS.strong : text.FONTS.plain;
      on.fillStyle = words === told[0] ? colors.ink : colors.muted;
      on.fillText(words, x, y + LINE * at);
    });
  }
}

/** @param {Context} on @param {Dot} dot @param {Palette} colors */
function circle(on, { x, y, r, precision }, colors) {
  const color = colors.precisions[precision][1];
  on.beginPath();
  on.arc(x, y, r, 0, 2 * Math.PI);
  const alpha = on.globalAlpha;
  on.fillStyle = color;
  on.globalAlpha = alpha * SEEN_THROUGH; // many lie upon each other
  on.fill();
  on.globalAlpha = alpha;
  on.strokeStyle = color;
  on.lineWidth = 1.2;
  on.stroke();
}

/**
 * Around the selected layer's dot, and around the one at the pointer.
 * @param {Context} on
 * @param {Dot} dot
 * @param {Palette} colors
 */
function ring(on, { x, y, r }, colors) {
  for (const [color, wide] of /** @type {[string, number][]} */ ([
    [colors.paper, 6],
    [colors.ink, 2.5],
  ])) {
    on.beginPath();
    on.arc(x, y, r + 4, 0, 2 * Math.PI);
    on.strokeStyle = color;
    on.lineWidth = wide;
    on.stroke();
  }
}
