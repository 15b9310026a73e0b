// What was seen on a real ZooKeeper, as a run of the lab: who has the log makes it of that, and says what isn't as it
// was. The server plays it, or on a site of files the engine, and says how that differs from what was seen.
(() => {
  "use strict";
  const page = window.zkvizPage;
  const $ = (id) => document.getElementById(id);
  let made;
  let asked;
  const said = (list, tag, texts) => list.replaceChildren(...texts.map((text) => {
    const item = document.createElement(tag);
    item.textContent = text;
    return item;
  }));

  // replayed returns how the fork goes.
  async function replayed(box, query, signal) {
    if (box.dataset.from) {
      const reply = await fetch(box.dataset.from + "?" + query, { signal });
      if (!reply.ok) throw new Error((await reply.text()).slice(0, 200).trim() || reply.statusText);
      return reply.json();
    }
    return new Promise((done, failed) => {
      const texts = [];
      const stop = page.ask(box.dataset, "fork", query, (kind, text) => {
        if (kind === "said") texts.push(text);
        else if (kind === "refused") failed(new Error(text));
        else done(texts);
      });
      signal.addEventListener("abort", stop);
    });
  }

  // compare says before anything else how the fork goes.
  async function compare(box, scenario) {
    const to = $("fork-compared");
    if (asked) asked.abort();
    asked = new AbortController();
    const { signal } = asked;
    said(to, "p", [to.dataset.playing]);
    let texts;
    try {
      texts = await replayed(box, "seen=" + made.seen + "&" + scenario, signal);
      if (made.whole) texts.push(to.dataset.part);
    } catch (e) {
      texts = [page.fill(to.dataset.failed, e.message)];
    }
    if (!signal.aborted) said(to, "p", texts);
  }

  page.deeds.fork = () => {
    const stage = $("stage").contentWindow.zkviz;
    if (stage && stage.fork) stage.fork();
  };
  document.addEventListener("zkviz-fork", (e) => {
    const box = $("fork");
    made = e.detail;
    made.recipe = box.getAttribute("data-" + made.use); // which a dataset has by another name
    said($("fork-said"), "li", made.said || [made.error]);
    said($("fork-compared"), "p", []);
    $("fork-go").hidden = $("fork-lead").hidden = !made.recipe;
    $("fork-save").hidden = !made.recipe;
    $("fork-long").hidden = !made.whole;
    if (made.recipe) {
      const scenario = "recipe=" + encodeURIComponent(made.recipe) + "&" + made.query;
      $("fork-go").href = box.dataset.to + "?" + scenario;
      compare(box, scenario);
    }
    if (!box.open) box.showModal();
  });
  // fileOf returns a scenario's query in the form of a scenario file.
  function fileOf(query) {
    const file = {};
    for (const [name, text] of new URLSearchParams(query)) {
      if (name === "arrival" || name === "fault") (file[name + "s"] = file[name + "s"] || []).push(text);
      else file[name.replaceAll("-", "_")] = text;
    }
    return file;
  }
  page.deeds["fork-save"] = () => {
    const file = {
      format: "zkviz-scenario", version: 1, recipe: made.recipe, ...fileOf(made.whole || made.query),
    };
    page.download(new Blob([JSON.stringify(file, null, 2) + "\n"], { type: "application/json" }), "zkviz-what-if.json");
  };
})();
