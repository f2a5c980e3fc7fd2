// Elements of the page.
//
// takes: tag names, attributes, texts
// gives: el(), which makes an element; find(), which gets one by its id
// never: parses markup: every text of a log goes through textContent or setAttribute

const dom = (() => {
  // el("a", {href: "#layer=1", on: {click}}, "text", child, …); null children are left out.
  function el(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (key === "on") for (const [event, call] of Object.entries(value)) made.addEventListener(event, call);
      else if (key === "style") for (const [name, said] of Object.entries(value)) made.style.setProperty(name, said);
      else if (key === "href" && !String(value).startsWith("#")) throw new Error("links stay on the page");
      else made.setAttribute(key, value === true ? "" : value);
    }
    for (const child of children.flat()) {
      if (child !== null && child !== undefined && child !== false) made.append(child);
    }
    return made;
  }

  // A text whose numbers stay on one line with their units.
  function kept(said) {
    return said
      .split(/(\d[\d.,]* (?:%|[nmµ]?s|[KMG]iB|B)(?![\w]))/)
      .map((part, at) => (at % 2 ? el("span", { class: "kept" }, part) : part))
      .filter(Boolean);
  }

  const find = (id) => document.getElementById(id);

  function fill(parent, ...children) {
    parent.replaceChildren(
      ...children.flat().filter((child) => child !== null && child !== undefined && child !== false),
    );
    return parent;
  }

  const json = (name) => [...document.querySelectorAll(`script.${name}`)];
  const parsed = (element) => JSON.parse(element.textContent);

  return { el, kept, find, fill, json, parsed };
})();
const { el } = dom;
