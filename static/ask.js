// A question to the engine, in a worker of its own: what a site of files has in place of a server's answer. It is about
// runs that no stage shows. The messages are in wasm/engine.
(() => {
  "use strict";
  const page = window.zkvizPage;

  // ask hands each part of the answer to heard, with its kind: the last is "close". files is what the page says of the
  // engine's. It returns what ends the worker, after which nothing is heard.
  page.ask = (files, kind, query, heard) => {
    let worker;
    let ended = false;
    function end() {
      ended = true;
      if (worker) worker.terminate();
    }
    function fail(why) {
      if (ended) return;
      end();
      heard("refused", page.fill(files.lost, why));
      heard("close");
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
        if (m.kind === "ready") worker.postMessage({ kind, id: 1, data: query, words });
        else if (m.kind === "failed") fail(page.fill(JSON.parse(words)["engine." + m.why], m.data, m.address));
        else heard(m.kind, m.data);
        if (m.kind === "close") end();
      };
      worker.postMessage({ kind: "load", program: whole(files.program), script: whole(files.script) });
    }
    start().catch((e) => fail(e.message));
    return end;
  };
})();
