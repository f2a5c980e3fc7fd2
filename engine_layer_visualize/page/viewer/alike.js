// @ts-check
// A word and those that there are -> the one that was meant, as core/wrong_values.py finds it.

/**
 * Empty where none is near.
 * @param {string} word in small letters, as are the others
 * @param {string[]} known
 * @param {number} alike of two words, from 0 to 1
 */
export function nearest(word, known, alike) {
  const longer = known.find((name) => name.startsWith(word));
  if (longer) return longer;
  const near = known.map((name) => ({ name, ratio: (2 * common(name, word)) / (name.length + word.length) }));
  near.sort((a, b) => b.ratio - a.ratio || (a.name < b.name ? 1 : -1));
  return near[0].ratio >= alike ? near[0].name : "";
}

/**
 * How many letters both have in the same order, as Python's `difflib` counts them: the longest run that both have,
 * of several the first, and what both have on either side of it.
 * @param {string} a
 * @param {string} b
 * @returns {number}
 */
function common(a, b) {
  let [longest, inA, inB] = [0, 0, 0];
  for (let i = 0; i < a.length; i++)
    for (let j = 0; j < b.length; j++) {
      let length = 0;
      while (i + length < a.length && a[i + length] === b[j + length]) length++;
      if (length > longest) [longest, inA, inB] = [length, i, j];
    }
  if (!longest) return 0;
  return longest + common(a.slice(0, inA), b.slice(0, inB)) + common(a.slice(inA + longest), b.slice(inB + longest));
}
