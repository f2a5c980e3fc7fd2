// @ts-check
// Bytes -> a file that the browser saves.

const KEPT = 60_000; // milliseconds that a file can be fetched

/**
 * @param {Blob} blob
 * @param {string} name
 */
export function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT);
}

/** A name as a part of a file's name. @param {string} name */
export const safe = (name) => name.replace(/[^\w.-]+/g, "_").slice(0, 80);
