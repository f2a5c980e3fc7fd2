// @ts-check
// Findings -> what the panel shows of them: those of the engine, of one of them, of one layer.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import * as numbers from "./numbers.js";
import { close, link, section, several } from "./parts.js";

/** @import { App } from "./app.js" */
/** @import { Child, Engine, Finding, Rule } from "./types.d.ts" */

/** What this asks of the app. @typedef {Pick<App, "close" | "engine" | "finding" | "select" | "showFinding">} Host */

/** @param {Rule} rule */
const sign = (rule) => el("b", { class: rule.severity === "hint" ? "code hint" : "code" }, rule.code);

/**
 * `touches 1.40 ms, 97.0 %`, `could save 701 µs`
 * @param {Engine} engine
 * @param {Finding} finding
 * @returns {string[]}
 */
function stake({ head }, { touches, share, saves }) {
  const part = share === null ? "" : `, ${numbers.percent(share)}`;
  return [
    touches === null ? "" : `touches ${numbers.about(head, touches)}${part}`,
    saves === null ? "" : `could save ${numbers.about(head, saves)}`,
  ].filter(Boolean);
}

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
    several(evidence, (fact) => el("li", { dir: "ltr" }, dom.unbroken(fact))),
  );

/** What to try; flags stay in one piece, as what stands in backticks does. @param {string} words */
function advice(words) {
  const parts = words.split(/(`[^`]+`|--\w[\w-]*(?:=[\w.:+,*-]*\w)?)/);
  return el(
    "p",
    { class: "try", dir: "ltr" },
    el("b", {}, "Try "),
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
              sign(one.rule),
              el("span", { class: "label" }, one.rule.name),
              el("span", { class: "value" }, stake(engine, one).join("; ")),
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
 * The findings of the optimisation profile shown, in their order; a click shows where.
 * @param {Host} app
 */
export function ofEngine(app) {
  const { engine } = app;
  const list = engine.found.profiles[engine.shown];
  if (!list.length) return null;
  /** @param {boolean} shown */
  const rows = (shown) => list.filter((one) => one.shown === shown).map((one) => row(app, one));
  const [first, others] = [rows(true), rows(false)];
  const more = first.length ? "more " : "";
  return section(
    `Findings (${numbers.grouped(list.length)})`,
    first.length ? el("ul", { class: "findings" }, first) : null,
    others.length
      ? el(
          "details",
          {},
          el("summary", {}, numbers.count(others.length, `${more}finding`)),
          el("ul", { class: "findings" }, others),
        )
      : null,
  );
}

/**
 * @param {Host} app
 * @param {Finding} finding
 */
function row(app, finding) {
  const { rule, rank, layers, message } = finding;
  return el(
    "li",
    {},
    dom.button(
      {
        title: `Show ${layers.length ? "these layers" : "this finding"}`,
        on: { click: () => app.showFinding(finding) },
      },
      sign(rule),
      el("span", { class: "label" }, `${rank}. ${rule.name}`),
      el("span", { class: "value" }, stake(app.engine, finding).join("; ")),
      el(
        "span",
        { class: "what", dir: "ltr" },
        el("span", { class: "where" }, `${where(finding)}: `),
        dom.sentence(message),
      ),
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
    el("h2", {}, sign(rule), ` ${rule.name}`),
    el("p", { class: "cost" }, [rule.severity, where(finding), ...stake(app.engine, finding)].join("  ·  ")),
    el("p", { class: "summary", dir: "ltr" }, dom.sentence(finding.message)),
    advice(finding.advice),
    evidence(finding),
    el("details", { class: "rule" }, el("summary", {}, "About this rule"), about(rule).flat()),
    el("ul", { class: "ranking" }, members(app, finding)),
  ];
}

/**
 * Links to the layers of a finding, with their times.
 * @param {Host} app
 * @param {Finding} finding
 */
function members(app, finding) {
  const { engine } = app;
  return several(finding.layers, (n) =>
    el("li", {}, link(app, n), el("span", { class: "value" }, numbers.about(engine.head, engine.layers.ms[n]))),
  );
}
