// @ts-check
// A comparison -> a dialog that writes its drawing, its table and the link to a file or the clipboard.

import { arrange } from "./compare_layout.js";
import { draw } from "./compare_paint.js";
import * as causes from "./compare_waterfall.js";
import * as dom from "./dom.js";
import { openDialog } from "./export_dialog.js";
import { safe } from "./files.js";
import { count } from "./numbers.js";
import * as text from "./text.js";

/** @import { CompareApp } from "./compare_app.js" */
/** @import { Pen } from "./types.d.ts" */

const ABOVE = 84; // pixels of the title and of how much faster B is
const MARGIN = 20;
const SLIDE = [1280, 720];

/**
 * How much of the drawing has whole groups in so much room.
 * @param {import("./types.d.ts").Compared} compared
 * @param {number} room
 */
function whole({ members, sides }, room) {
  /** @param {[number[], number[]]} both */
  const end = (both) =>
    both.reduce((low, own, side) => {
      const { top, height } = sides[side];
      return own.reduce((last, layer) => Math.max(last, top[layer] + height[layer]), low);
    }, 0);
  const ends = members.map(end).filter((y) => y <= room);
  return { foot: ends.length ? Math.max(...ends) : room, groups: ends.length };
}

/**
 * The whole drawing, with the title and the waterfall above; or of the size of a slide what differs most.
 * @param {CompareApp} app
 * @param {boolean} [slide]
 * @returns {import("./types.d.ts").Sheet}
 */
function sheet(app, slide = false) {
  const { engine, colors, sorted, folded } = app;
  const width = slide ? SLIDE[0] : Math.max(960, app.cam.view.width);
  const above = ABOVE + causes.tall(app);
  const height = slide ? SLIDE[1] : above + engine.tall + MARGIN;
  const view = { x: 0, y: -above, scale: 1, width, height };
  const [ratio, times] = engine.headline;
  /** @param {Pen} context @param {number} sharp */
  const paint = (context, sharp) => {
    if (slide) arrange(engine, true, true);
    draw(context, { ...app.sight, view, shift: 0, selected: null }, sharp);
    if (slide) {
      const { foot, groups } = whole(engine, height - above - 2 * MARGIN);
      arrange(engine, sorted, folded);
      context.fillStyle = colors.paper;
      context.fillRect(0, above + foot + 1, width, height);
      context.fillStyle = colors.muted;
      context.font = text.FONTS.plain;
      const more = engine.groups.length - groups;
      if (more) context.fillText(`… and ${count(more, "group")} that differ less`, MARGIN, height - MARGIN / 2);
    }
    context.fillStyle = colors.ink;
    context.textAlign = "left";
    context.font = text.FONTS.bold.replace("13px", "20px");
    context.fillText(ratio ? `B ${ratio}` : "B against A", MARGIN, 30);
    context.font = text.FONTS.plain;
    context.fillStyle = colors.muted;
    const words = [times, ...engine.sides.map((side, at) => `${"AB"[at]}: ${side.engine}`)].filter(Boolean);
    context.fillText(text.lead(words.join("  ·  "), context.font, width - 2 * MARGIN), MARGIN, 52);
    if (above > ABOVE) causes.paint(app, context, MARGIN, ABOVE, width - 2 * MARGIN);
  };
  return { width, height, title: engine.title, paint };
}

/** @param {CompareApp} app */
export function open(app) {
  const { address, engine, table } = app;
  const stem = safe(`comparison_${engine.b}`);
  const whole = () => sheet(app);
  openDialog({ stem, hash: () => address.hash, columns: table.columns, order: table.order, unit: "row" }, [
    ["svg", "SVG", ".svg", whole],
    ["png", "PNG", ".png", whole],
    ["slide", "PNG for a slide: what differs most", "_slide.png", () => sheet(app, true)],
  ]);
  const words = "It opens this view of this file: send the file with it.";
  if (location.protocol === "file:") dom.find("copy-link").parentElement?.before(dom.muted(words));
}
