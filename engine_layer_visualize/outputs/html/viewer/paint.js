// The drawing on the canvas, with as much of it as the scale can bear.
//
// takes: a canvas context, a scene (engine, sheet, wires, colours, what is chosen), a view
// gives: pixels: far blocks and group names, then headlines, then everything
// never: keeps state, or touches what is out of view

const paint = (() => {
  const FAR = 0.26;
  const NEAR = 0.62;
  const { FONTS } = text;
  const DIM = 0.22;

  function draw(pen, scene, view, ratio) {
    const { colors } = scene;
    const seen = {
      left: view.x,
      top: view.y,
      right: view.x + view.width / view.scale,
      bottom: view.y + view.height / view.scale,
    };
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.fillStyle = colors.paper;
    pen.fillRect(0, 0, view.width * ratio, view.height * ratio);
    const zoom = view.scale * ratio;
    pen.setTransform(zoom, 0, 0, zoom, -view.x * zoom, -view.y * zoom);
    pen.textBaseline = "alphabetic";
    const boxes = scene.grid.boxes(seen.left, seen.top, seen.right, seen.bottom);
    frames(pen, scene, view, seen);
    wires(pen, scene, view, seen);
    if (view.scale < FAR) blocks(pen, scene, view, boxes);
    else for (const box of boxes) card(pen, scene, view, box);
    if (view.scale >= 0.7) dims(pen, scene, seen, boxes);
    groupNames(pen, scene, view, seen);
    marks(pen, scene, view);
  }

  // ---- groups ---------------------------------------------------------------------------------

  const visible = (box, seen) =>
    box.x < seen.right && box.x + box.w > seen.left && box.y < seen.bottom && box.y + box.h > seen.top;

  function frames(pen, scene, view, seen) {
    for (const frame of scene.frames) {
      if (!visible(frame, seen)) continue;
      pen.fillStyle = frame.outer ? scene.colors.group : scene.colors.block;
      pen.beginPath();
      pen.roundRect(frame.x, frame.y, frame.w, frame.h, 6);
      pen.fill();
    }
  }

  // A group's name stands above its first row; from afar it is as large as the window needs it.
  function groupNames(pen, scene, view, seen) {
    const { colors, engine } = scene;
    pen.textAlign = "left";
    const size = Math.max(11, Math.min(240, 11 / view.scale));
    const font = `600 ${size}px ${text.FAMILY}`;
    for (const frame of scene.frames) {
      if (!visible(frame, seen) || frame.part) continue;
      const near = view.scale >= FAR;
      if (!near && frame.h * view.scale < 18) continue;
      if (near) {
        const said = `− ${engine.groups[frame.group].label}`;
        const by = Math.max(1, Math.min(1.45, 0.8 / view.scale));
        pen.font = `600 ${11 * by}px ${text.FAMILY}`;
        pen.fillStyle = colors.muted;
        pen.fillText(text.fit(said, FONTS.strong, (frame.w - 16) / by), frame.x + 8, frame.y + 14);
        continue;
      }
      const name = engine.groups[frame.group].label;
      const wide = (text.width(name, FONTS.strong) * size) / 11;
      if (wide > frame.room) continue;
      pen.font = font;
      pen.fillStyle = colors.paper;
      pen.globalAlpha = 0.86;
      pen.fillRect(frame.x, frame.y, wide + size * 0.8, size * 1.5);
      pen.globalAlpha = 1;
      pen.fillStyle = colors.ink;
      pen.fillText(name, frame.x + size * 0.4, frame.y + size * 1.1);
    }
  }

  // ---- wires ----------------------------------------------------------------------------------

  function wires(pen, scene, view, seen) {
    const found = scene.grid.wires(seen.left, seen.top, seen.right, seen.bottom);
    const far = view.scale < FAR;
    const least = far ? 14 / view.scale : 0;
    const { points, start } = scene.wires;
    const quiet = new Map();
    const loud = [];
    for (const wire of found) {
      if (scene.path && scene.pathWires.has(wire)) {
        loud.push(wire);
        continue;
      }
      const [a, b] = [start[wire], start[wire + 1]];
      if (least && b - a === 4 && points[b - 1] - points[a + 1] < least) continue;
      if (
        least &&
        far &&
        b - a > 4 &&
        Math.abs(points[b - 1] - points[a + 1]) + Math.abs(points[b - 2] - points[a]) < least
      )
        continue;
      const color = scene.wireColor(wire);
      if (!quiet.has(color)) quiet.set(color, []);
      quiet.get(color).push(wire);
    }
    pen.lineJoin = "round";
    pen.globalAlpha = scene.path ? DIM : far ? 0.55 : 1;
    pen.lineWidth = far ? 1 / view.scale : 1.6;
    for (const [color, list] of quiet) {
      pen.strokeStyle = color;
      pen.beginPath();
      for (const wire of list) trace(pen, points, start[wire], start[wire + 1], view.scale);
      pen.stroke();
    }
    pen.globalAlpha = 1;
    for (const wire of loud) {
      const own = scene.ownWires.has(wire);
      pen.lineWidth = Math.max(own ? 3 : 1.6, (own ? 2 : 1.2) / view.scale);
      pen.strokeStyle = scene.wireColor(wire);
      pen.beginPath();
      trace(pen, points, start[wire], start[wire + 1], view.scale);
      pen.stroke();
    }
    if (view.scale >= 0.4) arrows(pen, scene, found);
    jumps(pen, scene, view);
  }

  function trace(pen, points, from, to, scale) {
    pen.moveTo(points[from], points[from + 1]);
    if (scale < 0.4) {
      for (let at = from + 2; at < to; at += 2) pen.lineTo(points[at], points[at + 1]);
      return;
    }
    for (let at = from + 2; at < to - 2; at += 2) {
      const [x, y] = [points[at], points[at + 1]];
      const before = Math.abs(x - points[at - 2]) + Math.abs(y - points[at - 1]);
      const after = Math.abs(points[at + 2] - x) + Math.abs(points[at + 3] - y);
      pen.arcTo(x, y, points[at + 2], points[at + 3], Math.min(6, before / 2, after / 2));
    }
    pen.lineTo(points[to - 2], points[to - 1]);
  }

  function arrows(pen, scene, found) {
    const { points, start } = scene.wires;
    for (const wire of found) {
      const [x, y] = [points[start[wire + 1] - 2], points[start[wire + 1] - 1]];
      pen.globalAlpha = scene.path && !scene.pathWires.has(wire) ? DIM : 1;
      pen.fillStyle = scene.wireColor(wire);
      pen.beginPath();
      pen.moveTo(x, y);
      pen.lineTo(x - 3.4, y - 6);
      pen.lineTo(x + 3.4, y - 6);
      pen.fill();
    }
    pen.globalAlpha = 1;
  }

  // Control flow, and the wires of a chosen layer that are too long to be drawn otherwise.
  function jumps(pen, scene, view) {
    const { sheet, colors } = scene;
    for (const [a, b, color] of scene.leaps) {
      const [x, y, u, v] = [
        sheet.x[a] + sheet.w[a] / 2,
        sheet.y[a] + sheet.h[a] / 2,
        sheet.x[b] + sheet.w[b] / 2,
        sheet.y[b] + sheet.h[b] / 2,
      ];
      const out = Math.min(160, 30 + Math.abs(v - y) / 6);
      pen.strokeStyle = color || colors.muted;
      pen.lineWidth = Math.max(1.6, 1.2 / view.scale);
      pen.setLineDash([7, 5]);
      pen.beginPath();
      pen.moveTo(x, y);
      pen.bezierCurveTo(x + out, y, u + out, v, u, v);
      pen.stroke();
      pen.setLineDash([]);
    }
  }

  // ---- boxes ----------------------------------------------------------------------------------

  const faded = (scene, box) => (scene.hits && !scene.hits.has(box)) || (scene.path && !scene.pathBoxes.has(box));

  // From afar: rectangles, sorted by colour, as changing colours costs more than filling.
  function blocks(pen, scene, view, boxes) {
    const { sheet } = scene;
    const byColor = new Map();
    for (const box of boxes) {
      const color = faded(scene, box) ? scene.pale(box) : scene.far(box);
      if (!byColor.has(color)) byColor.set(color, []);
      byColor.get(color).push(box);
    }
    for (const [color, list] of byColor) {
      pen.fillStyle = color;
      for (const box of list) pen.fillRect(sheet.x[box] - sheet.w[box] / 2, sheet.y[box], sheet.w[box], sheet.h[box]);
    }
  }

  function card(pen, scene, view, box) {
    const { sheet, colors } = scene;
    const mark = scene.mark(box);
    const [w, h] = [sheet.w[box], sheet.h[box]];
    const [x, y] = [sheet.x[box] - w / 2, sheet.y[box]];
    const fill = scene.fill(box);
    const group = sheet.node[box] < 0;
    pen.globalAlpha = faded(scene, box) ? DIM : 1;
    pen.lineWidth = Math.max(mark.width, 0.7 / view.scale);
    pen.strokeStyle = mark.line;
    if (group) {
      for (const by of [6, 3]) {
        pen.fillStyle = colors.paper;
        pen.beginPath();
        pen.roundRect(x + by, y + by, w, h, 4);
        pen.fill();
        pen.stroke();
      }
    }
    if (mark.dash !== "solid") pen.setLineDash(mark.dash === "dashed" ? [5, 3] : [1.5, 3]);
    pen.fillStyle = fill;
    pen.beginPath();
    pen.roundRect(x, y, w, h, mark.round ? h / 2 : 4);
    pen.fill();
    pen.stroke();
    if (mark.dash !== "solid") pen.setLineDash([]);
    label(pen, scene, view, box, x, y, w, h, fill);
    if (sheet.flag[box] && view.scale >= NEAR) flags(pen, scene, box, x + w, y, h);
    pen.globalAlpha = 1;
  }

  function label(pen, scene, view, box, x, y, w, h, fill) {
    const { colors } = scene;
    const said = scene.said(box);
    const strong = colors.on(fill);
    const weak = said.quiet && !said.share ? colors.muted : strong;
    const pad = 9;
    if (view.scale < NEAR) {
      // Half way: the headline alone, as large as the box.
      let size = Math.min(h * 0.52, 9.5 / view.scale, 24);
      const font = said.quiet ? FONTS.plain : FONTS.bold;
      const base = said.quiet ? 11 : 13;
      pen.font = font.replace(`${base}px`, `${size.toFixed(1)}px`);
      pen.fillStyle = weak;
      const line = y + h / 2 + size * 0.36;
      let room = w - 2 * pad;
      const wide = (text.width(said.share, font) * size) / base;
      if (said.share && wide < w * 0.34) {
        pen.textAlign = "right";
        pen.fillText(said.share, x + w - pad, line);
        room -= wide + size * 0.6;
      }
      pen.textAlign = "left";
      const natural = (text.width(said.head, font) * size) / base;
      if (natural > room) {
        size *= Math.max(0.8, room / natural); // a little smaller before it is cut
        pen.font = font.replace(`${base}px`, `${size.toFixed(1)}px`);
      }
      pen.fillText(text.fit(said.head, font, (room * base) / size + 0.5), x + pad, line);
      return;
    }
    const low = h < 40;
    const first = low ? y + h / 2 + 4 : y + 19;
    let room = w - 2 * pad;
    pen.textAlign = "right";
    if (said.share) {
      pen.font = low ? FONTS.strong : FONTS.bold;
      pen.fillStyle = weak;
      pen.fillText(said.share, x + w - pad, first);
      room -= text.width(said.share, pen.font === FONTS.bold ? FONTS.bold : low ? FONTS.strong : FONTS.bold) + 10;
    }
    pen.textAlign = "left";
    const font = low ? FONTS.strong : FONTS.bold;
    pen.font = font;
    pen.fillStyle = weak;
    const head = text.fit(said.head, font, room);
    pen.fillText(head, x + pad, first);
    if (low) {
      const rest = room - text.width(head, font) - 8;
      if (said.sub && rest > 30) {
        pen.font = FONTS.plain;
        pen.fillText(text.fit(said.sub, FONTS.plain, rest), x + pad + text.width(head, font) + 8, first);
      }
      return;
    }
    let second = w - 2 * pad;
    pen.font = FONTS.plain;
    if (said.time) {
      pen.textAlign = "right";
      pen.fillText(said.time, x + w - pad, y + 36);
      second -= text.width(said.time, FONTS.plain) + 10;
    }
    pen.textAlign = "left";
    pen.fillText(text.fit(said.sub, FONTS.plain, second), x + pad, y + 36);
  }

  function flags(pen, scene, box, x, y, h) {
    pen.font = FONTS.plain;
    pen.textAlign = "left";
    scene.flags(box).forEach(([said, color], at) => {
      pen.fillStyle = color;
      pen.fillText(said, x + 5, y + h / 2 + 4 + (at ? 13 * at - 6 : 0));
    });
  }

  // ---- dims on the wires ----------------------------------------------------------------------

  function dims(pen, scene, seen, boxes) {
    const {
      sheet,
      wires: { points, start },
      colors,
    } = scene;
    const done = new Map();
    pen.strokeStyle = colors.paper;
    pen.lineWidth = 3;
    pen.font = FONTS.plain;
    pen.textAlign = "left";
    for (const wire of scene.grid.wires(seen.left, seen.top, seen.right, seen.bottom)) {
      const [x, y] = [points[start[wire]], points[start[wire] + 1]];
      if (y < seen.top - 20 || y > seen.bottom) continue;
      const said = scene.dims(wire);
      const near = done.get(y) || [];
      if (!said || near.some((other) => Math.abs(other - x) < 70)) continue; // one word at a place
      done.set(y, [...near, x]);
      pen.globalAlpha = scene.path && !scene.pathWires.has(wire) ? DIM : 1;
      const shown = text.fit(said, FONTS.plain, 110);
      pen.strokeText(shown, x + 5, y + 12); // a halo, where another line crosses
      pen.fillStyle = colors.muted;
      pen.fillText(shown, x + 5, y + 12);
    }
    pen.globalAlpha = 1;
  }

  // ---- what is chosen -------------------------------------------------------------------------

  function marks(pen, scene, view) {
    const { sheet, colors } = scene;
    for (const [box, wide] of [
      [scene.hover, 1.6],
      [scene.chosen, 3],
    ]) {
      if (box === undefined || box < 0 || box === null) continue;
      const by = wide / 2 + 1.5;
      pen.strokeStyle = colors.accent;
      pen.lineWidth = Math.max(wide, (wide * 0.8) / view.scale);
      pen.beginPath();
      pen.roundRect(
        sheet.x[box] - sheet.w[box] / 2 - by,
        sheet.y[box] - by,
        sheet.w[box] + 2 * by,
        sheet.h[box] + 2 * by,
        6,
      );
      pen.stroke();
    }
  }

  return { draw, FAR, NEAR };
})();
