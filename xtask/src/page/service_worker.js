// Keeps the files of one build, all or none, so that the page opens without a network.
//
// A page gets the files of its own build until it is reloaded: what differs between builds differs in its name or in
// `?b=`, and the files of older builds stay as long as a page lives that may ask for them.

const VERSION = "{version}";
// Addresses below the scope with the hash of each file; the page itself comes first.
const FILES = {files};
const SAMPLES = {samples};

const { scope } = registration;
const OURS = `lanescope ${scope} `; // other pages of this origin keep something too
const OWN = OURS + VERSION;
const OLDER = at("?older"); // where the pages that lived before this build are noted
const VARIES = { ignoreVary: true };

function at(path) {
  return new URL(path, scope).href;
}

// What is not the file of this build is refused: servers change while they are asked.
function request([path, integrity]) {
  return new Request(at(path), { cache: "no-cache", integrity });
}

self.oninstall = (event) => event.waitUntil(install());
self.onactivate = (event) => event.waitUntil(activate());

// The page says that it is up, or that this build is to take the place of the one before.
self.onmessage = (event) => {
  if (event.data === "activate") self.skipWaiting();
  if (event.data === "ready") event.waitUntil(Promise.all([forget(), keepSamples()]));
};

self.onfetch = (event) => {
  const url = new URL(event.request.url);
  url.hash = "";
  if (event.request.mode === "navigate") url.search = ""; // it speaks to the page
  if (event.request.method === "GET" && url.href.startsWith(scope)) event.respondWith(answer(event.request, url.href));
};

async function install() {
  const cache = await caches.open(OWN);
  if (await cache.match(scope)) return; // of this build, which was served before
  const [page, ...others] = FILES.map(request);
  try {
    await cache.addAll(others);
    await cache.add(page); // where it is, everything is
  } catch (error) {
    await caches.delete(OWN);
    throw error;
  }
}

async function activate() {
  const pages = await clients.matchAll({ includeUncontrolled: true, type: "window" });
  const older = pages.filter((page) => page.url.startsWith(scope)).map((page) => page.id);
  await (await caches.open(OWN)).put(OLDER, new Response(JSON.stringify(older)));
  await clients.claim();
  await forget();
}

// Gives up older builds when none of their pages lives. A newer one that comes or waits is no older one.
async function forget() {
  if (registration.installing || registration.waiting) return;
  const older = await (await caches.open(OWN)).match(OLDER);
  const pages = await Promise.all((older ? await older.json() : []).map((id) => clients.get(id)));
  if (pages.some((page) => page)) return;
  const names = (await caches.keys()).filter((name) => name.startsWith(OURS) && name !== OWN);
  await Promise.all(names.map((name) => caches.delete(name)));
}

// Data to try the page with: where they do not come or there is no room, the network has them.
async function keepSamples() {
  const cache = await caches.open(OWN);
  for (const sample of SAMPLES) {
    if (!(await cache.match(at(sample[0])))) await cache.add(request(sample)).catch(() => {});
  }
}

async function answer(asked, href) {
  const name = href === at("index.html") ? scope : href;
  const cache = await caches.open(OWN);
  const kept = (await cache.match(name, VARIES)) ?? (await caches.match(name, VARIES));
  // What was redirected must not answer a navigation.
  if (kept) return kept.redirected ? new Response(kept.body, kept) : kept;
  // The server would give a program of another build: half of that one.
  const [path, build] = name.slice(scope.length).split("?b=");
  if (build && build !== VERSION && FILES.some(([file]) => file.startsWith(`${path}?b=`))) return Response.error();
  return fetch(asked);
}
