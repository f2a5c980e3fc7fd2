// @ts-check
// Keeps all files of the site, so that it opens without a network. `web/build.py` writes the two constants.

const VERSION = "[[version]]";
const FILES = /** @type {string[]} */ ([]); // [[files]]
const KEPT = `engine-layer-visualize-${VERSION}`;

const worker = /** @type {any} */ (self);

worker.addEventListener("install", (/** @type {any} */ event) => {
  event.waitUntil(caches.open(KEPT).then((cache) => cache.addAll(FILES)));
});

worker.addEventListener("activate", (/** @type {any} */ event) => {
  const ours = (/** @type {string} */ name) => name.startsWith("engine-layer-visualize-") && name !== KEPT;
  const others = caches.keys().then((names) => Promise.all(names.filter(ours).map((name) => caches.delete(name))));
  event.waitUntil(others.then(() => worker.clients.claim()));
});

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const options = { ignoreSearch: event.request.mode === "navigate", cacheName: KEPT };
  const answer = caches.match(event.request, options).then((found) => found ?? fetch(event.request));
  event.respondWith(answer);
});
