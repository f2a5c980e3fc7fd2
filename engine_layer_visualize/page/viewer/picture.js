// @ts-check
// What the window shows, or the whole drawing -> a sheet, drawn by what paints the window, with the title above and the
// legend below.

import { entries, ticks } from "./legend.js";
import * as paint from "./paint.js";
import * as text from "./text.js";

/** @import { App } from "./app.js" */
/** @import { Color, Pen, View } from "./types.d.ts" */

/** What this asks of the app. @typedef {Pick<App, "cam" | "engine" | "folded" | "scene">} Host */

const MARGIN = 20; // around the whole
const ROW = 20; // of the legend
const ABOVE = 44; // height of the title
const TITLE = 20; // its size

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
