// Service worker: keeps the files of the page, so that it also opens without the service. The service defines the
// constants VERSION, which changes with the files, and FILES, their paths.

const PREFIX = "page-";
const CACHE = PREFIX + VERSION;

async function keepFiles() {
  const cache = await caches.open(CACHE);
  await cache.addAll(FILES);
  await self.skipWaiting();
}

async function removeOldFiles() {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.clients.claim();
}

/** Files come from the service while it runs, so that the page always fits the service. */
async function load(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await caches.match(request, { ignoreSearch: true });
    if (kept) return kept;
    throw error;
  }
}

self.addEventListener("install", (event) => event.waitUntil(keepFiles()));
self.addEventListener("activate", (event) => event.waitUntil(removeOldFiles()));
self.addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  const isFile = event.request.method === "GET" && origin === self.location.origin && FILES.includes(pathname);
  if (isFile) event.respondWith(load(event.request));
});
