// @ts-check
// The engine and the layer that are open -> the address's fragment, #engine=0&layer=12, and back.

export function read() {
  const parts = new URLSearchParams(location.hash.slice(1));
  /** @param {string} key */
  const number = (key) => (/^\d+$/.test(parts.get(key) ?? "") ? Number(parts.get(key)) : null);
  return { engine: number("engine"), layer: number("layer") };
}

/**
 * @param {number} engine
 * @param {number | null} layer
 */
export const to = (engine, layer) => `#engine=${engine}${layer === null ? "" : `&layer=${layer}`}`;

/**
 * @param {number} engine
 * @param {number | null} layer
 */
export function write(engine, layer) {
  const hash = to(engine, layer);
  if (location.hash === hash) return;
  try {
    history.replaceState(null, "", hash);
  } catch {
    location.replace(hash); // some browsers keep files from having a history
  }
}
