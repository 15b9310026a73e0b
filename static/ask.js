// Programs of the page's in workers of their own, and a question to the engine: what a site of files has in place of a
// server's answer. It is about runs that no stage shows. The messages are in wasm/engine and wasm/story.
(() => {
  "use strict";
  const page = window.zkvizPage;

  // start starts a program. files is what the page says of its files. heard gets each message of the program: its kind,
  // data and id. The first is "ready", with the page's words, or "failed", with why. It returns what posts a message,
  // and what ends the worker, after which nothing is heard.
  page.start = (files, heard) => {
    let worker;
    let ended = false;
    function end() {
      ended = true;
      if (worker) worker.terminate();
    }
    function fail(why) {
      if (ended) return;
      end();
      heard("failed", why);
    }
    async function start() {
      const reply = await fetch(files.words);
      if (!reply.ok) throw new Error(files.words + ": " + reply.status);
      const words = await reply.text();
      if (ended) return;
      const whole = (address) => new URL(address, document.baseURI).href;
      worker = new Worker(files.worker);
      worker.onerror = (e) => fail(e.message);
      worker.onmessage = ({ data: m }) => {
        if (ended) return;
        if (m.kind === "failed") fail(page.fill(JSON.parse(words)["engine." + m.why], m.data, m.address));
        else heard(m.kind, m.kind === "ready" ? words : m.data, m.id);
      };
      worker.postMessage({ kind: "load", program: whole(files.program), script: whole(files.script) });
    }
    start().catch((e) => fail(e.message));
    return { post: (m, hands = []) => worker.postMessage(m, hands), end };
  };

  // ask hands each part of the answer to heard, with its kind: the last is "close". It returns what ends the worker.
  page.ask = (files, kind, query, heard) => {
    const engine = page.start(files, (said, data) => {
      if (said === "ready") return engine.post({ kind, id: 1, data: query, words: data });
      if (said !== "failed") heard(said, data);
      else {
        heard("refused", page.fill(files.lost, data));
        heard("close");
      }
      if (said === "close") engine.end();
    });
    return engine.end;
  };
})();
