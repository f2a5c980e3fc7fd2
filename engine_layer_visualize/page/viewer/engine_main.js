// @ts-check
// The page of engines: reads the data elements, connects the controls, the keys and the address to the app.

import { App } from "./app.js";
import { step } from "./arrows.js";
import * as blocks from "./blocks.js";
import * as dom from "./dom.js";
import * as engines from "./engine.js";
import * as exports from "./exports.js";
import * as help from "./help.js";
import * as keys from "./keys.js";
import * as notice from "./notice.js";
import * as controls from "./page_controls.js";
import * as pointing from "./pointing.js";
import { partsOf } from "./view_parts.js";

/** @import { Engine, Head, Look, Mode } from "./types.d.ts" */

/** Shows the engines of the data elements. @param {string[]} bodies the JSON of each @param {Look} look */
export function start(bodies, look) {
  /** @type {Head[]} */
  const heads = dom.json("engine-head").map(dom.parsed);
  /** @type {Map<number, Engine>} */
  const opened = new Map();
  const app = new App(look);
  app.search.blocks = (query, exact) => blocks.named(app, query, exact);
  const { cam } = app;

  /**
   * Opens the engine at this place among the page's engines.
   * @param {number} place
   */
  function open(place) {
    const engine = opened.get(place) ?? engines.decode(heads[place], JSON.parse(bodies[place]));
    opened.set(place, engine);
    dom.find("engines", HTMLSelectElement).value = String(place);
    app.open(engine);
  }

  /** Ends what stands on top. Dialog, menu and list of hits end by themselves, where the focus is. */
  function clear() {
    const tip = dom.find("tip");
    if (document.activeElement === app.time.canvas && app.time.out()) return;
    if (!tip.hidden) tip.hidden = true;
    else if (app.panes.open) app.panes.show(null);
    else if (app.finding) app.close();
    else if (app.hits) app.search.clear();
    else if (app.selected !== null || app.tensor !== null) app.select(null);
    else if (app.drawer.open) app.togglePanel();
  }

  /** Whether the open engine has what a key shows. @param {import("./types.d.ts").Key} key */
  const has = ({ keys: [key] }) => key !== "r" || app.panes.ids.includes("roofline");

  const showHelp = () =>
    help.open(
      app.look.search,
      keys.words([...KEYS.filter(has), ...ARROWS, ENTER]),
      (query) => app.search.set(query),
      MOUSE,
    );

  const MOUSE = [
    ["click", "tells all of a layer; opens a block"],
    ["Ctrl+click", "adds a layer or a block to the sum in the panel, or takes it away"],
    ["Shift+click", "lights all above and below a layer; sums up a folded block"],
    ["drag, wheel", "move the drawing; Ctrl with the wheel zooms"],
    ["drop", "the page or JSON of another engine, as the button Compare: both side by side"],
  ];

  /** Selects by a key; where nothing has the focus, the drawing takes it: its arrow keys go on. @param {() => void} call */
  function toLayer(call) {
    call();
    if (document.activeElement === document.body) app.canvas.focus({ preventScroll: true });
  }

  /** The slowest layer; where one of the slowest is selected, the next of them. */
  function slower() {
    const { ranking } = app.engine.now;
    return ranking[(ranking.indexOf(app.selected ?? -1) + 1) % ranking.length] ?? app.selected;
  }

  const showExports = () => exports.open(app);

  const [search, ...zoom] = keys.common({ cam, search: { focus: () => app.search.focus() }, showHelp });

  /** @type {import("./types.d.ts").Key[]} */
  const KEYS = [
    search,
    { keys: ["t"], about: "table of layers", call: () => app.panes.toggle("table") },
    { keys: ["r"], about: "roofline", call: () => app.panes.toggle("roofline") },
    { keys: ["e"], about: "export: drawing, table, link", call: showExports },
    { keys: ["i"], about: "time as an icicle", call: () => app.panes.toggle("time") },
    { keys: ["n"], shown: "n, p", about: "next and previous layer", call: () => toLayer(() => app.step(1)) },
    { keys: ["p"], about: "", call: () => toLayer(() => app.step(-1)) },
    { keys: ["l"], about: "the slowest layer; again: the next one", call: () => toLayer(() => app.select(slower())) },
    {
      keys: ["b"],
      about: "fold all blocks; again: as before",
      call: () => app.engine.groups.length && app.levels.toggle(),
    },
    {
      keys: ["u"],
      shown: "u, d, c",
      about: "light all upstream or downstream of the selected layer, or both",
      call: () => app.lenses.cone("up"),
    },
    { keys: ["d"], about: "", call: () => app.lenses.cone("down") },
    { keys: ["c"], about: "", call: () => app.lenses.cone("both") },
    ...zoom,
    {
      keys: ["Escape"],
      shown: "Esc",
      about: "closes what stands on top, else ends a finding, the search, what is lit, the selection",
      call: clear,
    },
  ];

  const ARROWS = keys.ofDrawing(cam, (way) => {
    if (app.selected === null) return false;
    const next = step(app.engine, app.folded, app.selected, way);
    if (next !== null) app.select(next, true, false);
    return true;
  });

  const ENTER = {
    keys: ["Enter", " "],
    shown: "Enter, Space",
    about: "in the drawing: unfold the selected block or ForeignNode; else fold the block around",
    call: () => app.levels.unfold(app.selected),
  };

  /**
   * @param {string} id
   * @param {(value: string) => void} call
   */
  function onChange(id, call) {
    const control = dom.find(id, HTMLSelectElement);
    control.addEventListener("change", () => call(control.value));
  }

  function connect() {
    onChange("color", (value) => app.colorBy(/** @type {Mode} */ (value)));
    onChange("profile", (value) => app.profile(Number(value)));
    controls.connect(app, {
      engines: heads.map((head) => `Engine ${head.index}: ${head.size}`),
      open,
      buttons: [
        ["show-table", () => app.panes.toggle("table")],
        ["show-time", () => app.panes.toggle("time")],
        ["show-panel", () => app.togglePanel()],
        ["show-help", showHelp],
        ["show-export", showExports],
      ],
      keys: KEYS,
      keysOf: new Map([
        [app.canvas, [...ARROWS, ENTER]],
        [document.body, [...ARROWS, ENTER]], // nothing has the focus yet
      ]),
    });
    controls.toggled("legend");
  }

  connect();
  exports.print(app);
  app.address.connect(partsOf(app, heads, open), notice.say);
  app.size(); // draws
  dom.resized(app.canvas, () => app.size());
  pointing.connect(app);
  controls.ready("engineLayers", app);
  return app;
}
