// @ts-check
// The pointer over the drawing -> the tooltip beside it, and what a click selects, collapses or expands.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import { groupTip } from "./hierarchy.js";
import * as numbers from "./numbers.js";
import { FAR } from "./paint_edges.js";
import { LEAD } from "./spacing.js";
import * as text from "./text.js";

/** @import { App } from "./app.js" */
/** @import { Engine } from "./types.d.ts" */

/**
 * Both statistics, where they differ by more than 10 %.
 * @param {Engine} engine
 * @param {number} node
 */
function unsteady(engine, node) {
  if (!engine.layers.unsteady.has(node)) return "";
  const { mean, median, ms } = engine.layers;
  return `mean ${numbers.milliseconds(mean.get(node) ?? ms[node])}, median ${numbers.milliseconds(median.get(node))}`;
}

/**
 * What the tooltip says of a box.
 * @param {App} app
 * @param {number} box
 */
function boxTip({ engine, folded, scene }, box) {
  const group = scene.group(box);
  if (group) return groupTip(engine, group);
  const node = folded.node[box];
  const words = scene.text(box);
  const found = engine.found.of(node).map(({ rule }) => `${rule.code} ${rule.name}`);
  return [
    el("b", {}, words.head),
    el("span", {}, [words.time, words.share, unsteady(engine, node)].filter(Boolean).join("  ·  ")),
    found.length ? el("span", {}, [...new Set(found)].slice(0, 3).join(", ")) : null,
    el("span", { dir: "ltr" }, text.fit(engine.name(node), text.FONTS.plain, 520)),
  ];
}

/**
 * @param {App} app
 */
export function connect(app) {
  const { cam, canvas } = app;
  const tip = dom.find("tip");
  /** @param {MouseEvent} event */
  const under = (event) =>
    app.scene.grid.at(cam.view.x + event.offsetX / cam.view.scale, cam.view.y + event.offsetY / cam.view.scale);
  /**
   * The fold sign of an open group's frame, in its first line.
   * @param {MouseEvent} event
   */
  const frame = (event) => {
    const [x, y] = [cam.view.x + event.offsetX / cam.view.scale, cam.view.y + event.offsetY / cam.view.scale];
    return app.scene.frames.find(
      (each) => !each.part && x >= each.x && x <= each.x + each.w && y >= each.y && y <= each.y + LEAD,
    );
  };
  canvas.addEventListener("pointermove", (event) => {
    const box = under(event) ?? -1;
    const around = box < 0 ? frame(event) : undefined;
    canvas.classList.toggle("over", box >= 0 || Boolean(around));
    tip.hidden = (box < 0 && !around) || event.buttons > 0;
    if (!tip.hidden) {
      dom.fill(tip, around ? groupTip(app.engine, app.engine.groups[around.group]) : boxTip(app, box));
      const [w, h] = [tip.offsetWidth, tip.offsetHeight];
      tip.style.left = `${Math.max(4, Math.min(event.offsetX + 14, cam.view.width - w - 8))}px`;
      tip.style.top = `${event.offsetY + 18 + h > cam.view.height ? event.offsetY - h - 12 : event.offsetY + 18}px`;
    }
    if (box !== app.scene.hover) {
      app.scene.hover = box;
      app.drawing.requestOver();
    }
  });
  canvas.addEventListener("pointerleave", () => {
    tip.hidden = true;
    app.scene.hover = -1;
    app.drawing.requestOver();
  });
  canvas.addEventListener("click", (event) => {
    if (cam.dragged > 4) return;
    const box = under(event);
    if (box === undefined) {
      const found = frame(event);
      if (found && cam.view.scale >= FAR) app.toggle(found.group);
      else app.select(null);
    } else if (app.folded.node[box] < 0) app.toggle(-1 - app.folded.node[box]);
    else app.select(app.folded.node[box], false);
  });
  canvas.addEventListener("dblclick", (event) => cam.zoom(1.8, event.offsetX, event.offsetY));
}
