// @ts-check
// What the window shows, or the whole drawing -> a sheet, drawn by what paints the window, with the title above and the
// legend below.

import { layOut } from "./layout.js";
import { entries, ticks } from "./legend.js";
import { opened } from "./levels.js";
import * as paint from "./paint.js";
import { Scene } from "./scene.js";
import * as text from "./text.js";

/** @import { App } from "./app.js" */
/** @import { Color, Pen, View } from "./types.d.ts" */

/** What this asks of the app. @typedef {Pick<App, "cam" | "engine" | "folded" | "scene">} Host */

const MARGIN = 20; // around the whole
const ROW = 20; // of the legend
const ABOVE = 44; // height of the title
const TITLE = 20; // its size
const CARD = { width: 1200, height: 630, margin: 48, aspect: 2.6, scale: 2.2 }; // as drawing/png.py

/**
 * @param {Host} app
 * @param {boolean} whole
 * @returns {View}
 */
function viewOf(app, whole) {
  if (!whole) return { ...app.cam.view };
  const { width, height } = app.folded;
  return { x: -MARGIN, y: -MARGIN, scale: 1, width: width + 2 * MARGIN, height: height + 2 * MARGIN };
}

/** @param {Host} app */
const title = (app) =>
  [...document.querySelectorAll("#title > b, #title > span > i")].map((part) => part.textContent).join("  ·  ") ||
  app.engine.head.title;

/**
 * What the legend says, with its place below the drawing; and the height of all.
 * @param {Host} app
 * @param {number} width
 */
function captions(app, width) {
  const { scene } = app;
  const signs = [
    ...ticks(scene).map(([color, words]) => ({ kind: "box", color, words })),
    ...entries(scene).map(([kind, color, words]) => ({ kind, color, words })),
  ];
  let [x, y] = [MARGIN, 16];
  const placed = signs.map((sign) => {
    const wide = text.width(sign.words, text.FONTS.plain) + 40;
    if (x + wide > width && x > MARGIN) [x, y] = [MARGIN, y + ROW];
    const at = { ...sign, x, y };
    x += wide;
    return at;
  });
  return { placed, height: placed.length ? y + ROW : 0 };
}

/**
 * @param {Pen} context
 * @param {Host} app
 * @param {View} view
 * @param {number} ratio
 * @param {ReturnType<typeof captions>} below
 */
function draw(context, app, view, ratio, below) {
  const { scene } = app;
  const { colors } = scene;
  const foot = view.height + ABOVE;
  const taller = { ...view, y: view.y - ABOVE / view.scale, height: foot };
  scene.unpointed(() => paint.draw(context, scene, taller, ratio));
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = colors.paper;
  context.fillRect(0, 0, view.width, ABOVE);
  context.fillRect(0, foot, view.width, below.height);
  context.fillStyle = colors.ink;
  context.textAlign = "left";
  context.font = text.FONTS.bold.replace("13px", `${TITLE}px`);
  context.fillText(text.lead(title(app), text.FONTS.bold, (view.width - 2 * MARGIN) * (13 / TITLE)), MARGIN, 32);
  context.setTransform(ratio, 0, 0, ratio, 0, foot * ratio);
  context.font = text.FONTS.plain;
  for (const { kind, color, words, x, y } of below.placed) {
    sample(context, kind, color, x, y);
    context.fillStyle = colors.muted;
    context.fillText(words, x + 20, y + 4);
  }
}

/**
 * @param {Pen} context
 * @param {string} kind
 * @param {Color} color
 * @param {number} x
 * @param {number} y
 */
function sample(context, kind, color, x, y) {
  context.fillStyle = color;
  if (kind === "edge") context.fillRect(x, y - 1.5, 14, 3);
  else if (kind === "box") context.fillRect(x, y - 5, 14, 10);
  else if (kind === "bar") context.fillRect(x + 5, y - 6, 4, 12);
  else if (kind === "badge" || kind === "mark") {
    context.beginPath();
    context.roundRect(x + 2.5, y - 4.5, 9, 9, 4.5);
    context.strokeStyle = color;
    context.lineWidth = 1.2;
    if (kind === "badge") context.fill();
    else context.stroke();
  } else {
    context.strokeStyle = color;
    context.lineWidth = 1.5;
    context.setLineDash(kind === "dashed" ? [4, 2] : kind === "dotted" ? [1.5, 2] : []);
    context.beginPath();
    context.roundRect(x, y - 5, 14, 10, 3);
    context.stroke();
    context.setLineDash([]);
  }
}

/**
 * The drawing, with the title above and the legend below.
 * @param {Host} app
 * @param {boolean} whole
 * @returns {import("./types.d.ts").Sheet}
 */
export function sheet(app, whole) {
  const view = viewOf(app, whole);
  const below = captions(app, view.width);
  const height = ABOVE + view.height + below.height;
  return {
    width: view.width,
    height,
    title: title(app),
    paint: (context, ratio) => draw(context, app, view, ratio, below),
  };
}

/**
 * What is posted: name, facts and one sentence, and below them the engine at its blocks, without inputs and outputs.
 * @param {Pick<App, "colors" | "engine" | "mode">} app
 * @returns {import("./types.d.ts").Sheet}
 */
export function card({ colors, engine: { card, head }, mode }) {
  const { width, height, margin } = CARD;
  const engine = card.engine();
  const { edges, marks, ports } = engine;
  ports.entry.forEach((entry, at) => {
    const [edge] = (entry ? engine.out : engine.into)(engine.count + at);
    if (edge !== undefined) marks.set(engine.count + at, (entry ? edges.to : edges.from)[edge]);
  });
  const { folded, frames, routes } = layOut(engine, opened(engine), CARD.aspect);
  const scene = new Scene(engine, folded, frames, routes, colors, mode);
  folded.marks.clear();
  scene.badges.of.clear();
  const top = Math.max(...card.words.map(([, y]) => y)) + 28;
  const tall = height - margin / 2 - top;
  const scale = Math.min(CARD.scale, (width - 2 * margin) / folded.width, tall / folded.height);
  const y = folded.height / 2 - (top + tall / 2) / scale;
  const view = { x: folded.width / 2 - width / 2 / scale, y, scale, width, height };
  /** @param {Pen} context @param {number} ratio */
  const draw = (context, ratio) => {
    paint.draw(context, scene, view, ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    for (const [x, y, words, size, bold, anchor] of card.words) {
      context.font = text.FONTS[bold ? "bold" : "plain"].replace(/\d+px/, `${size}px`);
      context.fillStyle = bold ? colors.ink : colors.muted;
      context.textAlign = anchor;
      context.fillText(words, x, y);
    }
  };
  return { width, height, title: head.title, sharp: 1, paint: draw };
}
