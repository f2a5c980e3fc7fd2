// @ts-check
// Ascending whole numbers <-> a short text for the address: `3-7,12`.

/** @param {number[]} list @returns {string} */
export function ranges(list) {
  /** @type {[number, number][]} */
  const found = [];
  for (const n of list) {
    const last = found.at(-1);
    if (last && last[1] === n - 1) last[1] = n;
    else found.push([n, n]);
  }
  return found.map(([a, b]) => (a === b ? String(a) : `${a}-${b}`)).join(",");
}

/**
 * The numbers of ranges below `end`; null: no such text.
 * @param {string} text
 * @param {number} end
 */
export function ranged(text, end) {
  const list = [];
  for (const part of text.split(",")) {
    const [, a, b = a] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part) ?? [];
    if (a === undefined || Number(b) >= end) return null;
    for (let n = Number(a); n <= Number(b); n++) list.push(n);
  }
  return list;
}
