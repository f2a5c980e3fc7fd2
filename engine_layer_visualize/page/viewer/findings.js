// @ts-check
// Findings -> what the panel shows of them: those of the engine, of one rule, of one layer.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import * as numbers from "./numbers.js";
import { close, link, section, several } from "./parts.js";

/** @import { App } from "./app.js" */
/** @import { Child, Engine, Finding, FoundGroup, Rule } from "./types.d.ts" */

/** What this asks of the app. @typedef {Pick<App, "close" | "engine" | "finding" | "select" | "showRule">} Host */

const OPEN = 10; // rules that stand open in the overview

/** @param {Rule} rule */
const sign = (rule) => el("b", { class: rule.severity === "hint" ? "code hint" : "code" }, rule.code);

/**
 * The most that there is to gain, and its share.
 * @param {Engine} engine
 * @param {Finding | FoundGroup} found
 * @returns {string[]}
 */
const stake = ({ head }, { ms, share }) =>
  ms ? [numbers.about(head, ms), numbers.percent(share)].filter(Boolean) : [];

/**
 * `at most 31.0 µs, 1.2 %`
 * @param {Engine} engine
 * @param {Finding | FoundGroup} found
 */
function atMost(engine, found) {
  const parts = stake(engine, found);
  return parts.length ? `at most ${parts.join(", ")}` : "";
}

/** The rule's page: what is found, why it costs, what to do. @param {Rule} rule */
const page = (rule) =>
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
              el("span", { class: "value" }, stake(engine, one).join("  ")),
            ),
            el("div", { class: "rule" }, page(one.rule).flat()),
          ),
          el("p", { dir: "ltr" }, dom.sentence(one.message)),
          advice(one.advice),
          evidence(one),
          one.layers.length > 1
            ? dom.button(
                { class: "plain", on: { click: () => app.showRule(one.rule, one) } },
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
 * The rules that found something in the optimisation profile shown; a click shows where.
 * @param {Host} app
 */
export function ofEngine(app) {
  const { engine } = app;
  const groups = engine.found.groups[engine.shown];
  if (!groups.length) return null;
  const count = groups.reduce((sum, group) => sum + group.list.length, 0);
  const rows = groups.map((group) => overviewRow(app, group));
  return section(
    `Findings (${numbers.grouped(count)})`,
    groups.some((group) => group.ms) ? dom.muted("Times are the most that there is to gain.") : null,
    el("ul", { class: "findings" }, rows.slice(0, OPEN)),
    rows.length > OPEN
      ? el(
          "details",
          {},
          el("summary", {}, `${numbers.count(rows.length - OPEN, "more rule")}`),
          el("ul", { class: "findings" }, rows.slice(OPEN)),
        )
      : null,
  );
}

/**
 * @param {Host} app
 * @param {FoundGroup} group
 */
function overviewRow(app, group) {
  const { rule, list, layers } = group;
  const where = layers ? numbers.count(layers, "layer") : "the whole engine";
  const what = list.length > 1 ? rule.summary : list[0].message;
  return el(
    "li",
    {},
    dom.button(
      { title: `Show ${layers ? "these layers" : "this finding"}`, on: { click: () => app.showRule(rule) } },
      sign(rule),
      el("span", { class: "label" }, rule.name),
      el("span", { class: "value" }, stake(app.engine, group).join("  ")),
      el("span", { class: "what", dir: "ltr" }, el("span", { class: "where" }, `${where}: `), dom.sentence(what)),
    ),
  );
}

// ---- of a rule ------------------------------------------------------------------------------

/**
 * @param {Host} app
 * @param {FoundGroup} group
 */
export function ofRule(app, group) {
  const { engine } = app;
  const { rule, list, layers } = group;
  const alike = list.every((one) => one.advice === list[0].advice);
  /** @type {Child[]} */
  const counts = [
    rule.severity,
    list.length > 1 && numbers.count(list.length, "finding"),
    layers ? numbers.count(layers, "layer") : "the whole engine",
    atMost(engine, group),
  ];
  return [
    el("div", { class: "top" }, dom.muted("Finding"), close(app)),
    el("h2", {}, sign(rule), ` ${rule.name}`),
    el("p", { class: "cost" }, counts.filter(Boolean).join("  ·  ")),
    el("p", { class: "summary" }, dom.sentence(rule.summary)),
    el("details", { class: "rule" }, el("summary", {}, "About this rule"), page(rule).flat()),
    alike ? advice(list[0].advice) : null,
    el(
      "ol",
      { class: "found-there" },
      several(list, (one) => ruleItem(app, one, list.length > 1, !alike)),
    ),
  ];
}

/**
 * @param {Host} app
 * @param {Finding} finding
 * @param {boolean} one of several
 * @param {boolean} advised
 */
function ruleItem(app, finding, one, advised) {
  const { engine } = app;
  const { layers, message, rule } = finding;
  const alone = app.finding === finding;
  const choose = () => app.showRule(rule, alone ? null : finding);
  return el(
    "li",
    { "aria-current": alone && one ? "true" : null },
    el("p", { dir: "ltr" }, dom.sentence(message)),
    advised ? advice(finding.advice) : null,
    evidence(finding),
    one && layers.length > 1
      ? el(
          "p",
          { class: "cost" },
          dom.button(
            { class: "plain", "aria-pressed": String(alone), on: { click: choose } },
            "Show these layers alone",
          ),
          el("span", { class: "value" }, atMost(engine, finding)),
        )
      : null,
    el("ul", { class: "ranking" }, members(app, finding)),
  );
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
