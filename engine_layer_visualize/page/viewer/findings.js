// @ts-check
// Findings -> what the panel shows of them: those of the engine, of one of them, of one layer.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import * as numbers from "./numbers.js";
import { close, list, members, section } from "./parts.js";

/** @import { App } from "./app.js" */
/** @import { Child, Engine, Finding, Rule } from "./types.d.ts" */

/** What this asks of the app. @typedef {Pick<App, "close" | "engine" | "finding" | "select" | "showFinding">} Host */

const FIRST = 3; // findings that stand open
const ABOVE = 2; // that are told above the drawing

/** The rule, in small print. @param {Rule} rule */
const small = ({ code, name, severity }) => [severity === "hint" ? "" : severity, `${code} ${name}`].filter(Boolean);

/** `9 layers`. @param {Finding} finding */
const where = ({ layers }) => (layers.length ? numbers.count(layers.length, "layer") : "the whole engine");

/** @param {Finding} finding */
const evidence = ({ evidence }) =>
  list({ class: "evidence", "aria-label": "Evidence" }, evidence, (words) =>
    el("li", { dir: "ltr" }, dom.unbroken(words)),
  );

/** What to try; flags stay in one piece, as what stands in backticks does. @param {string} words */
function advice(words) {
  const parts = words.split(/(`[^`]+`|--\w[\w-]*(?:=[\w.:+,*-]*\w)?)/);
  return el(
    "p",
    { class: "try", dir: "ltr" },
    el("b", {}, "Try: "),
    parts.map((part, at) => (at % 2 ? el("code", {}, part.replaceAll("`", "")) : part)),
  );
}

// ---- of a layer -----------------------------------------------------------------------------

/**
 * @param {Host} app
 * @param {number} node
 */
export function ofLayer(app, node) {
  const found = app.engine.found.of(node);
  /** @param {Finding} one */
  const item = (one) => {
    const { rule } = one;
    const value = el("div", { class: "value" }, [one.stake, ...small(rule)].filter(Boolean).join("  ·  "));
    const words = `Show all ${numbers.count(one.layers.length, "layer")} of this finding`;
    return el(
      "li",
      {},
      el("div", { title: rule.summary }, el("div", { class: "label" }, rule.action), value),
      el("p", { dir: "ltr" }, dom.sentence(one.message)),
      advice(one.advice),
      evidence(one),
      one.layers.length > 1 && dom.button({ class: "plain", on: { click: () => app.showFinding(one) } }, words),
    );
  };
  return section(`Findings (${found.length})`, list({ class: "found-here" }, found, item, found.length));
}

// ---- of an engine ---------------------------------------------------------------------------

/**
 * What to do, of the optimisation profile shown: the first findings, the others on demand; a click shows where.
 * @param {Host} app
 */
export function ofEngine(app) {
  const { engine } = app;
  const all = engine.found.profiles[engine.shown];
  const first = all.filter((one) => one.shown).slice(0, FIRST);
  const others = all.filter((one) => !first.includes(one));
  /** @param {Finding[]} some */
  const rows = (some) => list({ class: "findings" }, some, (one) => row(app, one), some.length);
  const words = numbers.count(others.length, first.length ? "more finding" : "finding");
  const more = others.length > 0 && el("details", {}, el("summary", {}, words), rows(others));
  return section("What to do", rows(first), more);
}

/**
 * `Could save 1.11 ms (43.0 %)`, of an inference where its layers sum to more; empty: unknown.
 * @param {Engine} engine
 */
export function gain({ found, head, now, shown }) {
  const [ms, share] = found.gains[shown];
  if (!ms) return "";
  const of = share && now.ms && Math.abs(ms / share / now.ms - 1) > 0.01 ? " of an inference" : "";
  return `Could save ${numbers.about(head, ms)}${share === null ? "" : ` (${numbers.percent(share)}${of})`}`;
}

/** `84 layers, 27.3 %`. @param {Finding} finding */
const touched = (finding) => [where(finding), numbers.percent(finding.share)].filter(Boolean).join(", ");

/**
 * A line above the drawing: the findings that would mark too many of its boxes; a click shows their layers.
 * @param {Host} app
 * @param {Finding[]} all
 */
export const above = (app, all) =>
  all
    .filter((one) => app.engine.found.profiles[app.engine.shown]?.includes(one))
    .slice(0, ABOVE)
    .map((one) =>
      dom.button(
        { title: one.message, on: { click: () => app.showFinding(one) } },
        el("b", {}, one.rule.action),
        ` ${touched(one)}`,
      ),
    );

/**
 * @param {Host} app
 * @param {Finding} finding
 */
function row(app, finding) {
  const { rule, saves } = finding;
  const less = `${app.engine.head.estimated ? "≈ " : ""}−${numbers.milliseconds(saves)}`;
  const inside = [
    el("span", { class: "label" }, rule.action),
    saves !== null && el("b", { class: "value" }, less),
    el("span", { class: "what" }, [touched(finding), ...small(rule)].join("  ·  ")),
  ];
  return el("li", {}, dom.button({ title: finding.message, on: { click: () => app.showFinding(finding) } }, inside));
}

// ---- of one ---------------------------------------------------------------------------------

/**
 * @param {Host} app
 * @param {Finding} finding
 * @returns {Child[]}
 */
export function page(app, finding) {
  const { rule } = finding;
  return [
    el("div", { class: "top" }, el("p", { class: "muted" }, `Finding ${finding.rank}`), close(app)),
    el("h2", {}, rule.action),
    el("p", { class: "cost" }, [where(finding), finding.stake].filter(Boolean).join("  ·  ")),
    dom.muted(small(rule).join("  ·  ")),
    el("p", { class: "summary", dir: "ltr" }, dom.sentence(finding.message)),
    advice(finding.advice),
    evidence(finding),
    members(app, finding.layers),
  ];
}
