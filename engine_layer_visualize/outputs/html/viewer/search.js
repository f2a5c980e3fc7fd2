// Search as you type.
//
// takes: words
// gives: the nodes that hold all of them, and in which of their texts
// never: reads a word as a pattern

const search = (() => {
  const SHOWN = 100;

  // All texts of a node in one lower-case line each, made at the first search.
  function index(engine) {
    let lines = null;
    const names = (numbersOf) => numbersOf.map((tensor) => engine.text(engine.tensors.name[tensor])).join("\n");
    return () =>
      (lines ??= Array.from({ length: engine.nodes }, (_, node) =>
        fields(engine, node, names)
          .map(([, said]) => said)
          .join("\n")
          .toLowerCase(),
      ));
  }

  function fields(engine, node, names) {
    if (!engine.isLayer(node)) return [["tensor", engine.name(node)]];
    const { layers, text } = engine;
    return [
      ["name", text(layers.name[node])],
      ["type", text(layers.type[node])],
      ["what it does", text(layers.head[node])],
      ["kernel", text(layers.kernel[node])],
      ["ONNX node", (layers.onnx.get(node) || []).map(text).join("\n")],
      ["tensor", names(layers.in[node]) + "\n" + names(layers.out[node])],
      ["tactic", text(layers.tactic[node])],
      ["record", layers.raw.has(node) ? text(layers.raw.get(node)) : ""],
    ];
  }

  function find(engine, words) {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    if (!wanted.length) return null;
    engine.searched ??= index(engine);
    const lines = engine.searched();
    const found = [];
    for (let node = 0; node < lines.length; node++)
      if (wanted.every((word) => lines[node].includes(word))) found.push(node);
    return found;
  }

  // Which text of a node holds the first word, and that text from a little before it.
  function where(engine, node, words) {
    const word = words.toLowerCase().split(/\s+/).find(Boolean) || "";
    const names = (list) => list.map((tensor) => engine.text(engine.tensors.name[tensor])).join("\n");
    for (const [field, said] of fields(engine, node, names)) {
      for (const line of said.split("\n")) {
        const at = line.toLowerCase().indexOf(word);
        if (at < 0) continue;
        const from = at > 30 ? at - 24 : 0;
        return [field, (from ? "…" : "") + line.slice(from, from + 160)];
      }
    }
    return ["", ""];
  }

  function on(app) {
    const input = dom.find("search");
    const box = dom.find("found");
    const list = dom.find("hits");
    const count = dom.find("hit-count");
    let hits = [];
    let at = -1;

    function run() {
      const found = find(app.engine, input.value);
      hits = found || [];
      at = -1;
      app.showHits(found);
      open(found !== null);
      if (found === null) return;
      count.textContent = hits.length
        ? `${numbers.grouped(hits.length)} found${hits.length > SHOWN ? `, the first ${SHOWN} listed` : ""}`
        : "nothing found";
      dom.fill(list, hits.slice(0, SHOWN).map(entry));
      input.removeAttribute("aria-activedescendant");
    }

    function entry(node, number) {
      const [field, said] = where(app.engine, node, input.value);
      const head = app.engine.isLayer(node) ? `${node}  ${app.engine.headline(node)}` : app.engine.headline(node);
      const item = el(
        "li",
        {
          id: `hit-${number}`,
          role: "option",
          "aria-selected": "false",
          on: {
            mousedown: (event) => {
              event.preventDefault();
              pick(number);
              close();
            },
          },
        },
        el("b", {}, head),
        el("span", { class: "where" }, field),
        el("span", { class: "what", dir: "ltr" }, said),
      );
      return item;
    }

    function open(yes) {
      box.hidden = !yes;
      input.setAttribute("aria-expanded", String(yes));
    }
    const close = () => open(false);

    // To the number-th hit; beyond the list as well.
    function pick(number) {
      if (!hits.length) return;
      at = (number + hits.length) % hits.length;
      for (const item of list.children) item.setAttribute("aria-selected", String(item.id === `hit-${at}`));
      const item = dom.find(`hit-${at}`);
      if (item) {
        item.scrollIntoView({ block: "nearest" });
        input.setAttribute("aria-activedescendant", item.id);
      }
      count.textContent = `${numbers.grouped(at + 1)} of ${numbers.grouped(hits.length)}`;
      app.choose(hits[at]);
    }

    let timer = 0;
    input.addEventListener("input", () => {
      clearTimeout(timer);
      if (app.engine.nodes > 3000) timer = setTimeout(run, 90);
      else run();
    });
    input.addEventListener("focus", () => {
      if (input.value) open(true);
    });
    input.addEventListener("blur", close);
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        if (box.hidden) open(Boolean(hits.length));
        pick(event.key === "ArrowUp" || event.shiftKey ? (at < 0 ? -1 : at - 1) : at + 1);
      } else if (event.key === "Escape") {
        event.preventDefault();
        event.stopPropagation();
        if (!box.hidden && hits.length) close();
        else {
          input.value = "";
          run();
          dom.find("sheet").focus();
        }
      }
    });
    return {
      set: (words) => {
        input.value = words;
        run();
        close();
      },
      clear: () => {
        input.value = "";
        run();
      },
      focus: () => {
        input.focus();
        input.select();
      },
    };
  }

  return { on, find };
})();
