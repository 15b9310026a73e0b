// The tab's class: its connection to the server, and what that says. The others of classes.js show it.
(() => {
  "use strict";
  const page = window.zkvizPage;
  const { attends } = page;
  const box = document.getElementById("class");
  const kinds = ["class", "you", "place", "dots", "names", "board", "client", "apart", "error", "again", "link",
    "stop"];
  const listeners = Object.fromEntries(kinds.map((kind) => [kind, []]));

  // What the server has said last, by its kind. names and boards add up.
  const room = page.room = {
    said: {}, names: {}, boards: {},
    link: "", // "" as long as all is well; lost; and for good: gone, over, refused
    why: "", // it was refused
    isOver: () => ["gone", "over", "refused"].includes(room.link),
    name: () => attends.tab?.name,
    belongs: () => !!attends.tab && !attends.tab.isOver && (!attends.door || room.name() === attends.door),
    isTeacher: () => !!attends.tab?.secret,
    question: () => room.said.class?.question,
    on(kinds, f) { for (const kind of kinds.split(" ")) listeners[kind].push(f); },
    say, start, stop,
  };
  const tell = (kind, m) => { for (const f of listeners[kind]) f(m); };
  function setLink(state) {
    if (room.link === state) return;
    room.link = state;
    tell("link", state);
  }

  // A learner's key is kept for each of the last classes: a phone that slept, a page that's opened again and another
  // tab are the same learner.
  const mostKeys = 20;
  function learner() {
    const all = kept.read("class-keys");
    let one = all[room.name()];
    if (typeof one?.key !== "string") {
      one = { key: btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(24)))), name: "" };
    }
    one = { key: one.key, name: attends.tab.nick ?? one.name ?? "" };
    const others = Object.entries(all).filter(([of]) => of !== room.name()).slice(1 - mostKeys);
    kept.write("class-keys", Object.fromEntries([...others, [room.name(), one]]));
    return one;
  }

  // The connection. One that is lost is tried again after a while, which grows, and which differs from page to page:
  // all pages of a class lose it at once.
  const first = 500, longest = 20000; // ms
  const pause = 2000; // ms until what the servers couldn't decide is said again
  let socket = null;
  let tries = 0;
  let timer;
  let heardAt = 0; // ms since the page was opened: the server's last word, or the try to connect
  const address = () => new URL(box.dataset.to + room.name(), location.href);
  function start() {
    clearTimeout(timer);
    if (socket || !room.belongs() || room.isOver()) return;
    const to = new URL(address() + "/ws");
    to.protocol = to.protocol.replace("http", "ws");
    const mine = socket = new WebSocket(to);
    heardAt = performance.now();
    mine.onopen = hello;
    mine.onmessage = ({ data }) => { if (socket === mine) hear(JSON.parse(data)); };
    mine.onclose = () => { if (socket === mine) lost(); };
  }
  function hello() {
    delete room.said.apart; // of another server, perhaps
    const { secret, follows } = attends.tab;
    if (secret) return say({ do: "hello", secret });
    const { key, name } = learner();
    say({ do: "join", key, name, follows: follows !== false });
  }
  function lost() {
    socket = null;
    if (!attends.tab || room.isOver()) return;
    setLink("lost");
    if (tries++ > 0) look();
    timer = setTimeout(start, Math.min(longest, first * 2 ** tries) * (0.5 + Math.random() / 2));
  }
  // A browser doesn't tell why there is no connection. The class's page does, if the server answers.
  async function look() {
    const reply = await fetch(address(), { method: "HEAD", cache: "no-store" }).catch(() => null);
    if ([404, 410].includes(reply?.status)) stop("gone");
  }
  function stop(state) {
    clearTimeout(timer);
    const was = socket;
    socket = null;
    was?.close();
    // The results are a teacher's for a while after the class.
    attends.keep(room.isTeacher() && state !== "refused" && state ? { ...attends.tab, isOver: true } : null);
    Object.assign(room, { said: {}, names: {}, boards: {} });
    setLink(state);
    tell("stop");
  }
  function say(m) {
    if (socket?.readyState !== WebSocket.OPEN) return false;
    socket.send(JSON.stringify(m));
    return true;
  }

  function hear(m) {
    heardAt = performance.now();
    tries = 0;
    if (m.say === "gone") {
      room.why = m.why;
      return stop("gone");
    }
    if (!listeners[m.say]) return; // from a newer server
    if (m.say === "names") Object.assign(room.names, m.names);
    else if (m.say === "board") room.boards[m.task] = m;
    else room.said[m.say] = m;
    if (m.say === "you") rename(m);
    if (m.say !== "error") setLink("");
    tell(m.say, m);
    if (m.again) setTimeout(() => tell("again", m), pause);
    if (m.ended) stop("over");
    if (m.say === "error" && ["hello", "join"].includes(m.do)) {
      room.why = m.why;
      stop("refused");
    }
  }
  // A learner who joins again may have written another name.
  let renamed = false;
  function rename({ number, name = "" }) {
    if (!number || renamed) return;
    renamed = true;
    const wanted = learner().name;
    if (wanted !== name) say({ do: "rename", name: wanted });
  }

  // A machine that slept, or a phone, may have lost a connection without knowing.
  const stale = 20000; // ms
  let hiddenAt = 0;
  function again() {
    tries = 0;
    const old = socket;
    if (old && performance.now() - Math.max(heardAt, hiddenAt) > stale || old?.readyState > WebSocket.OPEN) {
      socket = null;
      old.close();
    }
    start();
  }
  // A page that the browser keeps for the way back isn't in the class.
  addEventListener("pagehide", () => {
    clearTimeout(timer);
    const was = socket;
    socket = null;
    was?.close();
  });
  // A server that stands still, or a network that swallows all, doesn't end a connection. The server says something
  // every 4 s, so that silence tells.
  const silent = 10000, listenEvery = 1000; // ms
  setInterval(() => {
    if (!socket || document.hidden || performance.now() - heardAt <= silent) return;
    const old = socket;
    lost();
    old.close();
  }, listenEvery);
  addEventListener("online", again);
  addEventListener("pageshow", (e) => { if (e.persisted) again(); });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) hiddenAt = performance.now(); else again();
  });
})();
