// @ts-check
// Findings -> what the panel shows of them: those of the engine, of one of them, of one layer.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import * as numbers from "./numbers.js";
import { close, members, section, several } from "./parts.js";

/** @import { App } from "./app.js" */
/** @import { Child, Engine, Finding, Rule } from "./types.d.ts" */

/** What this asks of the app. @typedef {Pick<App, "close" | "engine" | "finding" | "select" | "showFinding">} Host */

const FIRST = 3; // findings that stand open
const ABOVE = 2; // that are told above the drawing

/** The rule, in small print. @param {Rule} rule */
const small = ({ code, name, severity }) => [severity === "hint" ? "" : severity, `${code} ${name}`].filter(Boolean);

/** `9 layers`. @param {Finding} finding */
const where = ({ layers }) => (layers.length ? numbers.count(layers.length, "layer") : "the whole engine");

/** The rule's page: what is found, why it costs, what to do. @param {Rule} rule */
const about = (rule) =>
  rule.parts.map(([heading, ...words]) => [
    el("h3", {}, heading),
    ...words.map((each) =>
      el("p", {}, /^[*-] /.test(each) ? ["• ", ...dom.sentence(each.slice(2))] : dom.sentence(each)),
    ),
  ]);

/** @param {Finding} finding */
const evidence = ({ evidence }) =>
  el(
    "ul",
    { class: "evidence", "aria-label": "Evidence" },
    several(evidence, (words) => el("li", { dir: "ltr" }, dom.unbroken(words))),
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
  const { engine } = app;
  const found = engine.found.of(node);
  if (!found.length) return null;
  return section(
    `Findings (${found.length})`,
    el(
      "ul",
      { class: "found-here" },
      found.map((one) =>
        el(
          "li",
          {},
          el(
            "details",
            {},
            el(
              "summary",
              { title: one.rule.summary },
              el("span", { class: "label" }, one.rule.action),
              el("span", { class: "value" }, [one.stake, ...small(one.rule)].filter(Boolean).join("  ·  ")),
            ),
            el("div", { class: "rule" }, about(one.rule).flat()),
          ),
          el("p", { dir: "ltr" }, dom.sentence(one.message)),
          advice(one.advice),
          evidence(one),
          one.layers.length > 1
            ? dom.button(
                { class: "plain", on: { click: () => app.showFinding(one) } },
                `Show all ${numbers.count(one.layers.length, "layer")} of this finding`,
              )
            : null,
        ),
      ),
    ),
  );
}

// ---- of an engine ---------------------------------------------------------------------------

/**
 * What to do, of the optimisation profile shown: the first findings, the others on demand; a click shows where.
 * @param {Host} app
 */
export function ofEngine(app) {
  const { engine } = app;
  const list = engine.found.profiles[engine.shown];
  if (!list.length) return null;
  const first = list.filter((one) => one.shown).slice(0, FIRST);
  const others = list.filter((one) => !first.includes(one));
  /** @param {Finding[]} some */
  const rows = (some) =>
    el(
      "ul",
      { class: "findings" },
      some.map((one) => row(app, one)),
    );
  return section(
    "What to do",
    first.length ? rows(first) : null,
    others.length
      ? el(
          "details",
          {},
          el("summary", {}, numbers.count(others.length, first.length ? "more finding" : "finding")),
          rows(others),
        )
      : null,
  );
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
 * @param {Finding[]} list
 */
export const above = (app, list) =>
  list
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
  return el(
    "li",
    {},
    dom.button(
      { title: finding.message, on: { click: () => app.showFinding(finding) } },
      el("span", { class: "label" }, rule.action),
      saves === null
        ? null
        : el("b", { class: "value" }, `${app.engine.head.estimated ? "≈ " : ""}−${numbers.milliseconds(saves)}`),
      el("span", { class: "what" }, [touched(finding), ...small(rule)].join("  ·  ")),
    ),
  );
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
    el("details", { class: "rule" }, el("summary", {}, "About this rule"), about(rule).flat()),
    members(app, finding.layers),
  ];
}
