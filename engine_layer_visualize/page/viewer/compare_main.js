// @ts-check
// Opens the page of a comparison: reads the data elements, connects the controls, the pointer and the keys.

import { CompareApp } from "./compare_app.js";
import { decode } from "./compare_data.js";
import * as exports from "./compare_export.js";
import * as painting from "./compare_paint.js";
import { partsOf } from "./compare_parts.js";
import * as dom from "./dom.js";
import { el } from "./dom.js";
import * as help from "./help.js";
import * as keys from "./keys.js";
import * as notice from "./notice.js";
import { milliseconds } from "./numbers.js";
import * as controls from "./page_controls.js";

/** @import { ComparisonData, Look } from "./types.d.ts" */

/**
 * Shows two engines side by side.
 * @param {ComparisonData[]} all
 * @param {Look} look
 * @param {() => void} [alone] shows A again, where the comparison began in its page
 */
export function start(all, look, alone) {
  const app = new CompareApp(look, Boolean(alone));
  const { cam, canvas } = app;

  /**
   * @param {number} place among the comparisons
   */
  function open(place) {
    if (place === all.length) alone?.();
    if (place >= all.length) return;
    dom.find("engines", HTMLSelectElement).value = String(place);
    app.open(decode(all[place], app.look.pair), place);
    app.search.again();
  }

  const showHelp = () => help.open(app.look.search, keys.words([...KEYS, ...MOVES]), (query) => app.search.set(query));

  function toggleTable() {
    app.showTable(Boolean(dom.find("table").hidden));
    app.table.focus();
  }

  const showExports = () => exports.open(app);

  const [search, ...zoom] = keys.common({ cam, search: { focus: () => app.search.focus() }, showHelp });

  /** @type {import("./types.d.ts").Key[]} */
  const KEYS = [
    search,
    { keys: ["t"], about: "table of groups", call: toggleTable },
    { keys: ["e"], about: "export: drawing, table, link", call: showExports },
    { keys: ["n"], shown: "n, p", about: "next and previous layer", call: () => app.step(1) },
    { keys: ["p"], about: "", call: () => app.step(-1) },
    ...zoom,
    {
      keys: ["Escape"],
      shown: "Esc",
      about: "ends the selection, the search, the choice of a cause",
      call: () => app.clear(),
    },
  ];

  /** Of the drawing. @type {import("./types.d.ts").Key[]} */
  const MOVES = [
    {
      keys: ["ArrowDown"],
      shown: "arrows",
      about: "up and down choose a layer, left and right its partner",
      call: () => app.step(1),
    },
    { keys: ["ArrowUp"], about: "", call: () => app.step(-1) },
    { keys: ["ArrowLeft"], about: "", call: () => app.cross(0) },
    { keys: ["ArrowRight"], about: "", call: () => app.cross(1) },
    { keys: ["PageDown"], about: "", call: () => cam.pan(0, cam.view.height * 0.8) },
    { keys: ["PageUp"], about: "", call: () => cam.pan(0, -cam.view.height * 0.8) },
    { keys: ["Enter"], about: "", call: () => dom.find("panel").focus() },
  ];

  /** @param {PointerEvent} event */
  function hover(event) {
    const tip = dom.find("tip");
    const node = event.buttons ? null : painting.at(app.sight, event.offsetX, event.offsetY);
    canvas.classList.toggle("over", node !== null);
    tip.hidden = node === null;
    if (node === null) return;
    const { engine } = app;
    const own = engine.sides[engine.side(node)];
    const at = engine.index(node);
    dom.fill(
      tip,
      el("b", {}, engine.label(node)),
      el("span", {}, engine.text(own.name[at]).slice(0, 300)),
      el("span", {}, milliseconds(own.ms[at]) || "no time"),
    );
    dom.beside(tip, event.offsetX, event.offsetY, cam.view);
  }

  function connect() {
    controls.connect(app, {
      engines: [...all.map(({ b, called }) => `${called}: ${b}`), ...(alone ? ["A alone"] : [])],
      open,
      buttons: [
        ["show-table", toggleTable],
        ["show-panel", () => app.togglePanel()],
        ["show-help", showHelp],
        ["show-export", showExports],
      ],
      keys: KEYS,
      keysOf: new Map([
        [canvas, MOVES],
        [document.body, MOVES.filter(({ keys: [key] }) => key !== "Enter")], // nothing has the focus yet
      ]),
    });
    canvas.addEventListener("pointermove", hover);
    canvas.addEventListener("pointerleave", () => {
      dom.find("tip").hidden = true;
    });
    canvas.addEventListener("click", (event) => {
      if (cam.dragged > 5) return;
      app.select(painting.at(app.sight, event.offsetX, event.offsetY));
    });
    canvas.addEventListener("dblclick", (event) => cam.zoom(1.8, [event.offsetX, event.offsetY]));
    app.showTable(innerWidth > 900);
  }

  connect();
  exports.print(app);
  app.address.connect(partsOf(app, all.length, open), notice.say);
  dom.resized(canvas, () => app.size());
  controls.ready("comparison", app);
}
