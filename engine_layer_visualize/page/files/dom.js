// @ts-check
// Elements: found, made, filled. Text is always text: no name of a file or of a log becomes markup.

/**
 * @template {Element} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
export function find(id, type) {
  const found = document.getElementById(id);
  if (found instanceof type) return found;
  throw new Error(`no ${id}`);
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string>} [attributes]
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** @param {string} label @param {() => void} click @param {Record<string, string>} [attributes] */
export function button(label, click, attributes = {}) {
  const made = el("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", click);
  return made;
}

/** Saves bytes as a file; gives a link that does it again, where the browser refused. @param {BlobPart} bytes @param {string} name */
export function save(bytes, name) {
  const link = el("a", { href: URL.createObjectURL(new Blob([bytes])), download: name }, name);
  link.click();
  return link;
}

/** @param {number} bytes */
export function megabytes(bytes) {
  const value = bytes / 1e6;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} MB`;
}
