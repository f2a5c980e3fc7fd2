// What goes to the printer: the whole drawing on one sheet, then the table.
//
// takes: the app, when the browser is about to print
// gives: the elements of #paper, in light colours
// never: stays in the page afterwards

const printing = (() => {
  const ASPECT = 1.55; // of what is left of a landscape page below the title
  const WIDE = 5200; // pixels
  const MOST = 2000; // rows

  function drawing(app) {
    const colors = palette.of(app.look, false);
    const arranged = rows.arrange(app.engine, app.folded);
    const sheet = fold.fold(arranged, ASPECT, scenes.spans(app.engine, arranged, app.folded));
    sheet.frames = scenes.frames(app.engine, sheet, app.folded);
    const scene = scenes.scene(app.engine, sheet, route.route(sheet, app.engine), colors, app.mode);
    const margin = 14;
    const [w, h] = [sheet.width + 2 * margin, sheet.height + 2 * margin];
    const scale = Math.min(3, WIDE / w, ((WIDE / ASPECT) * 1.3) / h);
    const canvas = el("canvas", { role: "img", "aria-label": "The engine" });
    [canvas.width, canvas.height] = [Math.ceil(w * scale), Math.ceil(h * scale)];
    paint.draw(
      canvas.getContext("2d"),
      scene,
      { x: -margin, y: -margin, scale, width: w * scale, height: h * scale },
      1,
    );
    const { entries, scale: ticks } = scenes.legend(scene);
    return [canvas, legend.line(colors, entries, ticks)];
  }

  function listing(app) {
    const { engine } = app;
    const colors = palette.of(app.look, false);
    const list = app.table.order();
    const columns = table.holding(app).filter((column) => column.key !== "kernel");
    const cell = (column, n) => {
      const value = column.value(engine, n, colors);
      return el(
        "td",
        { class: column.key === "name" ? "long" : column.align || null },
        value === null ? "" : (column.said ? column.said(value) : String(value)).slice(0, 240),
      );
    };
    return [
      el(
        "table",
        {},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            columns.map((column) => el("th", { class: column.align || null }, column.title)),
          ),
        ),
        el(
          "tbody",
          {},
          list.slice(0, MOST).map((n) =>
            el(
              "tr",
              {},
              columns.map((column) => cell(column, n)),
            ),
          ),
        ),
      ),
      list.length > MOST
        ? el(
            "p",
            {},
            `The first ${numbers.grouped(MOST)} of ${numbers.grouped(list.length)} layers, in the order of the page's table.`,
          )
        : null,
    ];
  }

  function on(app) {
    const place = dom.find("paper");
    addEventListener("beforeprint", () => {
      dom.fill(
        place,
        el("h1", {}, [...dom.find("title").children].map((part) => part.textContent).join("  ·  ")),
        ...drawing(app),
        ...listing(app),
      );
    });
    addEventListener("afterprint", () => dom.fill(place));
  }

  return { on };
})();
