// @ts-check
// The files that were dropped: under which names the program finds them, what they are, whose times they have.

/**
 * @typedef {object} Given
 * @property {File} file
 * @property {string} path - in the folder where the program runs
 * @property {string} kind - log, times, runs (times of whole runs), model
 * @property {string} of - the path of the log that times belong to, where there are several
 */

/** Paths for files; a name that comes again is in a folder with a number. @param {File[]} files @returns {Given[]} */
export function named(files) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  return files.map((file) => {
    const before = counts.get(file.name) ?? 0;
    counts.set(file.name, before + 1);
    const path = before ? `${before + 1}/${file.name}` : file.name;
    return { file, path, kind: "log", of: "" };
  });
}

/** @param {Given[]} given @param {string} kind */
export const only = (given, kind) => given.filter((one) => one.kind === kind);

/** Gives each file of times to the log whose name is most like its own; of equals to one without. @param {Given[]} given */
export function share(given) {
  const logs = only(given, "log");
  for (const one of only(given, "times")) {
    if (logs.some((log) => log.path === one.of)) continue;
    const isFree = (/** @type {Given} */ log) => given.every((other) => other.of !== log.path);
    const alike = logs.map((log) => common(log.file.name, one.file.name) + (isFree(log) ? 1e-9 : 0));
    one.of = logs[alike.indexOf(Math.max(...alike))]?.path ?? "";
  }
}

/** How long the start of two names is that both have; of equals, how much their longest common text is. @param {string} a @param {string} b */
function common(a, b) {
  const [one, other] = [a, b].map((name) => name.replace(/(\.(log|txt|json|csv|gz|xz|zst))+$/, ""));
  let length = 0;
  for (let at = 0; at < one.length; at += 1) {
    while (at + length < one.length && other.includes(one.slice(at, at + length + 1))) length += 1;
  }
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  return start + (2 * length) / (one.length + other.length || 1);
}

/**
 * The words of a command line: each log, then its times.
 * @param {Given[]} given
 * @param {boolean} model - whether the program can read models
 */
export function words(given, model) {
  const logs = only(given, "log");
  const times = only(given, "times");
  const told = logs.flatMap((log) => [log, ...times.filter((one) => one.of === log.path)]);
  const models = model ? only(given, "model") : [];
  const files = logs.length ? told : times;
  return [...files.map((one) => word(one.path)), ...models.slice(0, 1).map((one) => `--onnx=${one.path}`)];
}

/** A word that is no flag. @param {string} path */
const word = (path) => (path.startsWith("-") ? `./${path}` : path);

/** A command line to be copied into a terminal. @param {string[]} words */
export function command(words) {
  const quoted = words.map((each) => (/^[\w./=,:-]+$/.test(each) ? each : `'${each.replaceAll("'", "'\\''")}'`));
  return ["python -m engine_layer_visualize", ...quoted].join(" ");
}
