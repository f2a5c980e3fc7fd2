// @ts-check
// Opens the page of a comparison: reads the data elements, connects the controls, the pointer and the keys.

import { CompareApp } from "./compare_app.js";
import { decode } from "./compare_data.js";
import * as painting from "./compare_paint.js";
import { partsOf } from "./compare_parts.js";
import * as dom from "./dom.js";
import { el } from "./dom.js";
import * as help from "./help.js";
import * as keys from "./keys.js";
import * as menu from "./menu.js";
import * as notice from "./notice.js";
import { milliseconds } from "./numbers.js";

const elements = dom.json("comparison");
const app = new CompareApp(dom.parsed(dom.json("look")[0]));
const { cam, canvas } = app;

/**
 * @param {number} place among the comparisons
 */
function open(place) {
  dom.find("engines", HTMLSelectElement).value = String(place);
  app.open(decode(dom.parsed(elements[place])), place);
  app.search.again();
}

const showHelp = () => help.open(app.look.search, keys.words([...KEYS, ...MOVES]), (query) => app.search.set(query));

function toggleTable() {
  app.showTable(Boolean(dom.find("table").hidden));
  app.table.focus();
}

const [search, ...zoom] = keys.common({ cam, search: { focus: () => app.search.focus() }, showHelp });

/** @type {import("./types.d.ts").Key[]} */
const KEYS = [
  search,
  { keys: ["t"], about: "table of groups", call: toggleTable },
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
  tip.style.left = `${Math.max(4, Math.min(event.offsetX + 14, canvas.clientWidth - tip.offsetWidth - 8))}px`;
  tip.style.top = `${Math.max(4, Math.min(event.offsetY + 14, canvas.clientHeight - tip.offsetHeight - 8))}px`;
}

function connect() {
  const several = dom.find("engines", HTMLSelectElement);
  dom.fill(
    several,
    elements.map((element, place) => el("option", { value: String(place) }, `B: ${dom.parsed(element).b}`)),
  );
  dom.find("switch").hidden = elements.length < 2;
  several.addEventListener("change", () => open(Number(several.value)));
  /** @type {[string, () => void][]} */
  const buttons = [
    ["show-table", toggleTable],
    ["show-panel", () => app.togglePanel()],
    ["show-help", showHelp],
    ["dark", () => app.dark(!app.colors.dark)],
    ["in", () => cam.zoom(1.4)],
    ["out", () => cam.zoom(1 / 1.4)],
    ["all", () => cam.all()],
  ];
  for (const [id, call] of buttons) dom.find(id).addEventListener("click", call);
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", (event) => app.dark(event.matches));
  canvas.addEventListener("pointermove", hover);
  canvas.addEventListener("pointerleave", () => {
    dom.find("tip").hidden = true;
  });
  canvas.addEventListener("click", (event) => {
    if (cam.dragged > 5) return;
    app.select(painting.at(app.sight, event.offsetX, event.offsetY));
  });
  keys.connect(KEYS, new Map([[canvas, MOVES]]));
  menu.connect();
  app.dark(app.look.first === "dark" || system.matches);
  app.showTable(innerWidth > 900);
}

connect();
app.address.connect(partsOf(app, elements.length, open), notice.say);
new ResizeObserver(() => app.size()).observe(canvas);
// For tests and the curious.
Object.assign(globalThis, { comparison: app });
performance.mark("ready");
document.documentElement.dataset.ready = "yes";
