import assert from "node:assert/strict";
import { test } from "node:test";
import { precisionOptions } from "../../engine_layer_visualize/page/viewer/copying.js";
import { parsed, to } from "../../engine_layer_visualize/page/viewer/links.js";
import { ranged, ranges } from "../../engine_layer_visualize/page/viewer/ranges.js";
import { SvgContext } from "../../engine_layer_visualize/page/viewer/svg_context.js";
import { csv } from "../../engine_layer_visualize/page/viewer/table_columns.js";

/** @import { TableColumn, Value } from "../../engine_layer_visualize/page/viewer/types.d.ts" */

test("an address names parts, in words that can be read", () => {
  assert.equal(to(0, 12), "#engine=0&layer=12");
  assert.equal(to(3, null), "#engine=3");
  const { values, wrong } = parsed("#engine=0&q=type:conv+a%2Bb%26c=d&layer=");
  assert.deepEqual([...values], [["engine", "0"], ["q", "type:conv a+b&c=d"], ["layer", ""]]); // biome-ignore format: one a row
  assert.deepEqual(wrong, []);
  assert.deepEqual([...parsed("").values], []);
});

test("what is no text of an address is wrong, and the rest is read", () => {
  const { values, wrong } = parsed("#layer=3&q=%zz");
  assert.deepEqual([...values], [["layer", "3"]]);
  assert.deepEqual(wrong, ["The link says “q=%zz”, which cannot be shown here."]);
});

test("numbers as ranges and back", () => {
  assert.equal(ranges([0, 1, 2, 5, 7, 8]), "0-2,5,7-8");
  assert.deepEqual(ranged("0-2,5,7-8", 9), [0, 1, 2, 5, 7, 8]);
  for (const text of ["", "a", "1-", "-1", "0-9", "1,,2", "1-999999999"]) assert.equal(ranged(text, 9), null, text);
});

test("trtexec's option names what it can take, quoted for a shell", () => {
  const line = "'--layerPrecisions=/a/Conv:fp32,b $(rm) `x`;:fp32' --precisionConstraints=obey";
  assert.equal(precisionOptions(["/a/Conv", "b $(rm) `x`;"]), line);
  for (const unfit of ["c,d", "e:0", "it's", "f*", "g\\n", "", " h"]) assert.equal(precisionOptions(["a", unfit]), "");
});

/** @param {(pen: SvgContext) => void} draw */
function drawn(draw) {
  const pen = new SvgContext();
  draw(pen);
  return pen.file(10, 20, "a <b>").join("");
}

test("what is drawn becomes elements, and text is escaped", () => {
  const svg = drawn((pen) => {
    pen.setTransform(2, 0, 0, 2, 1, 1);
    pen.fillStyle = "#fff";
    pen.fillRect(0, 0, 5, 5.001);
    pen.globalAlpha = 0.5;
    pen.font = '600 13px "A", b';
    pen.textAlign = "right";
    pen.fillText("</text><script>&\u0007\ud800", 1, 2);
  });
  assert.ok(svg.includes("<title>a &lt;b&gt;</title>"));
  assert.ok(svg.includes('<g transform="matrix(2 0 0 2 1 1)">\n<rect x="0" y="0" width="5" height="5" fill="#fff"/>'));
  assert.ok(
    svg.includes(
      '<text x="1" y="2" font-family="&quot;A&quot;, b" font-size="13" font-weight="600" text-anchor="end" fill="#fff" opacity="0.5">&lt;/text&gt;&lt;script&gt;&amp;\ufffd\ufffd</text>',
    ),
  );
  assert.ok(svg.endsWith("</g>\n</svg>\n"));
});

test("corners are arcs that turn as the way does", () => {
  /** @param {[number, number]} end */
  const corner = (end) =>
    drawn((pen) => {
      pen.beginPath();
      pen.moveTo(0, 0);
      pen.arcTo(10, 0, end[0], end[1], 4);
      pen.lineTo(end[0], end[1]);
      pen.stroke();
    });
  assert.ok(corner([10, 10]).includes('d="M0 0L6 0A4 4 0 0 1 10 4L10 10"')); // to the right
  assert.ok(corner([10, -10]).includes('d="M0 0L6 0A4 4 0 0 0 10 -4L10 -10"')); // to the left
  assert.ok(corner([20, 0]).includes('d="M0 0L10 0L20 0"')); // straight on
});

test("a table is CSV", () => {
  const texts = ["=1", 'a "b", c', "d", null];
  const format = (/** @type {Value} */ value) => String(value ?? "");
  /** @type {(title: string, key: string, right: boolean, value: TableColumn["value"]) => TableColumn} */
  const column = (title, key, right, value) => ({ key, title, doc: "", width: "", right, value, format });
  const columns = [column("#", "n", true, (n) => n), column("Name", "name", false, (n) => texts[n])];
  assert.equal(csv(columns, [1, 0, 3]), 'n,name\n1,"a ""b"", c"\n0,\'=1\n3,\n');
});
