// The service worker of a site of files: with it the site works without a network. It keeps every file by a hash of
// what is in it, so versions never mix: a file that isn't as this version's list says isn't kept. Files with a hash in
// their names come from here, all others from the network if there is one.
"use strict";
const listAt = "offline.json"; // the export writes this version's name of the list
const most = 64e6; // bytes that are fetched ahead
const batch = 24; // files that are fetched for one request of a page
const atOnce = 4;
const patience = 4000; // ms that a network may say nothing before a file comes from here
const scope = registration.scope;
const cacheName = "zkviz " + scope;

const open = () => caches.open(cacheName);
const at = (what) => scope + "?kept=" + what;
const isHashed = (name) => /^static\/.*\.[0-9a-f]{12}\.\w+$/.test(name);
// If there's little room, the lessons can be read: what all pages need comes first, and the programs last.
const rank = ({ name }) => name.endsWith(".wasm") ? 3 : isHashed(name) ? 0 : name.startsWith("lessons/") ? 1 : 2;
const address = (name) => scope + name.split("/").map(encodeURIComponent).join("/");

// The list of this version, and of the version of which all is kept: until that is this one, it's shown without a
// network.
let lists;
async function readLists() {
  const cache = await open();
  const read = async (what) => {
    const reply = await cache.match(at(what));
    return new Map((reply ? await reply.json() : []).map(([name, hash, size]) => [name, { name, hash, size }]));
  };
  return { own: await read(listAt), whole: await read("whole") };
}
const known = () => (lists ??= readLists().catch((error) => {
  lists = undefined;
  throw error;
}));

async function takeList() {
  const reply = await fetch(scope + listAt, { cache: "no-cache" });
  if (!reply.ok) throw new Error(listAt + ": " + reply.status);
  await (await open()).put(at(listAt), new Response(await reply.blob()));
}

// put keeps what a reply brings, if it's this version's.
async function put(file, reply) {
  const bytes = await reply.arrayBuffer();
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const hash = Array.from(sum, (b) => b.toString(16).padStart(2, "0")).join("").slice(0, file.hash.length);
  if (hash !== file.hash) throw new Error(file.name + " is of another version");
  const headers = ["Content-Type", "Content-Security-Policy"] // the host may forbid frames on other sites
    .filter((name) => reply.headers.has(name)).map((name) => [name, reply.headers.get(name)]);
  await (await open()).put(at(hash), new Response(bytes, { headers }));
}

async function get(file) {
  const reply = await fetch(address(file.name), { cache: isHashed(file.name) ? "default" : "no-cache" });
  if (!reply.ok) throw new Error(file.name + ": " + reply.status);
  await put(file, reply);
}

// pictureOf takes the name of a still picture apart: in another theme or shape the beginning is the same.
const pictureOf = (name) => name.match(/^(?<what>.*)\.(?<theme>light|dark)(?<shape>-\w+)?\.svg$/)?.groups;

// keep fetches some of what a reader needs, who reads in one language and one theme, on a small screen or not. It
// answers with what has become of it: there may be "more", "all" is kept, there is no more room ("full"), it's too
// "much", or the network has gone ("later").
async function keep({ languages, theme, small, full }) {
  const version = listAt;
  if (gone) return { state: "later", version };
  if (full === version) return { state: "full", version };
  if ((await known()).own.size === 0) {
    await takeList();
    lists = undefined;
  }
  const { own } = await known();
  const cache = await open();
  const wanted = [...own.values()].filter(({ name }) => {
    const picture = pictureOf(name);
    const isOther = picture && (picture.theme !== theme || !picture.shape === small);
    return !isOther && !languages.some((other) => name.startsWith(other + "/"));
  });
  if (wanted.reduce((sum, { size }) => sum + size, 0) > most) return { state: "much", version };
  const there = new Set((await cache.keys()).map(({ url }) => url));
  const missing = wanted.filter(({ hash }) => !there.has(at(hash)))
    .sort((a, b) => rank(a) - rank(b) || a.size - b.size);
  const now = missing.slice(0, batch);
  const rest = missing.length - now.length;
  await Promise.all(Array.from({ length: atOnce }, async () => {
    for (let file = now.shift(); file; file = now.shift()) await get(file);
  }));
  if (rest > 0) return { state: "more", version };
  await becomeWhole(cache, own);
  return { state: "all", version };
}

// becomeWhole makes this version the one that is shown without a network, and then deletes what only others had, unless
// the next version has begun to keep its own.
async function becomeWhole(cache, own) {
  const list = Array.from(own.values(), ({ name, hash, size }) => [name, hash, size]);
  await cache.put(at("whole"), new Response(JSON.stringify(list)));
  lists = undefined;
  const needed = new Set([at("whole"), at(listAt), ...list.map(([, hash]) => at(hash))]);
  const keys = await cache.keys();
  if (registration.installing || registration.waiting) return;
  for (const key of keys) if (!needed.has(key.url)) await cache.delete(key);
}

// nameOf returns the name of the file that a request is for, or undefined.
function nameOf({ method, url }) {
  if (method !== "GET" || !url.startsWith(scope)) return undefined;
  let name;
  try {
    name = decodeURIComponent(url.slice(scope.length).replace(/[?#].*$/, ""));
  } catch {
    return undefined;
  }
  if (name === "" || name.endsWith("/")) return name + "index.html";
  return /\.[^/]+$/.test(name) ? name : name + ".html";
}

// kept returns what there is of a file, of the version that is whole if there is one. If a screen has been turned, or a
// window made narrower, a picture in another shape will do.
async function kept(name) {
  const { own, whole } = await known();
  const cache = await open();
  const first = async (names) => {
    for (const file of names.flatMap((n) => [whole.get(n), own.get(n)])) {
      const reply = file && await cache.match(at(file.hash));
      if (reply) return reply;
    }
    return undefined;
  };
  const picture = pictureOf(name);
  const alike = (other) => other && other.what === picture.what && other.theme === picture.theme;
  return await first([name]) || picture && first([...own.keys()].filter((other) => alike(pictureOf(other))));
}

// fromNetwork returns the network's reply. It fails like a network that has gone if this one says nothing for too long
// and the file is kept. While it says nothing, further files don't wait.
let silent = false;
async function fromNetwork(request, isKept) {
  const asked = fetch(request);
  asked.then(() => { silent = false; }, () => { silent = false; });
  const late = new Promise((resolve) => setTimeout(resolve, silent ? 0 : patience)).then(isKept);
  const reply = await Promise.race([asked, late.then((there) => there ? undefined : asked)]);
  if (reply) return reply;
  silent = true;
  throw new Error("the network says nothing");
}

async function answer(e, name) {
  const here = () => kept(name).catch(() => undefined); // whatever is wrong with what is kept, there is the network
  const first = isHashed(name) && await here();
  if (first) return first;
  let reply;
  try {
    reply = await fromNetwork(e.request, here);
  } catch (error) {
    const instead = await here();
    if (instead) return instead;
    throw error;
  }
  if (reply.status >= 500) return await here() || reply;
  if (reply.ok) e.waitUntil(keepSeen(name, reply.clone()).catch(() => {}));
  if (e.request.mode === "navigate") e.waitUntil(leaveIfGone().catch(() => {}));
  return reply;
}

// keepSeen keeps a file that a page has asked for, unless it's there.
async function keepSeen(name, reply) {
  const file = (await known()).own.get(name);
  if (file && !await (await open()).match(at(file.hash))) await put(file, reply);
  else await reply.body?.cancel();
}

// leaveIfGone ends all of this if the site no longer has this script: then it's another site, or a version that doesn't
// work without a network. Browsers by themselves would go on with what they have.
let gone = false;
async function leaveIfGone() {
  const { status } = await fetch(location.href, { cache: "no-cache" });
  if (status !== 404 && status !== 410) return;
  gone = true;
  await caches.delete(cacheName); // first, for without the worker nobody would
  await registration.unregister();
}

addEventListener("install", (e) => {
  skipWaiting();
  e.waitUntil(takeList());
});

addEventListener("activate", (e) => e.waitUntil(clients.claim()));

addEventListener("fetch", (e) => {
  const name = nameOf(e.request);
  if (name !== undefined && !gone) e.respondWith(answer(e, name));
});

let turn = Promise.resolve(); // pages ask in turn, so that nothing is fetched twice
addEventListener("message", (e) => {
  const reply = (of) => e.ports[0].postMessage(of);
  const failed = (error) => reply({
    state: error.name === "QuotaExceededError" ? "full" : "later", version: listAt, why: String(error),
  });
  turn = turn.then(() => keep(e.data)).then(reply, failed);
  e.waitUntil(turn);
});
