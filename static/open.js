// A trace file of the reader's in place of the run. The page's own worker reads it, and it goes nowhere else.
(() => {
  "use strict";
  const root = document.documentElement;
  const $ = (id) => document.getElementById(id);
  const most = 64 * 1024 * 1024; // bytes, as in engine/run/room
  let name = "";

  const say = (state, ...args) => {
    const note = $("open-note");
    note.textContent = state ? window.zkvizPage.fill(note.dataset[state], ...args) : "";
  };

  async function open(input) {
    const file = input.files[0];
    const stage = $("stage").contentWindow.zkviz;
    if (!file || !stage) return;
    name = file.name.slice(0, 80);
    input.value = ""; // so that the same file can be chosen again
    say("reading", name);
    try {
      // One byte more than may be is enough to be told so.
      stage.open(await file.slice(0, most + 1).arrayBuffer(), name);
    } catch (e) {
      bad(e.message);
    }
  }

  // A log of the server's. The stage asks for it, and has nothing else to show.
  async function fetchLog() {
    const { url, name: path } = $("open-note").dataset;
    name = path;
    say("reading", name);
    try {
      const response = await fetch(url);
      if (response.status === 404 && (await leave())) return;
      if (!response.ok) throw new Error(await response.text());
      $("stage").contentWindow.zkviz.open(await response.arrayBuffer(), name);
    } catch (e) {
      bad(e.message);
    }
  }

  // The log may have gone since the page was made. By now the page's own address leads elsewhere then, or says so.
  async function leave() {
    const page = await fetch(location.href, { method: "HEAD" });
    const leaves = page.redirected || !page.ok;
    if (leaves) location.replace(page.url);
    return leaves;
  }

  function bad(why) {
    say("bad", name, why);
    if (!$("open-note").dataset.url) return; // there is something else to see
    $("stage-note").dataset.empty = $("open-note").textContent;
    root.dataset.stage = "empty";
  }

  // The heading is that of what is shown: of a file of something else it's no more that of the page.
  let before = null; // the page's
  function head() {
    const h1 = document.querySelector("main h1");
    const of = $("open-note").dataset.title;
    const other = root.dataset.file === "other" || (root.dataset.file && document.querySelector("main.live"));
    if (!of || (!other && !before)) return;
    before = before || [h1.textContent, document.title];
    [h1.textContent, document.title] = other ? [window.zkvizPage.fill(of, name), name] : before;
    if (!other) before = null;
  }

  document.addEventListener("DOMContentLoaded", () => {
    const input = $("open-file");
    if (input) input.addEventListener("change", () => open(input));
    else if (!$("open-note")) return;
    document.addEventListener("zkviz-wanted", fetchLog);
    document.addEventListener("zkviz-file", (e) => {
      if (e.detail.error) bad(e.detail.error); else say("shown", name);
      head();
    });
    new MutationObserver(() => {
      if ($("host")) $("host").disabled = !!root.dataset.file;
      if (!root.dataset.file && input) say("");
      head();
    }).observe(root, { attributes: true, attributeFilter: ["data-file"] });
  });
})();
