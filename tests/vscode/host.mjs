// @ts-check
// The extension as a process: a message of its page in each line of stdin, all that it does in lines of stdout.
// node host.mjs FOLDER ADDRESS FILE…

import { createInterface } from "node:readline";
import { activated, editor, Uri } from "./stand_in.mjs";

const [folder, address, ...files] = process.argv.slice(2);
const { vscode, noted } = editor(address);
/** @param {object} told */
const say = (told) => process.stdout.write(`${JSON.stringify(told)}\n`);

activated(vscode, folder);
const uris = files.map((file) => Uri.file(file));
await noted.commands["engineLayerVisualize.open"](uris[0], uris);
const [panel] = noted.panels;
/** @param {{ bytes?: Uint8Array }} message */
panel.posted = ({ bytes, ...told }) => say({ post: bytes ? { bytes: Buffer.from(bytes).toString("base64") } : told });
say({ html: panel.webview.html });
for await (const line of createInterface({ input: process.stdin })) {
  const told = JSON.parse(line);
  await panel.tell(told);
  if (told.do === "findings") say({ problems: Object.fromEntries(noted.problems) });
  if (told.do === "line") say({ opened: noted.opened });
  if (noted.errors.length) say({ errors: noted.errors });
}
