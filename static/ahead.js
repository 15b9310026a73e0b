// The page's part of a site of files that works without a network: it registers the worker offline.js and, once a
// lesson is there, asks it for the others whenever nothing else is to be done. A line among the keys says when all is
// kept.
(() => {
  "use strict";
  const root = document.documentElement;
  const workers = navigator.serviceWorker; // only https and this machine have them
  const script = root.dataset.offline; // only a site of files has it
  if (!script || !workers || location.protocol === "file:" || self !== top) return;

  const idle = () => new Promise((done) => (window.requestIdleCallback || setTimeout)(done));
  // The stage's program comes first.
  const settled = () => new Promise((done) => {
    const look = () => {
      if (root.dataset.stage === "loading") return;
      observer.disconnect();
      done();
    };
    const observer = new MutationObserver(look);
    observer.observe(root, { attributes: true, attributeFilter: ["data-stage"] });
    look();
  });

  function ask(worker) {
    const theme = root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    const others = [...document.querySelectorAll("link[hreflang]")].map((l) => l.hreflang)
      .filter((l) => l !== root.lang);
    return new Promise((done) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => done(data);
      const small = matchMedia(root.dataset.small).matches;
      worker.postMessage({ languages: others, theme, small, full: kept.get("offline-full") }, [port2]);
    });
  }

  function say({ state, version }) {
    if (state === "full" && kept.get("offline-full") !== version) {
      kept.set("offline-full", version); // until there is another version nobody tries again
    }
    const line = document.getElementById("offline");
    if (state in line.dataset) {
      line.textContent = line.dataset[state];
      line.hidden = false;
    }
    root.dataset.kept = state === "all" ? version : state;
  }

  let turn = 0; // a worker that has been replaced never answers
  async function keep(registration) {
    const mine = ++turn;
    for (let reply = { state: "more" }; reply.state === "more";) {
      await idle();
      reply = await ask(registration.active);
      if (mine !== turn) return;
      if (reply.state !== "more") say(reply);
    }
  }

  async function start() {
    await settled();
    await idle();
    const { status } = await fetch(script, { cache: "no-cache" }).catch(() => ({ status: 0 }));
    if (status === 404 || status === 410) { // then the worker leaves, unless a page before this one called it back
      await (await workers.getRegistration())?.unregister();
      return;
    }
    await workers.register(script, { updateViaCache: "none" });
    if (!("stage" in root.dataset) || navigator.connection?.saveData) return;
    const registration = await workers.ready;
    workers.addEventListener("controllerchange", () => keep(registration));
    await keep(registration);
  }
  addEventListener("load", () => start().catch(() => {})); // a browser that refuses it reads on as before
})();
