import assert from "node:assert/strict";
import { test } from "node:test";
import * as folds from "../../engine_layer_visualize/page/viewer/fold.js";
import { spans } from "../../engine_layer_visualize/page/viewer/frames.js";
import { layOut } from "../../engine_layer_visualize/page/viewer/layout.js";
import * as levels from "../../engine_layer_visualize/page/viewer/levels.js";
import { routes } from "../../engine_layer_visualize/page/viewer/route.js";
import { arrange } from "../../engine_layer_visualize/page/viewer/rows.js";
import { chain, engine } from "./engines.js";

const NONE = new Set();

test("without collapsed groups every node is its own box, where the data says", () => {
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

test("a collapsed group is one box in the row of its first member, and its rows are gone", () => {
  const made = arrange(chain(6, [[1, 3]]), new Set([0]));
  assert.deepEqual([...made.node], [0, 4, 5, -1]);
  assert.deepEqual([...made.of], [0, 3, 3, 3, 1, 2]);
  assert.deepEqual([...made.row], [0, 2, 3, 1]);
  assert.equal(made.count, 4);
  assert.deepEqual([...made.netOf], [0, -1, -1, 1, 2]); // edges inside the group are not drawn
  assert.ok(made.nets.every((net) => net.lane === null));
});

test("without edges a collapsed group leaves no empty cell", () => {
  const row = [0, 0, 0, 0, 1, 1, 1, 1, 2];
  const slot = [0, 1, 2, 3, 0, 1, 2, 3, 0];
  const grid = engine({ row, slot, edges: [], lanes: [], groups: [[1, 6]] });
  const made = arrange(grid, new Set([0]));
  assert.deepEqual([...made.node], [0, 7, 8, -1]);
  assert.deepEqual([...made.row], [0, 0, 0, 0]);
  assert.deepEqual([...made.slot], [0, 2, 3, 1]);
  assert.equal(made.count, 1);
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
  const made = arrange(chain(59), NONE);
  for (const aspect of [0.5, 1, 2, 4]) {
    const folded = folds.fold(made, aspect, []);
    assert.equal(folded.columns[0].first, 0);
    assert.equal(folded.columns.at(-1)?.last, 58);
    folded.columns.slice(1).forEach((column, c) => {
      assert.equal(column.first, folded.columns[c].last + 1);
    });
    assert.ok(
      Math.abs(Math.log(folded.width / folded.height / aspect)) < Math.log(2),
      `${folded.width}:${folded.height}`,
    );
  }
  assert.equal(folds.fold(made, null, []).columns.length, 1);
});

test("an engine without layers is folded into no columns", () => {
  const folded = folds.fold(arrange(engine({ row: [], slot: [], edges: [], lanes: [] }), NONE), 1.5, []);
  assert.deepEqual([folded.columns.length, folded.width, folded.height, folded.x.length], [0, 0, 0, 0]);
});

test("no two boxes overlap, collapsed or not", () => {
  const blocks = [
    [10, 10],
    [20, 10],
    [30, 10],
  ];
  for (const collapsed of [[], [0], [0, 1, 2]]) {
    const made = chain(50, blocks);
    const { folded, frames } = layOut(made, new Set(collapsed), 1.5);
    for (let a = 0; a < folded.size; a++)
      for (let b = 0; b < a; b++)
        assert.ok(
          Math.abs(folded.x[a] - folded.x[b]) >= (folded.w[a] + folded.w[b]) / 2 ||
            folded.y[a] >= folded.y[b] + folded.h[b] ||
            folded.y[b] >= folded.y[a] + folded.h[a],
        );
    assert.deepEqual(
      [...new Set(frames.map(({ group }) => group))].sort(),
      [0, 1, 2].filter((group) => !collapsed.includes(group)),
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
  const collapsed = new Set([0]);
  assert.deepEqual(spans(made, arrange(made, collapsed), collapsed), [{ first: 4, last: 5 }]);
});

test("edges run from the lower side of one box to the upper side of another, at right angles", () => {
  const made = chain(30);
  const folded = folds.fold(arrange(made, NONE), 1.5, []);
  const { count, start, points, edge, routeOf } = routes(folded, made.edges);
  assert.equal(count, 29);
  for (let route = 0; route < count; route++) {
    assert.equal(routeOf[edge[route]], route);
    const path = points.slice(start[route], start[route + 1]);
    const [from, to] = [made.edges.from[edge[route]], made.edges.to[edge[route]]];
    assert.deepEqual([...path.slice(0, 2)], [folded.x[from], folded.y[from] + folded.h[from]]);
    assert.deepEqual([...path.slice(-2)], [folded.x[to], folded.y[to]]);
    for (let at = 2; at < path.length; at += 2) assert.ok(path[at] === path[at - 2] || path[at + 1] === path[at - 1]);
  }
});

test("a frame holds the boxes of groups that are collapsed inside of it, and none of groups around it", () => {
  const spans = [
    [2, 6],
    [3, 2],
    [10, 2],
  ];
  const made = chain(14, spans, [0, 1, 0]);
  const [inner] = [layOut(made, new Set([1]), null)];
  const frame = inner.frames.find(({ group }) => group === 0);
  const box = inner.folded.of[3];
  assert.ok(frame && inner.folded.y[box] > frame.y && inner.folded.y[box] < frame.y + frame.h);
  assert.equal(inner.frames.filter(({ group }) => group === 0).length, 1);
  const outer = layOut(made, new Set([0]), null);
  assert.deepEqual(
    outer.frames.map(({ group }) => group),
    [2],
  );
});

test("each level collapses the groups from its depth on, and the data says which are open at first", () => {
  const nested = chain(
    40,
    [
      [0, 20],
      [2, 10],
      [3, 4],
      [20, 20],
    ],
    [0, 1, 2, 0],
  );
  assert.equal(levels.lowest(nested), 3);
  assert.deepEqual(
    [0, 1, 2, 3].map((level) => [...levels.collapsedAt(nested, level)]),
    [[0, 1, 2, 3], [1, 2], [2], []],
  );
  const boxes = [0, 1, 2, 3].map((level) => arrange(nested, levels.collapsedAt(nested, level)).size);
  assert.deepEqual(boxes, [2, 31, 37, 40]);
  assert.deepEqual(
    [0, 1, 2, 3].map((level) => levels.boxesAt(nested, level)),
    boxes,
  );
  nested.groups[0].opened = true;
  assert.deepEqual([...levels.opened(nested)], [1, 2, 3]);
});

test("layers without a kernel stand as marks at their neighbour's box", () => {
  const hosts = [1, 0];
  const large = chain(60, [], [], hosts);
  const made = arrange(large, NONE);
  assert.deepEqual([made.size, [...made.marks]], [59, [[0, [1]]]]);
  assert.deepEqual([made.of[1], made.node[made.of[2]]], [made.of[0], 2]);
  const { source, readers } = made.nets[made.netOf[large.out(1)[0]]];
  assert.deepEqual([source, readers], [made.of[0], [made.of[2]]]); // its line is the writer's
  const folded = arrange(chain(60, [[0, 3]], [], hosts), new Set([0]));
  assert.deepEqual([folded.size, folded.marks.size], [58, 0]);
});
