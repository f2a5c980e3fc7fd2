// @ts-check
// What is shown of the files: each view is a command line, and what it gives.

import { button, el, save } from "./dom.js";
import { command, only, words } from "./given.js";

/**
 * @typedef {object} Answer
 * @property {number} code
 * @property {string} out
 * @property {string} err
 * @property {string} folder
 * @property {string[]} files
 */
/**
 * @typedef {object} Context
 * @property {import("./given.js").Given[]} given
 * @property {Record<string, Record<string, string>>} formats - of each command; what installs those that lack packages
 * @property {(words: string[], saved: boolean, what: string) => Promise<Answer>} run
 * @property {(path: string) => Promise<ArrayBuffer>} read
 * @property {(folder: string) => Promise<string>} pack - the files of a folder into one; gives its path
 * @property {number} width - in characters
 */

/** @param {Context} context */
const files = ({ given, formats }) => words(given, !formats.draw?.onnx);

/** What was run. @param {string[]} words */
const told = (words) => el("p", { class: "command" }, el("code", {}, command(words)));

/** @param {Answer} answer */
const messages = (answer) =>
  answer.err ? [el("pre", { class: "messages", "aria-label": "Messages" }, answer.err)] : [];

/**
 * Pages of a command, one of which is shown.
 * @param {Context} context
 * @param {string} name - of the command
 * @param {string} what - is being done
 */
async function pages(context, name, what) {
  const line = [...(name === "draw" ? [] : [name]), ...files(context), "--format=html"];
  const answer = await context.run(line, true, what);
  if (!answer.files.length) {
    return [el("div", { class: "text" }, el("pre", { class: "wrong" }, answer.err || answer.out), told(line))];
  }
  const frame = el("iframe", {
    sandbox: "allow-scripts allow-downloads allow-modals",
    allow: "clipboard-write",
    title: "The engine",
  });
  /** @param {string} file */
  const open = async (file) => {
    const bytes = await context.read(`${answer.folder}/${file}`);
    frame.src = URL.createObjectURL(new Blob([bytes], { type: "text/html" }));
  };
  const several = answer.files.length > 1;
  const choice = el("select", { "aria-label": "Page" }, ...answer.files.map((file) => el("option", {}, file)));
  choice.addEventListener("change", () => void open(choice.value));
  await open(answer.files[0]);
  return [...(several ? [choice] : []), ...messages(answer), frame];
}

/**
 * The text that a command prints.
 * @param {Context} context
 * @param {string} name
 * @param {string} what
 */
async function text(context, name, what) {
  const line = [name, ...files(context), `--width=${context.width}`];
  const answer = await context.run(line, false, what);
  return [el("div", { class: "text" }, ...messages(answer), el("pre", {}, answer.out), told(line))];
}

/** Reports that are printed are saved under the command's name. */
const ENDINGS = /** @type {Record<string, string>} */ ({
  text: "txt",
  markdown: "md",
  github: "github.txt",
  brief: "brief.json",
});
const PRINTED = ["summary", "lint"];

/** Buttons for all formats. @param {Context} context */
async function downloads(context) {
  const said = el("p", { role: "status", class: "muted" });
  /** @param {string} name @param {string} format */
  const download = async (name, format) => {
    const line = [...(name === "draw" ? [] : [name]), ...files(context), `--format=${format}`];
    const printed = PRINTED.includes(name);
    const answer = await context.run(line, !printed, `Writing ${format}`);
    const several = answer.files.length > 1; // browsers save one file for a click
    const path = several ? await context.pack(answer.folder) : `${answer.folder}/${answer.files[0]}`;
    const link = printed
      ? answer.out && save(answer.out, `${name}.${ENDINGS[format] ?? format}`)
      : answer.files.length && save(await context.read(path), several ? `${name}_${format}.zip` : answer.files[0]);
    const holds = several ? ` with ${answer.files.join(", ")}` : "";
    said.replaceChildren(...(link ? ["Saved: ", link, `${holds}. `] : [told(line)]), answer.err);
  };
  const titles = {
    draw: "The engine",
    layers: "Layers",
    table: "Tables",
    summary: "Summary",
    lint: "Findings",
    compare: "Comparison",
  };
  const logs = only(context.given, "log").length;
  const parts = Object.entries(titles)
    .filter(([name]) => name !== "compare" || logs > 1)
    .map(([name, title]) => section(context, name, title, download));
  return [el("div", { class: "text" }, said, ...parts, ...elsewhere(context, Object.keys(titles)))];
}

/** The commands for the formats that need a package which is not here. @param {Context} context @param {string[]} names */
function elsewhere(context, names) {
  const lines = names.flatMap((name) =>
    Object.entries(context.formats[name] ?? {}).flatMap(([format, lacks]) => {
      const line = [...(name === "draw" ? [] : [name]), ...files(context), `--format=${format}`];
      return lacks ? [{ format, words: `${lacks} && ${command(line)}` }] : [];
    }),
  );
  if (!lines.length) return [];
  const formats = [...new Set(lines.map(({ format }) => format))].join(", ");
  const commands = lines.map(({ words }) => words).join("\n");
  return [
    el("details", {}, el("summary", {}, `In a terminal also: ${formats}`), el("pre", { class: "command" }, commands)),
  ];
}

/**
 * @param {Context} context
 * @param {string} name
 * @param {string} title
 * @param {(name: string, format: string) => Promise<void>} download
 */
function section(context, name, title, download) {
  const formats = Object.entries(context.formats[name] ?? {});
  const here = formats.filter(([, lacks]) => !lacks).map(([format]) => format);
  const buttons = here.map((format) =>
    el(
      "li",
      {},
      button(format, () => void download(name, format), { title: `${title} as ${format}` }),
    ),
  );
  return el("section", {}, el("h2", {}, title), el("ul", { class: "formats" }, ...buttons));
}

/** @type {{ label: string, needs: number, make: (context: Context) => Promise<Node[]> }[]} */
export const VIEWS = [
  { label: "Page", needs: 1, make: (context) => pages(context, "draw", "Making the page") },
  { label: "Compare", needs: 2, make: (context) => pages(context, "compare", "Comparing") },
  { label: "Lint", needs: 1, make: (context) => text(context, "lint", "Looking for what makes it slow") },
  { label: "Summary", needs: 1, make: (context) => text(context, "summary", "Summing up") },
  { label: "Save as", needs: 1, make: downloads },
];
