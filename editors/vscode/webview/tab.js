// @ts-check
// The site in a tab of the editor: the extension's files are dropped on it, its findings go to the extension.

import { find } from "./dom.js";

/** @type {{ postMessage(message: object): void, setState(state: object): void }} */
const editor = /** @type {any} */ (globalThis).acquireVsCodeApi();

/** The files that come from the extension. @type {Map<File, string>} */
const uris = new Map();
/** The paths under which the program reads them. @type {Record<string, string>} */
let paths = {};
/** What has come of them. @type {{ name: string, uri: string, parts: Blob[] }[]} */
let coming = [];

/** @param {object} message */
export const tell = (message) => editor.postMessage(message);

/** Notes where the program reads the files. @param {{ path: string, file: File }[]} files */
export function given(files) {
  paths = Object.fromEntries(files.map(({ path, file }) => [path, uris.get(file) ?? ""]));
}

/** @param {string} sarif */
export const tellFindings = (sarif) => tell({ do: "findings", sarif, files: paths });

/** Asks for the files from the first. */
function start() {
  coming = [];
  find("start", HTMLElement).hidden = true;
  tell({ do: "start" });
}

/** Takes what the extension says. @param {any} told */
function take({ again, file, bytes, end }) {
  if (again) start();
  if (file) coming.push({ ...file, parts: [] });
  if (bytes) coming.at(-1)?.parts.push(new Blob([bytes])); // the browser may put it on its disk
  if (end) drop();
  if (file || bytes) tell({ do: "next" });
}

function drop() {
  uris.clear();
  for (const { name, uri, parts } of coming) uris.set(new File(parts, name), uri);
  editor.setState({ files: [...uris.values()] });
  coming = [];
  dispatchEvent(Object.assign(new Event("drop"), { dataTransfer: { files: [...uris.keys()] } }));
}

/** Shows a line where the page of an engine asks for it. @param {any} told */
function line({ file, line }) {
  const uri = paths[String(file).replace(/^\.\//, "")];
  if (uri && Number.isInteger(line)) tell({ do: "line", uri, line });
}

/** Is light or dark as the editor is. */
function theme() {
  const light = [...document.body.classList].some((name) => /^vscode-.*light$/.test(name));
  document.documentElement.style.colorScheme = light ? "light" : "dark";
}

// The page of an engine stands in a sandbox, which has no origin.
addEventListener("message", ({ data, origin }) => (origin === "null" ? line(data) : take(data)));
const loaded = (/** @type {Event} */ { target }) => {
  if (target instanceof HTMLIFrameElement) target.contentWindow?.postMessage({ shows: "lines" }, "*");
};
document.addEventListener("load", loaded, true);
new MutationObserver(theme).observe(document.body, { attributeFilter: ["class"] });
theme();
start();
