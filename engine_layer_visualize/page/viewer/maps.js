// @ts-check
// Maps of lists: a value is appended to a list that need not be there yet; a key that must be there is looked up.

/**
 * @template K, V
 * @param {Map<K, V[]>} lists
 * @param {K} key
 * @param {V} value
 */
export function append(lists, key, value) {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/**
 * @template K, V
 * @param {Map<K, V>} map
 * @param {K} key
 */
export function at(map, key) {
  const found = map.get(key);
  if (found === undefined) throw new Error(`nothing is kept for ${key}`);
  return found;
}

/**
 * start, length, start, length … -> numbers
 * @param {number[]} spans
 */
export function numbersOf(spans) {
  const found = [];
  for (let at = 0; at < spans.length; at += 2) {
    for (let n = 0; n < spans[at + 1]; n++) found.push(spans[at] + n);
  }
  return found;
}
