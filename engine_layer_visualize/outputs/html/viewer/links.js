// Where the page stands, in its address: #engine=0&layer=12
//
// takes: the address's fragment, an engine's index and a node
// gives: both ways between them
// never: leaves the page

const links = (() => {
  function read() {
    const found = { engine: null, layer: null };
    for (const part of location.hash.slice(1).split("&")) {
      const [key, value] = part.split("=");
      if (key in found && /^\d+$/.test(value || "")) found[key] = Number(value);
    }
    return found;
  }

  const to = (engine, layer) => `#engine=${engine}${layer === null || layer === undefined ? "" : `&layer=${layer}`}`;

  function write(engine, layer) {
    const hash = to(engine, layer);
    if (location.hash === hash) return;
    try {
      history.replaceState(null, "", hash);
    } catch {
      location.replace(hash); // some browsers keep files from having a history
    }
  }

  return { read, write, to };
})();
