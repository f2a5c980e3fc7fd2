// What stands where: a grid over the sheet.
//
// takes: a folded sheet and its wires
// gives: boxes and wires in a rectangle, the box under a point
// never: tests more than the cells that a question touches

const grid = (() => {
  const CELL = 512;

  function index(width, height, fill) {
    const across = Math.max(1, Math.ceil(width / CELL) + 1);
    const down = Math.max(1, Math.ceil(height / CELL) + 1);
    const clamp = (value, most) => Math.max(0, Math.min(most - 1, Math.floor(value / CELL)));
    const cells = Array.from({ length: across * down }, () => []);
    const each = (left, top, right, bottom, call) => {
      const [a, b, c, d] = [clamp(left, across), clamp(top, down), clamp(right, across), clamp(bottom, down)];
      for (let y = b; y <= d; y++) for (let x = a; x <= c; x++) call(cells[y * across + x]);
    };
    fill((what, left, top, right, bottom) =>
      each(left, top, right, bottom, (cell) => {
        if (cell[cell.length - 1] !== what) cell.push(what);
      }),
    );
    let stamp = 0;
    let stamps = new Int32Array(1024);
    return (left, top, right, bottom) => {
      stamp++;
      const found = [];
      each(left, top, right, bottom, (cell) => {
        for (const what of cell) {
          if (what >= stamps.length) {
            const larger = new Int32Array(what * 2);
            larger.set(stamps);
            stamps = larger;
          }
          if (stamps[what] === stamp) continue;
          stamps[what] = stamp;
          found.push(what);
        }
      });
      return found;
    };
  }

  function over(sheet, wires) {
    const boxes = index(sheet.width, sheet.height, (add) => {
      for (let box = 0; box < sheet.size; box++) {
        add(
          box,
          sheet.x[box] - sheet.w[box] / 2,
          sheet.y[box],
          sheet.x[box] + sheet.w[box] / 2 + sheet.flag[box],
          sheet.y[box] + sheet.h[box],
        );
      }
    });
    const lines = index(sheet.width, sheet.height, (add) => {
      const { points, start } = wires;
      for (let wire = 0; wire < wires.count; wire++) {
        for (let at = start[wire]; at + 3 < start[wire + 1]; at += 2) {
          const [x, y, u, v] = [points[at], points[at + 1], points[at + 2], points[at + 3]];
          add(wire, Math.min(x, u), Math.min(y, v), Math.max(x, u), Math.max(y, v));
        }
      }
    });
    const at = (x, y) =>
      boxes(x, y, x, y).find(
        (box) =>
          Math.abs(x - sheet.x[box]) <= sheet.w[box] / 2 && y >= sheet.y[box] && y <= sheet.y[box] + sheet.h[box],
      );
    return { boxes, wires: lines, at };
  }

  return { over };
})();
