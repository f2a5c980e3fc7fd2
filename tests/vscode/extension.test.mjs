// @ts-check
// The extension in a stand-in of the editor: which files it opens, what it sends of them, what it lists as problems.

import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { activated, editor, Uri } from "./stand_in.mjs";

const SOURCES = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../editors/vscode");

/** The extension, with a page of its own, and an empty folder. @param {import("node:test").TestContext} context */
function started(context) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "extension-"));
  context.after(() => fs.rmSync(folder, { recursive: true }));
  fs.mkdirSync(path.join(folder, "webview"));
  fs.copyFileSync(path.join(SOURCES, "extension.js"), path.join(folder, "extension.js"));
  fs.writeFileSync(path.join(folder, "webview", "index.html"), "<meta content='[[own]]'><script src='[[root]]/a.js'>");
  const made = editor("https://own.test/webview");
  activated(made.vscode, folder);
  /** @param {string} name @param {string | Uint8Array} [bytes] */
  const file = (name, bytes = "log") => {
    fs.writeFileSync(path.join(folder, name), bytes);
    return Uri.file(path.join(folder, name));
  };
  const open = made.noted.commands["engineLayerVisualize.open"];
  const withProfile = made.noted.commands["engineLayerVisualize.openWithProfile"];
  return { ...made, folder, file, open, withProfile };
}

/** Lets a page ask for all that it is sent. @param {any} panel */
async function taken(panel) {
  panel.posts.length = 0;
  await panel.tell({ do: "start" });
  while (!panel.posts.at(-1).end) await panel.tell({ do: "next" });
  return panel.posts;
}

/** The names of what a page is sent. @param {any} panel */
const sent = async (panel) => (await taken(panel)).flatMap((/** @type {any} */ { file }) => file?.name ?? []);

/** @param {number | null} line @param {object} [more] */
const result = (line, more = {}) => ({
  ruleId: "F02",
  level: "note",
  message: { text: "touches 1 ms\nthe whole engine\nwhy\ntry: this" },
  locations: [
    { physicalLocation: { artifactLocation: { uri: "a%20b.log" }, ...(line && { region: { startLine: line } }) } },
  ],
  ...more,
});

/** @param {object[]} results @param {object[]} [notes] */
const sarif = (results, notes = []) =>
  JSON.stringify({
    runs: [
      {
        tool: { driver: { rules: [{ id: "F02", name: "reformat-at-input", help: { markdown: "Text." } }] } },
        invocations: [{ toolExecutionNotifications: notes }],
        results,
      },
    ],
  });

test("a log is opened with the profile beside it, that in front where none is named", async (context) => {
  const { noted, answers, file, open } = started(context);
  const log = file("build.log");
  const profile = file("build.profile.json", "[]");
  file("building.profile.json", "[]");
  await open(log, [log]);
  answers.active = file("other.log.gz", "");
  await open();
  const [first, second] = noted.panels;
  assert.deepEqual(await sent(first), ["build.log", "build.profile.json"]);
  assert.deepEqual(await sent(second), ["other.log.gz"]);
  assert.equal(first.title, "Engine: build.log");
  assert.equal(first.webview.html, `<meta content='https://own.test'><script src='https://own.test/webview/a.js'>`);
  assert.deepEqual(first.webview.options.localResourceRoots.map(String), [`file://${path.dirname(log.path)}/webview`]);
  await open(profile, [log, profile]); // the same files: its tab reads them again
  assert.equal(noted.panels.length, 2);
  assert.deepEqual([first.revealed, first.posts.at(-1)], [1, { again: true }]);
  first.dispose();
  await open(log, [log]);
  assert.equal(noted.panels.length, 3);
});

test("a profile is asked for; without a log, logs are", async (context) => {
  const { noted, answers, file, open, withProfile } = started(context);
  const log = file("build.log");
  file("build.profile.json", "[]");
  await withProfile(log);
  assert.equal(noted.panels.length, 0); // it was given up
  assert.equal(noted.asked[0].title, "Profile of build.log");
  answers.dialog = [file("prof.json", "[]")];
  await withProfile(log);
  assert.deepEqual(await sent(noted.panels[0]), ["build.log", "prof.json"]);
  answers.dialog = [log];
  await open();
  assert.deepEqual(await sent(noted.panels[1]), ["build.log", "build.profile.json"]);
});

test("folders, and what is not there, are refused", async (context) => {
  const { noted, folder, open } = started(context);
  await open(Uri.file(folder));
  await open(Uri.file(path.join(folder, "none.log")));
  assert.match(noted.errors[0], /^extension-\w+ is a folder: choose a log\.$/);
  assert.match(noted.errors[1], /^none\.log cannot be read: ENOENT/);
  assert.equal(noted.panels.length, 0);
});

test("a file is sent in pieces, one for each that is asked for", async (context) => {
  const { noted, vscode, file, open } = started(context);
  const bytes = Buffer.alloc(9_000_001, "0123456789");
  await open(file("large.log", bytes));
  const [panel] = noted.panels;
  /** @param {any[]} posts */
  const pieces = (posts) => posts.flatMap((post) => post.bytes ?? []);
  const parts = pieces(await taken(panel));
  assert.deepEqual(parts.map((part) => part.byteLength), [1 << 22, 1 << 22, bytes.length - (1 << 23)]); // biome-ignore format: a row
  assert.ok(Buffer.concat(parts).equals(bytes));
  // Of a workspace that is elsewhere, the editor gives whole files.
  const remote = new Uri("vscode-remote", file("far.log", bytes).path);
  await open(remote);
  const others = pieces(await taken(noted.panels[1]));
  assert.ok(Buffer.concat(others).equals(bytes));
  assert.ok(others.every((part) => part.buffer.byteLength === part.byteLength)); // else it would be sent whole
  vscode.workspace.fs.readFile = async () => Promise.reject(new Error("gone"));
  await noted.panels[1].tell({ do: "start" });
  await noted.panels[1].tell({ do: "next" });
  assert.deepEqual(noted.errors, ["The files could not be read: gone"]);
});

test("findings are problems at the lines of the log", async (context) => {
  const { noted, file, open } = started(context);
  const log = file("a b.log");
  await open(log);
  const [panel] = noted.panels;
  const elsewhere = { physicalLocation: { artifactLocation: { uri: "a%20b.log" }, region: { startLine: 9 } } };
  const found = [
    result(7, { relatedLocations: [elsewhere] }),
    result(null, { level: "error", message: { text: "a \\[b\\](c)" } }),
    result(3, { locations: [{ physicalLocation: { artifactLocation: { uri: "other.log" } } }] }),
  ];
  const note = { ...result(2), ruleId: undefined, descriptor: { id: "ELV203" }, level: "warning" };
  const files = { "a b.log": log.toString(), "other.log": "file:///etc/passwd" };
  await panel.tell({ do: "findings", sarif: sarif(found, [note]), files });
  const listed = noted.problems.get(log.toString());
  assert.deepEqual([...noted.problems.keys()], [log.toString()]); // of no other file
  assert.deepEqual(
    listed.map((/** @type {any} */ each) => [each.range.startLine, each.severity, each.code.value ?? each.code]),
    [
      [6, 2, "F02"],
      [0, 0, "F02"],
      [1, 1, "ELV203"],
    ],
  );
  assert.equal(listed[0].message, "why\ntry: this\ntouches 1 ms\nthe whole engine");
  assert.equal(listed[1].message, "a [b](c)");
  assert.equal(listed[0].relatedInformation[0].given[0].given[1].startLine, 8);
  const page = noted.provider.provideTextDocumentContent(listed[0].code.target);
  assert.equal(page, "# F02 reformat-at-input\n\nText.");
  panel.dispose();
  assert.equal(noted.problems.size, 0);
});

test("a line is shown in the editor; of a packed log it is said which", async (context) => {
  const { noted, file, open } = started(context);
  const log = file("build.log");
  const packed = file("a b.log.gz", gzipSync("log"));
  await open(log, [log, packed]);
  const [panel] = noted.panels;
  await taken(panel);
  await panel.tell({ do: "line", uri: log.toString(), line: 12 });
  await panel.tell({ do: "line", uri: "file:///etc/passwd", line: 1 });
  assert.equal(noted.opened.length, 1);
  const [command, uri, { selection }] = noted.opened[0];
  assert.deepEqual([command, String(uri), selection.startLine], ["vscode.open", String(log), 11]);
  await panel.tell({ do: "line", uri: packed.toString(), line: 12 });
  assert.deepEqual(noted.told, ["a b.log.gz holds the log in another form: line 12 is inside."]);
  await panel.tell({ do: "findings", sarif: sarif([result(7)]), files: { "a b.log": packed.toString() } });
  const [one] = noted.problems.get(packed.toString());
  assert.deepEqual([one.range.startLine, one.message.split("\n")[0]], [0, "line 7 of the log inside: why"]);
});

test("a tab comes back with its files after the editor was closed", async (context) => {
  const { noted, panel, file } = started(context);
  const log = file("ü build.log");
  const restored = panel("Engine: ü build.log");
  await noted.serializer.deserializeWebviewPanel(restored, { files: [log.toString()] });
  assert.deepEqual(await sent(restored), ["ü build.log"]);
  assert.match(restored.webview.html, /own\.test/);
  const empty = panel("Engine");
  let closed = false;
  empty.onDidDispose(() => {
    closed = true;
  });
  await noted.serializer.deserializeWebviewPanel(empty, undefined);
  assert.ok(closed);
});
