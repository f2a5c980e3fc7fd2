// @ts-check
// A comparison, or one of its layers -> what the panel tells: totals and colours, or a group with the layers of A
// and of B.

import { placeWords, shares } from "./compare_data.js";
import * as dom from "./dom.js";
import { el } from "./dom.js";
import { milliseconds, signed, speed } from "./numbers.js";
import { close, list, row, rows, section } from "./parts.js";

/** @import { CompareApp } from "./compare_app.js" */

/** @param {CompareApp} app */
export function overview(app) {
  const { engine } = app;
  const { called } = engine;
  const [ratio, times] = engine.headline;
  return [
    el("h2", { class: ratio ? "total" : null }, `${called} ${ratio || "against A"}`),
    times ? el("p", { class: "muted" }, times) : null,
    el("p", { class: "summary" }, dom.unbroken(engine.first)),
    section("Totals", table(["", "A", called, `${called} − A`], engine.totals)),
    engine.builds.length > 0 && section("What differs between the builds", table(["", "A", called], engine.builds)),
    section("Colours", legend(app)),
  ];
}

/**
 * Whether it is a number with its unit, which stays in one line.
 * @param {string} cell
 */
const isNumber = (cell) => /^\S+ \S{1,3}$/.test(cell);

/**
 * @param {string[]} heads
 * @param {string[][]} rows
 */
function table(heads, rows) {
  return dom.table(
    { class: "totals" },
    heads.map((head) => (head ? el("th", { scope: "col" }, head) : el("td", {}))),
    rows.map((row) =>
      row.map((cell, at) =>
        at ? el("td", isNumber(cell) ? { class: "kept" } : {}, cell) : el("th", { scope: "row" }, cell),
      ),
    ),
  );
}

/** The tones in use, and how sure a band is. @param {CompareApp} app */
function legend({ engine, colors, look }) {
  const used = new Set(engine.sides.flatMap((side) => side.tone));
  const { tones } = colors;
  const keys = [...used]
    .sort((a, b) => a - b)
    .map((tone) => {
      const style = { background: tones[tone][0], "box-shadow": `inset 0 0 0 1px ${tones[tone][1]}` };
      return el(
        "li",
        { class: "key" },
        el("i", { class: "swatch", style }),
        (engine.timed ? look.pair.tones : look.pair.untimed)[tone],
      );
    });
  const sure = "A solid outline: matched by names; dashed: by structure; dotted: by region.";
  return el("div", {}, el("ul", { class: "keys" }, keys), el("p", { class: "note" }, sure));
}

/**
 * @param {CompareApp} app
 * @param {number} node
 */
export function told(app, node) {
  const { engine } = app;
  const group = engine.groupOf(node);
  const side = engine.side(node);
  const index = engine.index(node);
  if (group < 0) {
    return [
      el("div", { class: "top" }, dom.muted(placeWords(engine, side, engine.sides[side].place[index])), close(app)),
      el("h2", {}, engine.label(node)),
      el("ul", {}, layer(app, side, index)),
    ];
  }
  const [a, b, delta, , changes, confidence, ratio] = engine.groups[group];
  const members = engine.members[group];
  const times = ratio === null ? "" : ` · ${speed(ratio)}${engine.per_sample ? ", a sample" : ""}`;
  const moves = shares(engine, "reformats").get(group);
  return [
    el("div", { class: "top" }, dom.muted(`Group ${group + 1} of ${engine.groups.length}`), close(app)),
    el("h2", {}, delta === null ? "Difference of times not known" : signed(delta), times),
    el(
      "section",
      {},
      rows(
        row(`A → ${engine.called}`, `${milliseconds(a) || "no time"} → ${milliseconds(b) || "no time"}`),
        moves ? row("its layers", change((a ?? 0) - moves.a, (b ?? 0) - moves.b)) : null,
        moves ? row("reformats", change(moves.a, moves.b)) : null,
        row("changed", engine.text(changes) || "nothing in the logs"),
        row("matched by", engine.text(confidence)),
      ),
    ),
    ...[0, 1].map((one) =>
      section(
        `${"AB"[one]}: ${engine.sides[one].engine}`,
        list({}, members[one], (at) => layer(app, one, at)),
      ),
    ),
  ];
}

/** @param {number} a @param {number} b */
const change = (a, b) => `${milliseconds(a)} → ${milliseconds(b)}, ${signed(Number((b - a).toPrecision(9)))}`;

/**
 * @param {CompareApp} app
 * @param {number} side
 * @param {number} index
 */
function layer(app, side, index) {
  const { engine } = app;
  const own = engine.sides[side];
  const { text } = engine;
  const node = engine.node(side, index);
  const title = `${index}  ${text(own.title[index])}`;
  return el(
    "li",
    { class: "member" },
    el(
      "button",
      { type: "button", class: "plain", "aria-current": node === app.selected, on: { click: () => app.select(node) } },
      own.reformat[index] ? `${title} (reformat or no-op)` : title,
    ),
    el("p", { class: "whole", dir: "ltr" }, text(own.name[index])),
    rows(
      row("time", milliseconds(own.ms[index]) || "not known"),
      row("type", text(own.type[index])),
      row("precision", text(own.precision[index])),
      own.kernel[index] >= 0 ? row("kernel", text(own.kernel[index])) : null,
      row("formats", text(own.formats[index])),
    ),
  );
}
