// The page: what is chosen, and who hears of it.
//
// takes: the data elements
// gives: the app: choose(), toggle(), filter() …, keys, the address
// never: lays out or draws itself

const app = (() => {
  const heads = dom.json("engine-head");
  const bodies = dom.json("engine-data");
  const look = dom.parsed(dom.json("look")[0]);
  const MANY = 1500; // layers, above which repeated blocks are folded at first
  const kept = new Map(); // engines that were opened
  const canvas = dom.find("sheet");
  const pen = canvas.getContext("2d", { alpha: false });
  const self = {
    look,
    engine: null,
    sheet: null,
    scene: null,
    colors: null,
    mode: "time",
    chosen: null,
    folded: new Set(),
    oneColumn: false,
    hits: null,
  };
  const cam = camera.on(canvas, () => {
    ask();
    map.frame();
  });
  const map = minimap.on(dom.find("map"), cam);
  let asked = 0;

  // ---- drawing --------------------------------------------------------------------------------

  function ask() {
    asked ||= requestAnimationFrame(() => {
      asked = 0;
      draw();
    });
  }

  function draw() {
    if (self.scene) paint.draw(pen, self.scene, cam.view, self.ratio);
  }

  function size() {
    self.ratio = Math.min(3, devicePixelRatio || 1);
    const [w, h] = [canvas.clientWidth, canvas.clientHeight];
    [canvas.width, canvas.height] = [Math.round(w * self.ratio), Math.round(h * self.ratio)];
    [cam.view.width, cam.view.height] = [w, h];
    cam.view.margins = { top: 18, left: 18, right: 18, bottom: dom.find("legend").offsetHeight + 14 };
    cam.view.least = self.sheet
      ? Math.min(0.2, 0.6 * Math.min(w / Math.max(1, self.sheet.width), h / Math.max(1, self.sheet.height)))
      : 0.05;
    draw();
  }

  // Rows -> columns -> wires. `keep`: the box of this node stays where it is in the window.
  function lay(keep) {
    const was = keep === undefined ? null : place(keep);
    const arranged = rows.arrange(self.engine, self.folded);
    const aspect = self.oneColumn
      ? null
      : Math.max(0.5, (canvas.clientWidth || 1200) / Math.max(200, (canvas.clientHeight || 700) - 40));
    self.sheet = fold.fold(arranged, aspect, scenes.spans(self.engine, arranged, self.folded));
    self.sheet.frames = scenes.frames(self.engine, self.sheet, self.folded);
    self.wires = route.route(self.sheet, self.engine);
    cam.view.sheet = { width: self.sheet.width, height: self.sheet.height };
    recolor();
    size();
    if (was) {
      const now = place(keep);
      cam.set(cam.view.x + now.x - was.x, cam.view.y + now.y - was.y, cam.view.scale);
    }
  }

  function place(node) {
    const box = self.sheet.of[node];
    return { x: self.sheet.x[box], y: self.sheet.y[box] };
  }

  function recolor() {
    self.scene = scenes.scene(self.engine, self.sheet, self.wires, self.colors, self.mode);
    mark();
    map.show(self.scene);
    const { entries, scale } = scenes.legend(self.scene);
    dom.fill(dom.find("legend"), legend.line(self.colors, entries, scale));
    ask();
  }

  // What the painter needs to know of hits and of the chosen node's path.
  function mark() {
    const { scene, sheet, engine } = self;
    scene.hits = self.hits && new Set(self.hits.map((node) => sheet.of[node]));
    scene.chosen = self.chosen === null ? -1 : sheet.of[self.chosen];
    scene.path = self.chosen === null ? null : engines.path(engine, self.chosen);
    scene.leaps = scene.jumps;
    if (scene.path) {
      scene.pathBoxes = new Set([...scene.path.nodes].map((node) => sheet.of[node]));
      scene.pathWires = new Set();
      for (const edge of scene.path.edges) {
        const wire = self.wires.wireOf[edge];
        if (wire >= 0) scene.pathWires.add(wire);
      }
      const beside = [...engine.into(self.chosen), ...engine.out(self.chosen)];
      scene.ownWires = new Set(beside.map((edge) => self.wires.wireOf[edge]));
      const own = beside.filter(scene.cut).slice(0, 40);
      scene.leaps = [
        ...scene.jumps,
        ...own.map((edge) => [
          sheet.of[engine.edges.from[edge]],
          sheet.of[engine.edges.to[edge]],
          scene.edgeColor(edge),
        ]),
      ];
    }
    ask();
  }

  // ---- what the page can do -------------------------------------------------------------------

  function choose(node, go = true) {
    if (node !== null && !(node >= 0 && node < self.engine.nodes)) return;
    self.chosen = node;
    if (node !== null) reveal(node);
    mark();
    panel.show(self, node);
    links.write(self.engine.head.index, node !== null && self.engine.isLayer(node) ? node : null);
    self.table.reveal(node);
    if (node !== null && go) show(node);
    dom.find("panel").classList.toggle("open", node !== null);
  }

  // Unfolds what a node is folded into.
  function reveal(node) {
    const inside = [...self.folded].filter((g) => self.engine.groups[g].nodes.includes(node));
    if (!inside.length) return;
    for (const g of inside) self.folded.delete(g);
    lay(node);
    blocks();
  }

  // Brings a node into the window, near enough to be read.
  function show(node) {
    const box = self.sheet.of[node];
    const { view } = cam;
    const scale = Math.max(view.scale, 0.8);
    const [x, y] = [(self.sheet.x[box] - view.x) * view.scale, (self.sheet.y[box] - view.y) * view.scale];
    const inside = x > 120 && x < view.width - 120 && y > 30 && y < view.height - 80;
    if (inside && scale === view.scale) return;
    cam.glide(self.sheet.x[box] - view.width / 2 / scale, self.sheet.y[box] + 20 - view.height / 2 / scale, scale);
  }

  function toggle(group) {
    const node = self.engine.groups[group].nodes[0];
    if (self.folded.has(group)) self.folded.delete(group);
    else self.folded.add(group);
    lay(node);
    panel.show(self, self.chosen);
    blocks();
  }

  // The repeated blocks; the optimisation profiles where there are no others.
  function foldable() {
    const all = self.engine.groups.map((_, g) => g);
    const inner = all.filter((g) => !self.engine.groups[g].outer);
    return inner.length ? inner : all;
  }

  function toggleAll() {
    self.folded = self.folded.size ? new Set() : new Set(foldable());
    lay();
    cam.all();
    panel.show(self, self.chosen);
    blocks();
  }

  function blocks() {
    const button = dom.find("blocks");
    button.hidden = !self.engine.groups.length;
    button.textContent = self.folded.size ? "Unfold blocks" : "Fold blocks";
  }

  function showHits(found) {
    self.hits = found;
    mark();
  }

  function filter(column, value) {
    const { engine } = self;
    const own = engine.layers[column]; // numbers of texts; nothing and no text are the same
    showTable(true);
    self.table.keep(engine.text(value) || (column === "type" ? "(no type)" : "unknown"), (n) => engine.text(own[n]) === engine.text(value));
  }

  function showTable(yes) {
    dom.find("table").hidden = !yes;
    dom.find("show-table").setAttribute("aria-pressed", String(yes));
    size();
    if (yes) self.table.shown();
    else canvas.focus({ preventScroll: true });
  }

  function colorBy(mode) {
    self.mode = mode;
    dom.find("color").value = mode;
    recolor();
    panel.show(self, self.chosen);
  }

  function dark(yes) {
    self.colors = palette.of(look, yes);
    palette.apply(self.colors);
    dom.find("dark").setAttribute("aria-pressed", String(yes));
    if (!self.engine) return;
    recolor();
    panel.show(self, self.chosen);
    self.table.update();
  }

  // ---- engines --------------------------------------------------------------------------------

  const numberOf = (index) =>
    Math.max(
      0,
      heads.findIndex((head) => dom.parsed(head).index === index),
    );

  function open(number, layer) {
    const head = dom.parsed(heads[number]);
    if (!kept.has(number)) kept.set(number, engines.decode(head, dom.parsed(bodies[number])));
    self.engine = kept.get(number);
    self.chosen = null;
    self.hits = null;
    self.folded = new Set(self.engine.count > MANY ? foldable() : []);
    dom.find("engines").value = String(number);
    const { profiles } = self.engine.times;
    dom.find("profile-switch").hidden = profiles.length < 2;
    dom.fill(
      dom.find("profile"),
      profiles.map((one, at) =>
        el("option", { value: String(at) }, [String(one.number), one.total].filter(Boolean).join(": ")),
      ),
    );
    dom.find("profile").value = String(self.engine.shown);
    title();
    self.mode = self.engine.timed ? "time" : "type";
    dom.fill(
      dom.find("color"),
      scenes.MODES.filter(([mode]) => mode !== "time" || self.engine.timed)
        .filter(([mode]) => mode !== "memory" || self.engine.largest)
        .map(([mode, words]) => el("option", { value: mode }, words)),
    );
    if ([...dom.find("color").options].some((option) => option.value === look.color)) self.mode = look.color;
    dom.find("color").value = self.mode;
    blocks();
    lay();
    cam.all(cam.set);
    self.table.reset();
    if (layer !== null && layer < self.engine.count) choose(layer);
    else choose(null);
  }

  function title() {
    const { head, now, times } = self.engine;
    const of = times.profiles.length > 1 ? `profile ${now.number}` : "";
    const said = [
      `Engine ${head.index} of ${text.fit(head.name, text.FONTS.bold, 220)}`,
      numbers.count(head.layers, "layer"),
      [of, now.total].filter(Boolean).join(": "),
      now.brief,
      head.tensorrt ? `TensorRT ${head.tensorrt}` : "",
      head.file,
    ];
    dom.fill(
      dom.find("title"),
      el("b", { title: [...said.slice(0, 3), now.coverage].filter(Boolean).join("  ·  ") }, said.slice(0, 4).filter(Boolean).join("  ·  ")),
      el("span", {}, said.slice(4).filter(Boolean).join("  ·  ")),
    );
    document.title = `${head.name}: engine ${head.index}`;
    canvas.setAttribute(
      "aria-label",
      [...said.slice(0, 4), numbers.count(head.edges, "edge")].filter(Boolean).join(", "),
    );
  }

  // Totals, shares, rankings, table and heat of another optimisation profile; all stay drawn.
  function profile(at) {
    self.engine.shown = at;
    title();
    recolor();
    panel.show(self, self.chosen);
    self.table.update();
  }

  function keys(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "Escape") {
      if (typing) event.target.blur();
      else if (self.hits) self.search.clear();
      else if (self.chosen !== null) choose(null);
      return;
    }
    if (typing) return;
    const step = (by) =>
      choose(
        self.chosen === null
          ? by > 0
            ? 0
            : self.engine.count - 1
          : Math.max(0, Math.min(self.engine.count - 1, self.chosen + by)),
      );
    const calls = {
      "/": () => self.search.focus(),
      "+": () => cam.zoom(1.3, undefined, undefined, true),
      "=": () => cam.zoom(1.3, undefined, undefined, true),
      "-": () => cam.zoom(1 / 1.3, undefined, undefined, true),
      0: () => cam.all(),
      n: () => step(1),
      p: () => step(-1),
      t: () => showTable(dom.find("table").hidden),
      b: () => self.engine.groups.length && toggleAll(),
    };
    if (!calls[event.key]) return;
    event.preventDefault();
    calls[event.key]();
  }

  function start() {
    Object.assign(self, { numbers, choose, toggle, toggleAll, filter, showHits, showTable, cam });
    self.colors = palette.of(look, look.first === "dark" || matchMedia("(prefers-color-scheme: dark)").matches);
    self.table = table.on(self);
    self.search = search.on(self);
    const list = dom.find("engines");
    dom.fill(
      list,
      heads.map((each, number) => {
        const head = dom.parsed(each);
        return el("option", { value: String(number) }, `Engine ${head.index}: ${numbers.count(head.layers, "layer")}`);
      }),
    );
    dom.find("switch").hidden = heads.length < 2;
    list.addEventListener("change", () => {
      self.search.clear();
      open(Number(list.value), null);
    });
    dom.find("color").addEventListener("change", (event) => colorBy(event.target.value));
    dom.find("profile").addEventListener("change", (event) => profile(Number(event.target.value)));
    dom.find("columns").addEventListener("change", (event) => {
      self.oneColumn = event.target.value === "1";
      lay();
      if (self.oneColumn)
        (cam.fit(0, 0, self.sheet.width, 1, 1, cam.set), cam.set(cam.view.x, -24 / cam.view.scale, cam.view.scale));
      else cam.all(cam.set);
    });
    dom.find("blocks").addEventListener("click", toggleAll);
    dom.find("show-table").addEventListener("click", () => showTable(dom.find("table").hidden));
    dom.find("dark").addEventListener("click", () => dark(!self.colors.dark));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => dark(event.matches));
    for (const [id, call] of [
      ["in", () => cam.zoom(1.4, undefined, undefined, true)],
      ["out", () => cam.zoom(1 / 1.4, undefined, undefined, true)],
      ["all", () => cam.all()],
    ])
      dom.find(id).addEventListener("click", call);
    addEventListener("keydown", keys);
    addEventListener("hashchange", () => {
      const { engine, layer } = links.read();
      const number =
        engine === null
          ? heads.findIndex((head) => dom.parsed(head).index === self.engine.head.index)
          : numberOf(engine);
      if (dom.parsed(heads[number]).index !== self.engine.head.index) open(number, layer);
      else if (layer !== self.chosen) choose(layer);
    });
    dark(self.colors.dark);
    const { engine, layer } = links.read();
    open(engine === null ? 0 : numberOf(engine), layer);
    new ResizeObserver(size).observe(canvas);
    pointing.on(self, canvas, ask);
    printing.on(self);
  }

  start();
  performance.mark("ready");
  document.documentElement.dataset.ready = "yes";
  return self;
})();
// For tests and the curious: the app under a name.
globalThis.engineLayers = app;
