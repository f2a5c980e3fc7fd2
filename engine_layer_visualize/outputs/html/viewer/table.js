// The layers as a table: sorted, filtered, only the rows that are seen are made.
//
// takes: the app
// gives: a grid of the columns below, linked with the drawing
// never: makes more rows than fit the window

const table = (() => {
  const HEIGHT = 26;
  const SPARE = 8; // rows beyond the edge
  const right = "right";

  const COLUMNS = [
    { key: "index", title: "#", width: "56px", align: right, value: (e, n) => n },
    { key: "head", title: "Does", width: "minmax(120px, 1.2fr)", value: (e, n) => e.headline(n) },
    { key: "type", title: "Type", width: "minmax(90px, .8fr)", value: (e, n) => e.text(e.layers.type[n]) },
    { key: "name", title: "Name", width: "minmax(140px, 2.2fr)", value: (e, n) => e.name(n) },
    { key: "precision", title: "Precision", width: "90px", value: (e, n) => e.text(e.layers.dtype[n]) || "unknown" },
    {
      key: "dims",
      title: "Writes",
      width: "minmax(90px, .8fr)",
      value: (e, n) => (e.layers.out[n].length ? e.dims(e.layers.out[n][0]) : ""),
    },
    { key: "kernel", title: "Kernel", width: "minmax(90px, 1.2fr)", value: (e, n) => e.text(e.layers.kernel[n]) },
    {
      key: "bytes",
      title: "Moved",
      width: "82px",
      align: right,
      value: (e, n) => e.layers.bytes[n],
      said: (v) => numbers.bytes(v),
    },
    {
      key: "ms",
      title: "Time",
      width: "78px",
      align: right,
      value: (e, n) => e.layers.ms[n],
      said: (v) => numbers.milliseconds(v),
    },
    {
      key: "share",
      title: "Share",
      width: "66px",
      align: right,
      value: (e, n) => e.share(n),
      said: (v) => numbers.percent(v),
    },
    { key: "line", title: "Line", width: "76px", align: right, value: (e, n) => e.layers.line[n] },
  ];

  // The columns that hold something.
  function holding(app) {
    const { engine, colors } = app;
    const empty = (value) => value === null || value === "";
    const any = (column) => {
      for (let n = 0; n < engine.count; n++) if (!empty(column.value(engine, n, colors))) return true;
      return false;
    };
    return COLUMNS.filter(any);
  }

  const several = (engine) => engine.times.profiles.length > 1;

  // null stands last, whichever way the rest is sorted.
  function compare(a, b, way) {
    if (a === null || a === "") return b === null || b === "" ? 0 : 1;
    if (b === null || b === "") return -1;
    return way * (a < b ? -1 : a > b ? 1 : 0);
  }

  function on(app) {
    const place = dom.find("table");
    const state = { sort: "index", way: 1, words: "", kept: null, order: [], columns: COLUMNS };
    const filter = el("input", {
      type: "search",
      placeholder: "Filter",
      "aria-label": "Filter the table",
      spellcheck: "false",
      autocomplete: "off",
    });
    const count = el("span", { class: "muted", role: "status" });
    const chip = el("button", {
      type: "button",
      class: "chip",
      hidden: true,
      title: "Show all types and precisions again",
      on: {
        click: () => {
          state.kept = null;
          update();
        },
      },
    });
    const close = el(
      "button",
      { type: "button", class: "close", "aria-label": "Close the table", on: { click: () => app.showTable(false) } },
      "×",
    );
    const header = el("div", { class: "head", role: "row" });
    const spacer = el("div", { class: "spacer", role: "presentation" });
    const body = el(
      "div",
      { class: "body", tabindex: "0", role: "rowgroup", "aria-label": "Rows; up and down choose a layer" },
      spacer,
    );
    const grid_ = el("div", { class: "grid", role: "grid", "aria-label": "Layers" }, header, body);
    dom.fill(place, el("div", { class: "tools" }, el("h2", {}, "Layers"), filter, chip, count, close), grid_);

    function heads() {
      grid_.style.setProperty("--columns", state.columns.map((column) => column.width).join(" "));
      dom.fill(
        header,
        state.columns.map((column) => {
          const sorted = state.sort === column.key;
          return el(
            "div",
            {
              role: "columnheader",
              class: column.align || null,
              "aria-sort": sorted ? (state.way > 0 ? "ascending" : "descending") : "none",
            },
            el(
              "button",
              { type: "button", "data-key": column.key, on: { click: () => sortBy(column) } },
              column.title,
              sorted ? el("span", { "aria-hidden": "true" }, state.way > 0 ? " ↑" : " ↓") : null,
            ),
          );
        }),
      );
    }

    function sortBy(column) {
      const numeric = column.align === right && column.key !== "index" && column.key !== "line";
      if (state.sort === column.key) state.way = -state.way;
      else [state.sort, state.way] = [column.key, numeric ? -1 : 1];
      update();
      header.querySelector(`[data-key="${column.key}"]`).focus();
    }

    // The layers in the order shown.
    function order() {
      const { engine, colors } = app;
      const column = COLUMNS.find((each) => each.key === state.sort);
      let list = state.words
        ? (search.find(engine, state.words) || []).filter((n) => n < engine.count)
        : Array.from({ length: engine.count }, (_, n) => n);
      if (several(engine)) list = list.filter((n) => engine.here(n));
      if (state.kept) list = list.filter(state.kept.test);
      const values = new Map(list.map((n) => [n, column.value(engine, n, colors)]));
      return list.sort((a, b) => compare(values.get(a), values.get(b), state.way) || a - b);
    }

    function update() {
      heads();
      if (place.hidden) {
        state.stale = true;
        return;
      }
      state.stale = false;
      state.order = order();
      chip.hidden = !state.kept;
      chip.textContent = state.kept ? `${state.kept.label}  ×` : "";
      const { engine } = app;
      const { now } = engine;
      const whole = state.order.length === now.layers; // else the rows that were asked for, added up
      const ms = whole ? now.ms : state.order.reduce((sum, n) => sum + (engine.layers.ms[n] || 0), 0);
      const of = several(engine) ? ` of optimisation profile ${now.number}` : "";
      count.textContent = [
        `${numbers.grouped(state.order.length)} of ${numbers.count(now.layers, "layer")}${of}`,
        now.ms === null ? "" : numbers.about(engine.head, ms),
        now.of ? `shares are ${now.of}` : "",
      ]
        .filter(Boolean)
        .join(", ");
      spacer.style.height = `${state.order.length * HEIGHT}px`;
      grid_.setAttribute("aria-rowcount", String(state.order.length + 1));
      rows();
    }

    function rows() {
      const { engine, colors } = app;
      const first = Math.max(0, Math.floor(body.scrollTop / HEIGHT) - SPARE);
      const last = Math.min(state.order.length, Math.ceil((body.scrollTop + body.clientHeight) / HEIGHT) + SPARE);
      dom.fill(
        spacer,
        state.order.slice(first, last).map((n, at) => {
          const made = el(
            "div",
            {
              class: "line",
              role: "row",
              "aria-rowindex": String(first + at + 2),
              "aria-selected": String(n === app.chosen),
              "data-layer": String(n),
              style: { top: `${(first + at) * HEIGHT}px` },
              on: { click: () => app.choose(n) },
            },
            state.columns.map((column) => {
              const value = column.value(engine, n, colors);
              const said = value === null ? "" : column.said ? column.said(value) : String(value);
              return el(
                "div",
                {
                  role: "gridcell",
                  class: [column.align, column.key === "ms" ? "heat" : ""].filter(Boolean).join(" ") || null,
                  title: said.length > 14 ? said.slice(0, 600) : null,
                  dir: "ltr",
                },
                column.key === "precision"
                  ? el("i", { class: "wire", style: { background: colors.precisions[engine.layers.precision[n]][1] } })
                  : null,
                said.slice(0, 300),
              );
            }),
          );
          if (engine.share(n) !== null) {
            made.style.setProperty("--share", String(Math.min(1, engine.share(n) / engine.top)));
            made.style.setProperty("--heat", colors.heat(engine.share(n) / engine.top));
          }
          return made;
        }),
      );
    }

    function reveal(node) {
      if (place.hidden) return;
      const at = state.order.indexOf(node);
      if (at >= 0) {
        const top = at * HEIGHT;
        if (top < body.scrollTop || top + HEIGHT > body.scrollTop + body.clientHeight)
          body.scrollTop = top - body.clientHeight / 2;
      }
      rows();
    }

    let waiting = 0;
    body.addEventListener("scroll", () => {
      cancelAnimationFrame(waiting);
      waiting = requestAnimationFrame(rows);
    });
    let timer = 0;
    filter.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        state.words = filter.value;
        body.scrollTop = 0;
        update();
      }, 60);
    });
    body.addEventListener("keydown", (event) => {
      const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12, Home: -Infinity, End: Infinity }[event.key];
      if (by === undefined || !state.order.length) return;
      event.preventDefault();
      const now = state.order.indexOf(app.chosen);
      app.choose(state.order[Math.max(0, Math.min(state.order.length - 1, (now < 0 ? -1 : now) + by))]);
    });
    new ResizeObserver(() => {
      if (!place.hidden) rows();
    }).observe(body);
    return {
      update,
      reveal,
      order: () => (state.stale || !state.order.length ? order() : state.order),
      keep: (label, test) => {
        state.kept = test && { label, test };
        update();
      },
      shown: () => {
        update();
        reveal(app.chosen);
      },
      reset: () => {
        state.columns = holding(app);
        state.kept = null;
        state.words = filter.value = "";
        body.scrollTop = 0;
        update();
      },
    };
  }

  return { on, holding };
})();
