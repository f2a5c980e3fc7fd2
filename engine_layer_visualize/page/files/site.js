// @ts-check
// The window: files in, views out. `engine.js` runs the program, in this browser or beside it.

import { button, el, find, megabytes } from "./dom.js";
import { ENDS_WITH_TAB, Engine, EXAMPLE, WHERE } from "./engine.js";
import { command, named, only, share } from "./given.js";
import { VIEWS } from "./views.js";

/** @typedef {import("./given.js").Given} Given */
/** @typedef {{ kinds: Record<string, string>, formats: Record<string, Record<string, string>> }} Look */

const start = find("start", HTMLElement);
const input = find("files", HTMLInputElement);
const list = find("given", HTMLElement);
const nav = find("views", HTMLElement);
const work = find("work", HTMLElement);
const bar = find("progress", HTMLProgressElement);
const status = find("status", HTMLElement);
const wrong = find("wrong", HTMLElement);
const view = find("view", HTMLElement);

const engine = new Engine();
let ready = started();
let busy = 0;
/** The command line that was run last. @type {string[]} */
let asked = [];
let lost = false; // whether the program was started anew, and so knows no files
let turn = 0; // of the files that were taken last: what came before is of no interest
/** @type {Given[]} */
let given = [];
/** @type {Look["formats"]} */
let formats = {};
/** What views have shown of these files. @type {Map<string, Promise<Node[]>>} */
let shown = new Map();

find("where", HTMLElement).textContent = `${WHERE} ${ENDS_WITH_TAB}`;

/** Starts the program. It is not waited for: files can be dropped meanwhile. */
function started() {
  const begun = engine.start();
  begun.catch(() => {});
  return begun;
}

/**
 * Does something long: says what, and offers to stop it.
 * @template T
 * @param {string} what
 * @param {(tell: import("./engine.js").Tell) => Promise<T>} does
 */
async function during(what, does) {
  busy += 1;
  work.hidden = false;
  bar.removeAttribute("value");
  status.textContent = what;
  try {
    return await does((told) => {
      if (told.read === undefined) return;
      if (told.of) bar.value = told.read / told.of;
      const rest = told.of ? ` of ${megabytes(told.of)}` : "";
      status.textContent = told.read === told.of ? what : `Reading: ${megabytes(told.read)}${rest}`;
      if (told.read === told.of) bar.removeAttribute("value");
    });
  } finally {
    busy -= 1;
    work.hidden = busy > 0 ? work.hidden : true;
    if (!busy) status.textContent = "";
  }
}

/** Ends what the program does, and starts it anew. */
function stop() {
  if (busy) restart();
}

function restart() {
  engine.stop();
  ready = started();
  lost = true;
}

/** Says what went wrong. @param {string} text @param {string} [more] */
function complain(text, more = "") {
  wrong.replaceChildren(el("p", {}, text), ...(more ? [el("pre", {}, more)] : []));
  wrong.hidden = false;
}

/** Runs a command line. @param {string[]} words @param {boolean} saved @param {string} what */
async function run(words, saved, what) {
  asked = words;
  return during(what, async (tell) => {
    await ready;
    if (lost) await look(given);
    return engine.ask({ do: "run", words, saved }, tell);
  });
}

/**
 * Takes files in place of those before; times alone are added to the logs that are there, and logs, where they join.
 * @param {File[]} files
 * @param {boolean} [join] another log is compared with the first
 */
async function take(files, join = false) {
  if (!files.length) return;
  turn += 1;
  const mine = turn;
  asked = files.map((file) => file.name);
  stop();
  wrong.hidden = true;
  const before = given.map((one) => one.file);
  try {
    await during("Starting Python", () => ready);
    const { kinds } = await look(named(files));
    if (mine !== turn) return;
    const adds = before.length > 0 && (join || !Object.values(kinds).includes("log"));
    given = named(adds ? [...before, ...files] : files);
    const told = await look(given);
    if (mine !== turn) return;
    formats = told.formats;
    for (const one of given) one.kind = told.kinds[one.path];
    renew(adds && Object.values(kinds).includes("log") ? "Compare" : undefined);
  } catch (error) {
    if (mine === turn) failed(error);
  }
}

/** Gives files to the program, and asks what they are. @param {Given[]} files @returns {Promise<Look>} */
async function look(files) {
  return during("Looking at the files", async () => {
    lost = false;
    const folder = await engine.give(files.map(({ path, file }) => ({ path, file })));
    return engine.ask({ do: "look", folder, names: files.map((one) => one.path) });
  });
}

/** @param {any} error */
function failed(error) {
  const text = String(error?.message ?? error);
  if (text === "stopped") {
    status.textContent = "Stopped.";
    return;
  }
  complain("The program could not do it here. In a terminal:", `${command(asked)}\n\n${text}`);
  restart();
}

/** Shows files that are known, from the first view or this one. @param {string} [label] */
function renew(label) {
  share(given);
  shown = new Map();
  start.hidden = true;
  nav.hidden = false;
  find("again", HTMLElement).hidden = false;
  listed();
  const usable = VIEWS.filter((each) => each.needs <= Math.max(1, only(given, "log").length));
  nav.replaceChildren(
    ...usable.map((each) => button(each.label, () => void show(each.label), { "data-view": each.label })),
  );
  void show((usable.find((each) => each.label === label) ?? usable[0]).label);
}

/** Lists the files: what each was taken for, and whose times it has. */
function listed() {
  const logs = only(given, "log");
  const words = { log: "log", times: "times", runs: "times of whole runs: not used here", model: "model" };
  list.hidden = false;
  list.replaceChildren(
    ...given.map((one) => {
      const parts = [el("strong", {}, one.path), ` ${words[/** @type {keyof typeof words} */ (one.kind)]}`];
      if (one.kind === "times" && logs.length > 1) parts.push(" of ", owner(one, logs));
      if (one.kind === "model" && formats.draw?.onnx) {
        parts.push(`: not read here. In a terminal: ${formats.draw.onnx}, then --onnx ${one.path}`);
      }
      const cross = button("×", () => remove(one), { "aria-label": `Remove ${one.path}`, title: "Remove" });
      return el("span", {}, ...parts, given.length > 1 ? cross : "");
    }),
  );
}

/** @param {Given} one @param {Given[]} logs */
function owner(one, logs) {
  const made = el("select", { "aria-label": `The log that ${one.path} has the times of` });
  made.append(...logs.map((log) => el("option", log.path === one.of ? { selected: "" } : {}, log.path)));
  made.addEventListener("change", () => {
    one.of = made.value;
    renew();
  });
  return made;
}

/** @param {Given} one */
function remove(one) {
  const left = given.filter((other) => other !== one).map((other) => other.file);
  given = [];
  void take(left);
}

/** Shows a view; what it has made is kept. @param {string} label */
async function show(label) {
  const mine = turn;
  for (const each of nav.querySelectorAll("button")) {
    if (each.dataset.view === label) each.setAttribute("aria-current", "page");
    else each.removeAttribute("aria-current");
  }
  wrong.hidden = true;
  const chosen = VIEWS.find((each) => each.label === label);
  if (!chosen) return;
  if (!shown.has(label)) {
    view.replaceChildren();
    const read = (/** @type {string} */ path) => engine.read(path);
    const pack = (/** @type {string} */ folder) => engine.ask({ do: "pack", folder });
    const context = { given, formats, run, read, pack, width: columns() };
    shown.set(label, chosen.make(context));
  }
  try {
    const nodes = await shown.get(label);
    if (mine !== turn || !nav.querySelector(`[data-view="${label}"][aria-current]`)) return;
    view.hidden = false;
    view.replaceChildren(...(nodes ?? []));
  } catch (error) {
    shown.delete(label);
    if (mine === turn) failed(error);
  }
}

/** How many characters of a text stand beside each other. */
function columns() {
  const probe = el("pre", {}, "0".repeat(100));
  document.body.append(probe);
  const range = document.createRange();
  range.selectNodeContents(probe);
  const width = range.getBoundingClientRect().width / 100;
  probe.remove();
  return Math.max(60, Math.min(180, Math.floor((document.documentElement.clientWidth - 40) / width)));
}

async function example() {
  const files = EXAMPLE.map(async (path) => {
    const bytes = await (await fetch(path)).blob();
    return new File([bytes], path.split("/").at(-1) ?? path);
  });
  await take(await Promise.all(files));
}

engine.given().then(
  (files) => (turn ? undefined : take(files)), // what was dropped meanwhile goes first
  (error) => complain(error.message),
);
input.addEventListener("change", () => {
  void take([...(input.files ?? [])]);
  input.value = ""; // the same file can be chosen again
});
find("stop", HTMLElement).addEventListener("click", stop);
find("example", HTMLElement).hidden = !EXAMPLE.length;
find("example", HTMLElement).addEventListener("click", () => void example());
for (const type of ["dragenter", "dragover", "dragleave", "drop"]) {
  addEventListener(type, (event) => {
    event.preventDefault();
    document.body.classList.toggle("over", type === "dragenter" || type === "dragover");
  });
}
// A page of this host that has the site in a frame, such as the front page of the docs, gives its files.
addEventListener("message", ({ origin, source, data }) => {
  const own = view.querySelector("iframe")?.contentWindow === source; // logs that were dropped on the shown page
  if ((own || origin === location.origin) && Array.isArray(data?.files)) void take(data.files, own);
});
if (parent !== window) parent.postMessage("files", location.origin);
addEventListener("drop", (event) => void take([...(event.dataTransfer?.files ?? [])], true));
