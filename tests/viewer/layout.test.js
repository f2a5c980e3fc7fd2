import assert from "node:assert/strict";
import { test } from "node:test";
import * as folds from "../../engine_layer_visualize/outputs/html/viewer/fold.js";
import { spans } from "../../engine_layer_visualize/outputs/html/viewer/frames.js";
import { lay } from "../../engine_layer_visualize/outputs/html/viewer/layout.js";
import { route, straightened } from "../../engine_layer_visualize/outputs/html/viewer/route.js";
import { arrange } from "../../engine_layer_visualize/outputs/html/viewer/rows.js";
import { chain, engine } from "./engines.js";

const NONE = new Set();

test("without folded groups every node is its own box, where the data says", () => {
  const made = arrange(chain(4), NONE);
  assert.equal(made.size, 4);
  assert.deepEqual([...made.node], [0, 1, 2, 3]);
  assert.deepEqual([...made.row], [0, 1, 2, 3]);
  assert.deepEqual(
    made.nets.map(({ source, readers }) => [source, readers]),
    [
      [0, [1]],
      [1, [2]],
      [2, [3]],
    ],
  );
});

test("a folded group is one box in the row of its first member, and its rows are gone", () => {
  const made = arrange(chain(6, [[1, 3]]), new Set([0]));
  assert.deepEqual([...made.node], [0, 4, 5, -1]);
  assert.deepEqual([...made.of], [0, 3, 3, 3, 1, 2]);
  assert.deepEqual([...made.row], [0, 2, 3, 1]);
  assert.equal(made.count, 4);
  assert.deepEqual([...made.netOf], [0, -1, -1, 1, 2]); // edges inside the group are not drawn
  assert.ok(made.nets.every((net) => net.lane === null));
});

test("lanes that a fold shortens or joins do not share a track", () => {
  const bent = engine({
    row: [0, 1, 2, 3, 4],
    slot: [0, 0, 0, 0, 0],
    edges: [
      [0, 3],
      [0, 4],
      [1, 4],
    ],
    lanes: [
      [0, 0],
      [0, 1],
      [0, 2],
    ],
    groups: [[1, 2]],
  });
  const made = arrange(bent, new Set([0]));
  const taken = made.nets.map(({ source, last, lane }) => ({ first: made.row[source], stop: made.row[last], lane }));
  for (const a of taken)
    for (const b of taken)
      if (a !== b && a.lane && b.lane && a.lane.track === b.lane.track && a.lane.gutter === b.lane.gutter)
        assert.ok(a.stop <= b.first || b.stop <= a.first);
});

test("cut edges leave room for their flags", () => {
  const cut = engine({
    row: [0, 1],
    slot: [0, 0],
    edges: [[1, 0]],
    lanes: [[null, 0]],
  });
  assert.deepEqual([...arrange(cut, NONE).flag], [74, 74]);
});

test("columns come near to the window's aspect, and hold all rows in order", () => {
  const made = arrange(chain(60), NONE);
  for (const aspect of [0.5, 1, 2, 4]) {
    const sheet = folds.fold(made, aspect, []);
    assert.equal(sheet.columns[0].first, 0);
    assert.equal(sheet.columns.at(-1).last, 59);
    sheet.columns.slice(1).forEach((column, c) => {
      assert.equal(column.first, sheet.columns[c].last + 1);
    });
    assert.ok(Math.abs(Math.log(sheet.width / sheet.height / aspect)) < Math.log(2), `${sheet.width}:${sheet.height}`);
  }
  assert.equal(folds.fold(made, null, []).columns.length, 1);
});

test("an engine without layers has a sheet without columns", () => {
  const sheet = folds.fold(arrange(engine({ row: [], slot: [], edges: [], lanes: [] }), NONE), 1.5, []);
  assert.deepEqual([sheet.columns.length, sheet.width, sheet.height, sheet.x.length], [0, 0, 0, 0]);
});

test("no two boxes overlap, folded or not", () => {
  const blocks = [
    [10, 10],
    [20, 10],
    [30, 10],
  ];
  for (const folded of [[], [0], [0, 1, 2]]) {
    const made = chain(50, blocks);
    const { sheet, frames } = lay(made, new Set(folded), 1.5);
    for (let a = 0; a < sheet.size; a++)
      for (let b = 0; b < a; b++)
        assert.ok(
          Math.abs(sheet.x[a] - sheet.x[b]) >= (sheet.w[a] + sheet.w[b]) / 2 ||
            sheet.y[a] >= sheet.y[b] + sheet.h[b] ||
            sheet.y[b] >= sheet.y[a] + sheet.h[a],
        );
    assert.deepEqual(
      [...new Set(frames.map(({ group }) => group))].sort(),
      [0, 1, 2].filter((group) => !folded.includes(group)),
    );
  }
});

test("the rows of open groups", () => {
  const made = chain(10, [
    [2, 3],
    [6, 2],
  ]);
  assert.deepEqual(spans(made, arrange(made, NONE), NONE), [
    { first: 2, last: 4 },
    { first: 6, last: 7 },
  ]);
  const folded = new Set([0]);
  assert.deepEqual(spans(made, arrange(made, folded), folded), [{ first: 4, last: 5 }]);
});

test("edges run from the lower side of one box to the upper side of another, at right angles", () => {
  const made = chain(30);
  const sheet = folds.fold(arrange(made, NONE), 1.5, []);
  const { count, start, points, edge, wireOf } = route(sheet, made.edges);
  assert.equal(count, 29);
  for (let wire = 0; wire < count; wire++) {
    assert.equal(wireOf[edge[wire]], wire);
    const path = points.slice(start[wire], start[wire + 1]);
    const [from, to] = [made.edges.from[edge[wire]], made.edges.to[edge[wire]]];
    assert.deepEqual([...path.slice(0, 2)], [sheet.x[from], sheet.y[from] + sheet.h[from]]);
    assert.deepEqual([...path.slice(-2)], [sheet.x[to], sheet.y[to]]);
    for (let at = 2; at < path.length; at += 2) assert.ok(path[at] === path[at - 2] || path[at + 1] === path[at - 1]);
  }
});

test("points on the way between their neighbours are left out", () => {
  assert.deepEqual(straightened([0, 0, 0, 5, 0, 9, 4, 9, 4, 9, 8, 9]), [0, 0, 0, 9, 8, 9]);
});
