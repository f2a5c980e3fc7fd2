// @ts-check
// The extension: opens logs in a tab with the site's page, and lists the findings among the problems.

const vscode = require("vscode");

const VIEW = "engineLayerVisualize";
const RULES = "engine-rule"; // the scheme of the rules' pages
const PIECE = 4 << 20; // bytes in a message to the page
const END_OF_LINE = 10_000;
const PACKED = ["1f8b", "fd377a585a00", "28b52ffd"]; // how gzip, xz and zstd begin

/** Node's files, from which pieces can be read; in a browser there are none. */
const disk = typeof process === "object" && process.versions?.node ? require("node:fs").promises : null;

/** @typedef {import("vscode").Uri} Uri */
/** @typedef {{ do: string, sarif?: string, files?: Record<string, string>, uri?: string, line?: number, text?: string }} Told */

/** @param {import("vscode").ExtensionContext} context */
function activate(context) {
  /** The pages of rules, by the code. @type {Map<string, string>} */
  const rules = new Map();
  /** The open tabs, by their files. @type {Map<string, Tab>} */
  const tabs = new Map();

  /** @param {Uri[]} files @param {string} title @param {import("vscode").WebviewPanel} [restored] */
  const show = async (files, title, restored) => {
    const key = files.join("\n");
    const open = tabs.get(key);
    if (open) {
      open.again();
      return;
    }
    const options = { retainContextWhenHidden: true };
    const panel = restored ?? vscode.window.createWebviewPanel(VIEW, title, vscode.ViewColumn.Active, options);
    tabs.set(key, new Tab(panel, files, rules));
    panel.onDidDispose(() => tabs.delete(key));
    await page(panel.webview, context.extensionUri);
  };

  /** @param {Uri} [first] @param {Uri[]} [selected] @param {boolean} [asks] - for the profile */
  const open = async (first, selected, asks = false) => {
    const chosen = await logs(first, selected);
    const more = asks ? await profiles(chosen) : (await Promise.all(chosen.map(beside))).flat();
    if (!chosen.length || !more) return;
    const files = distinct([...chosen, ...more]);
    const wrong = (await Promise.all(files.map(refused))).filter(Boolean);
    if (wrong.length) await vscode.window.showErrorMessage(wrong.join(" "));
    else await show(files, `Engine: ${chosen.map(name).join(", ")}`);
  };

  context.subscriptions.push(
    vscode.commands.registerCommand(`${VIEW}.open`, (first, selected) => open(first, selected)),
    vscode.commands.registerCommand(`${VIEW}.openWithProfile`, (first, selected) => open(first, selected, true)),
    vscode.workspace.registerTextDocumentContentProvider(RULES, {
      provideTextDocumentContent: (uri) => rules.get(uri.path.slice(1, -".md".length)),
    }),
    vscode.window.registerWebviewPanelSerializer(VIEW, {
      /** @param {import("vscode").WebviewPanel} panel @param {{ files?: string[] } | undefined} state */
      deserializeWebviewPanel: async (panel, state) => {
        const files = (state?.files ?? []).map((uri) => vscode.Uri.parse(uri));
        if (files.length) await show(files, panel.title, panel);
        else panel.dispose();
      },
    }),
  );
}

/** A tab: the files of a page, and the problems of these, which go with it. */
class Tab {
  #panel;
  #files;
  #rules;
  #problems = vscode.languages.createDiagnosticCollection("TensorRT engine");
  /** Files that hold a log in another form: their lines are not the log's. @type {Set<string>} */
  #packed = new Set();
  /** @type {AsyncGenerator<object> | null} */
  #messages = null;

  /** @param {import("vscode").WebviewPanel} panel @param {Uri[]} files @param {Map<string, string>} rules */
  constructor(panel, files, rules) {
    this.#panel = panel;
    this.#files = files;
    this.#rules = rules;
    panel.onDidDispose(() => this.#problems.dispose());
    panel.webview.onDidReceiveMessage((told) => this.#told(told));
  }

  /** Shows the tab, and reads its files again. */
  again() {
    this.#panel.reveal();
    void this.#panel.webview.postMessage({ again: true });
  }

  /** @param {Told} told */
  async #told(told) {
    if (told.do === "start") this.#messages = this.#read();
    if (told.do === "start" || told.do === "next") await this.#next();
    if (told.do === "findings") this.#list(told.sarif ?? "", told.files ?? {});
    if (told.do === "line") await this.#line(told.uri ?? "", told.line ?? 1);
    if (told.do === "wrong") await vscode.window.showErrorMessage(told.text ?? "");
  }

  /** Tells the page the next that is read: one message for each that it asks for. */
  async #next() {
    try {
      const { value } = (await this.#messages?.next()) ?? {};
      if (value) await this.#panel.webview.postMessage(value);
    } catch (error) {
      await vscode.window.showErrorMessage(`The files could not be read: ${/** @type {Error} */ (error).message}`);
    }
  }

  async *#read() {
    for (const uri of this.#files) {
      yield { file: { name: name(uri), uri: uri.toString() } };
      let first = true;
      for await (const bytes of pieces(uri)) {
        if (first && holds(uri, bytes)) this.#packed.add(uri.toString());
        first = false;
        yield { bytes };
      }
    }
    yield { end: true };
  }

  /** @param {string} sarif @param {Record<string, string>} files - the URI of each path */
  #list(sarif, files) {
    const known = new Map(this.#files.map((uri) => [uri.toString(), uri]));
    this.#problems.clear();
    for (const [code, text] of pagesOfRules(sarif)) this.#rules.set(code, text);
    for (const [path, found] of problems(sarif, (path) => known.get(files[path]), this.#packed)) {
      this.#problems.set(path, found);
    }
  }

  /** Shows a line of a log. @param {string} told @param {number} line */
  async #line(told, line) {
    const uri = this.#files.find((each) => each.toString() === told);
    if (!uri) return;
    if (this.#packed.has(told)) {
      await vscode.window.showInformationMessage(`${name(uri)} holds the log in another form: line ${line} is inside.`);
      return;
    }
    const options = { selection: lineRange(line), viewColumn: vscode.ViewColumn.Beside };
    await vscode.commands.executeCommand("vscode.open", uri, options);
  }
}

/** Loads the page into a tab. @param {import("vscode").Webview} webview @param {Uri} extension */
async function page(webview, extension) {
  const folder = vscode.Uri.joinPath(extension, "webview");
  const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder, "index.html"));
  webview.options = { enableScripts: true, localResourceRoots: [folder] };
  webview.html = new TextDecoder()
    .decode(bytes)
    .replaceAll("[[own]]", webview.cspSource)
    .replaceAll("[[root]]", webview.asWebviewUri(folder).toString());
}

// ---- files ----------------------------------------------------------------------------------

/** @param {Uri} uri */
const name = (uri) => uri.path.split("/").at(-1) ?? uri.path;

/** @param {Uri[]} uris */
const distinct = (uris) => [...new Map(uris.map((uri) => [uri.toString(), uri])).values()];

/** The logs that are meant: those selected, else that of the tab in front, else those that are chosen now.
 * @param {Uri} [first] @param {Uri[]} [selected] */
async function logs(first, selected) {
  const input = /** @type {{ uri?: Uri } | undefined} */ (vscode.window.tabGroups.activeTabGroup.activeTab?.input);
  const one = first ?? input?.uri;
  if (one) return selected?.length ? selected : [one];
  return (await vscode.window.showOpenDialog({ canSelectMany: true, title: "Logs, with their profiles" })) ?? [];
}

/** The profile beside a log: `build.profile.json` of `build.log`. @param {Uri} log */
async function beside(log) {
  const stem = name(log)
    .replace(/\.(gz|xz)$/, "")
    .replace(/\.[^.]*$/, "");
  const profile = vscode.Uri.joinPath(log, "..", `${stem}.profile.json`);
  const found = await vscode.workspace.fs.stat(profile).then(
    () => true,
    () => false,
  );
  return found ? [profile] : [];
}

/** Asks for profiles; undefined where that is given up. @param {Uri[]} logs */
async function profiles(logs) {
  if (!logs.length) return undefined;
  const title = `Profile of ${logs.map(name).join(", ")}`;
  return vscode.window.showOpenDialog({ canSelectMany: true, title, defaultUri: vscode.Uri.joinPath(logs[0], "..") });
}

/** Why a file cannot be opened; empty where it can. @param {Uri} uri */
async function refused(uri) {
  try {
    const { type } = await vscode.workspace.fs.stat(uri);
    return type & vscode.FileType.Directory ? `${name(uri)} is a folder: choose a log.` : "";
  } catch (error) {
    return `${name(uri)} cannot be read: ${/** @type {Error} */ (error).message}`;
  }
}

/** The bytes of a file; no piece is part of another array, which would be sent whole. @param {Uri} uri */
async function* pieces(uri) {
  if (uri.scheme !== "file" || !disk) {
    const bytes = await vscode.workspace.fs.readFile(uri);
    for (let at = 0; at < bytes.length; at += PIECE) yield new Uint8Array(bytes.subarray(at, at + PIECE));
    return;
  }
  const file = await disk.open(uri.fsPath);
  try {
    for (;;) {
      const { buffer, bytesRead } = await file.read(new Uint8Array(PIECE), 0, PIECE);
      if (!bytesRead) return;
      yield bytesRead < PIECE ? buffer.slice(0, bytesRead) : buffer;
    }
  } finally {
    await file.close();
  }
}

/** Whether a file holds a log in another form. @param {Uri} uri @param {Uint8Array} bytes */
function holds(uri, bytes) {
  const begin = [...bytes.slice(0, 6)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return uri.path.endsWith(".ipynb") || PACKED.some((magic) => begin.startsWith(magic));
}

// ---- findings -------------------------------------------------------------------------------

/** @param {number} line */
const lineRange = (line) => new vscode.Range(line - 1, 0, line - 1, END_OF_LINE);

/** @param {string} sarif @returns {[string, string][]} */
const pagesOfRules = (sarif) =>
  JSON.parse(sarif).runs[0].tool.driver.rules.map((/** @type {any} */ rule) => [
    rule.id,
    `# ${rule.id} ${rule.name}\n\n${rule.help.markdown}`,
  ]);

/**
 * What `lint --format sarif` says, as problems of the files.
 * @param {string} sarif
 * @param {(path: string) => Uri | undefined} uriOf
 * @param {Set<string>} packed
 */
function problems(sarif, uriOf, packed) {
  const run = JSON.parse(sarif).runs[0];
  /** @type {Map<Uri, import("vscode").Diagnostic[]>} */
  const found = new Map();
  const severities = new Map([
    ["error", vscode.DiagnosticSeverity.Error],
    ["warning", vscode.DiagnosticSeverity.Warning],
  ]);
  const place = (/** @type {any} */ { physicalLocation: { artifactLocation, region } }) => ({
    uri: uriOf(decodeURIComponent(artifactLocation.uri)),
    line: region?.startLine,
  });
  for (const one of [...run.results, ...run.invocations[0].toolExecutionNotifications]) {
    const [first, ...others] = [...(one.locations ?? []), ...(one.relatedLocations ?? [])].map(place);
    if (!first?.uri) continue;
    const inside = packed.has(first.uri.toString());
    const lines = unescaped(one.message.text).split("\n");
    // The list shows the first: what was found. Of a finding that stands before the advice, after its cost.
    const words = [...lines.slice(-2), ...lines.slice(0, -2)].join("\n");
    const made = new vscode.Diagnostic(
      lineRange(inside ? 1 : (first.line ?? 1)),
      inside && first.line ? `line ${first.line} of the log inside: ${words}` : words,
      severities.get(one.level) ?? vscode.DiagnosticSeverity.Information,
    );
    made.source = "TensorRT engine";
    const target = vscode.Uri.from({ scheme: RULES, path: `/${one.ruleId}.md` });
    made.code = one.ruleId ? { value: one.ruleId, target } : one.descriptor?.id;
    made.relatedInformation = others.flatMap(({ uri, line }) => {
      if (!uri || !line || inside) return [];
      return [new vscode.DiagnosticRelatedInformation(new vscode.Location(uri, lineRange(line)), `line ${line}`)];
    });
    found.set(first.uri, [...(found.get(first.uri) ?? []), made]);
  }
  return found;
}

/** The text of a message, in which SARIF needs `\[` where `[…](…)` is no link. @param {string} text */
const unescaped = (text) => (text.includes("](") ? text.replace(/\\([\\[\]])/g, "$1") : text);

module.exports = { activate };
