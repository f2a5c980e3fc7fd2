// Every engine of a page, laid out at several scales -> what of its drawing touches: words with words, lines, dots;
// which dims stand at the line of another tensor; and which boxes stand on the frame of a group that is not theirs.
// It takes the place of the canvas and keeps what is drawn where.

const PAD = 0.5; // by which a text may come near to its neighbours

class Kept {
  texts = [];
  lines = [];
  dots = [];
  #path = [];
  #round = null;
  #at = [0, 0];

  setTransform() {}
  setLineDash() {}
  fillRect() {}
  strokeRect() {}
  strokeText() {}
  save() {}
  restore() {}
  closePath() {}

  beginPath() {
    [this.#path, this.#round] = [[], null];
  }
  moveTo(x, y) {
    this.#at = [x, y];
  }
  lineTo(x, y) {
    this.#path.push([...this.#at, x, y]);
    this.#at = [x, y];
  }
  arcTo(x, y, u, v) {
    this.lineTo(x, y);
    this.lineTo(...[x + Math.sign(u - x) * 0.01, y + Math.sign(v - y) * 0.01]);
  }
  quadraticCurveTo(x, y, u, v) {
    this.lineTo(x, y);
    this.lineTo(u, v);
  }
  bezierCurveTo(a, b, c, d, x, y) {
    this.lineTo(x, y);
  }
  arc() {}
  rect() {}
  roundRect(x, y, w, h, radius) {
    this.#round = { left: x, top: y, right: x + w, bottom: y + h, dot: w === h && radius === w / 2 };
  }
  fill() {
    if (this.#round?.dot) this.dots.push(this.#round);
  }
  stroke() {
    if (!this.#round) this.lines.push(...this.#path);
  }
  fillText(words, x, y) {
    const wide = Kept.width(words, this.font);
    const size = Number(/([\d.]+)px/.exec(this.font)[1]);
    const left = this.textAlign === "right" ? x - wide : this.textAlign === "center" ? x - wide / 2 : x;
    this.texts.push({ words, left, right: left + wide, top: y - size * 0.72, bottom: y + size * 0.18, foot: y });
  }
}
const canvas = document.createElement("canvas").getContext("2d");
Kept.width = (words, font) => {
  canvas.font = font;
  return canvas.measureText(words).width;
};

const meet = (a, b) =>
  a.left < b.right - PAD && b.left < a.right - PAD && a.top < b.bottom - PAD && b.top < a.bottom - PAD;

/** What touches a text among things that are sorted by their tops. */
function touching(texts, things, said) {
  const found = [];
  const sorted = [...things].sort((a, b) => a.top - b.top);
  const tallest = sorted.reduce((most, { top, bottom }) => Math.max(most, bottom - top), 0);
  for (const text of texts) {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle].top < text.top - tallest) low = middle + 1;
      else high = middle;
    }
    for (; low < sorted.length && sorted[low].top < text.bottom; low++)
      if (sorted[low] !== text && meet(text, sorted[low])) found.push(said(text, sorted[low]));
  }
  return found;
}

/** Dims to which a line with others is as near as their own, or is the one that passes beside their foot. */
function misread(scene, texts) {
  const { grid } = scene;
  const { points, start, count } = scene.routes;
  const known = new Set(Array.from({ length: count }, (_, route) => scene.dims(route)));
  const begins = (route) => `${points[start[route]]} ${points[start[route] + 1]}`;
  const found = [];
  for (const { words, left, right, foot } of texts) {
    if (!known.has(words) || grid.boxes(left, foot, right, foot).length) continue;
    const near = grid.routes(left - 30, foot - 30, right + 30, foot + 30);
    const own = new Set(near.filter((route) => scene.dims(route) === words).map(begins));
    const [apart, beside] = [[Infinity, Infinity], [[], []]]; // of the others, of its own; at the left, at the right
    for (const route of near)
      for (let at = start[route]; at + 3 < start[route + 1]; at += 2) {
        const is = Number(own.has(begins(route)));
        const [x, u] = [points[at], points[at + 2]].sort((a, b) => a - b);
        const [y, v] = [points[at + 1], points[at + 3]].sort((a, b) => a - b);
        const across = Math.max(x - right, left - u, 0);
        apart[is] = Math.min(apart[is], Math.hypot(across, Math.max(y - foot, foot - 8 - v, 0)));
        if (y < foot - 1 && v > foot - 1 && across < 12) beside[Number(x > right)].push([across, is]);
      }
    const next = beside.map((side) => side.sort((a, b) => a[0] - b[0] || b[1] - a[1])[0]?.[1]);
    if (apart[0] < 1.2 * apart[1] || next.includes(0)) found.push(`${words} at a line with other dims`);
  }
  return { dims: texts.filter(({ words }) => known.has(words)).length, found };
}

/** Boxes on a frame; those of its group, and of inputs and outputs whose layers are all its own, are none. */
function strangers({ engine, folded, frames }) {
  const { edges, groups } = engine;
  return frames.flatMap(({ group, x, y, w, h }) => {
    const { members, owner, label } = groups[group];
    const own = new Set([...members, owner]);
    const boxes = new Set(Array.from(own, (node) => folded.of[node]));
    const isOwn = (box) => {
      const node = folded.node[box];
      if (boxes.has(box) || node < 0 || engine.isLayer(node) || engine.isInner(node)) return boxes.has(box);
      const [out, into] = [Array.from(engine.out(node)), Array.from(engine.into(node))];
      return [...out.map((edge) => edges.to[edge]), ...into.map((edge) => edges.from[edge])].every((n) => own.has(n));
    };
    const meets = (box) =>
      Math.abs(folded.x[box] - x - w / 2) < (folded.w[box] + w) / 2 &&
      folded.y[box] < y + h &&
      y < folded.y[box] + folded.h[box];
    return Array.from({ length: folded.size }, (_, box) => box)
      .filter((box) => meets(box) && !isOwn(box))
      .map((box) => `box ${box} on the frame of ${label}`);
  });
}

function collisions(app, scale) {
  const { drawing, folded } = app;
  const kept = new Kept();
  const was = { ...drawing.cam.view };
  Object.assign(drawing.cam.view, { x: 0, y: 0, scale, width: folded.width * scale, height: folded.height * scale });
  drawing.scene.point(-1, []);
  drawing.paintOn(kept);
  Object.assign(drawing.cam.view, was);
  const lines = kept.lines.map(([x, y, u, v]) => ({
    left: Math.min(x, u) - 1,
    right: Math.max(x, u) + 1,
    top: Math.min(y, v) - 1,
    bottom: Math.max(y, v) + 1,
  }));
  const long = lines.filter(({ top, bottom }) => bottom - top > 400); // few, and they would slow the search
  const short = lines.filter(({ top, bottom }) => bottom - top <= 400);
  const line = ({ words }) => `a line through ${words}`;
  const { dims, found: others } = misread(drawing.scene, kept.texts);
  const found = [
    ...others,
    ...touching(kept.texts, kept.texts, (a, b) => `${a.words} on ${b.words}`),
    ...touching(kept.texts, kept.dots, ({ words }) => `a dot on ${words}`),
    ...touching(kept.texts, short, line),
    ...kept.texts.flatMap((text) => (long.some((one) => meet(text, one)) ? [line(text)] : [])),
  ];
  return { texts: kept.texts.length, dims, found };
}

const [scales, limit, done] = arguments;
const app = globalThis.engineLayers;
const list = document.getElementById("engines");
const told = [];
for (const { value } of list.options) {
  list.value = value;
  list.dispatchEvent(new Event("change"));
  for (const open of app.engine.count <= limit ? [false, true] : [false]) {
    if (open)
      for (const group of app.engine.groups.keys()) {
        const around = app.engine.groups.map(({ members }) => members.includes(app.engine.groups[group].members[0]));
        app.levels.collapse(new Set(around.flatMap((yes, g) => (yes ? [] : [g]))));
        told.push({ engine: Number(value), scale: `group ${group}`, found: strangers(app) });
      }
    if (open) app.levels.collapse(new Set());
    told.push({ engine: Number(value), scale: open ? "all open" : "first", found: strangers(app) });
    for (const scale of scales) told.push({ engine: Number(value), open, scale, ...collisions(app, scale) });
  }
}
done(told);
