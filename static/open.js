// A trace file of the reader's in place of the run. The page's own worker reads it, and it goes nowhere else.
(() => {
  "use strict";
  const root = document.documentElement;
  const $ = (id) => document.getElementById(id);
  const most = 64 * 1024 * 1024; // bytes, as in engine/run/room
  let opening = null; // {name, blob} of what is being read
  let shown = null; // of what is shown; a stage that begins anew gets it again

  const words = (state, ...args) => window.zkvizPage.fill($("open-note").dataset[state], ...args);
  const say = (...sentences) => { $("open-note").textContent = sentences.join(" "); };

  // show hands a file to the stage.
  async function show(file) {
    opening = file;
    if (file !== shown) say(words("reading", file.name));
    try {
      const buffer = await file.blob.arrayBuffer();
      if (opening === file) $("stage").contentWindow.zkviz.open(buffer, file.name);
    } catch (e) {
      bad(e.message);
    }
  }

  async function open(input) {
    const [file] = input.files;
    if (!file || !$("stage").contentWindow.zkviz) return;
    const name = file.name.slice(0, 80);
    opening = { name };
    const mine = opening;
    try {
      // One byte more than may be is enough to be told so. The copy stays as it is, whatever becomes of the file.
      mine.blob = new Blob([await file.slice(0, most + 1).arrayBuffer()]);
      if (opening === mine) show(mine);
    } catch (e) {
      if (opening === mine) bad(e.message);
    }
    input.value = ""; // so that the same file can be chosen again
  }

  // A log of the server's. The stage asks for it, and has nothing else to show.
  async function fetchLog() {
    const { url, name } = $("open-note").dataset;
    opening = { name };
    say(words("reading", name));
    try {
      const response = await fetch(url);
      if (response.status === 404 && (await leave())) return;
      if (!response.ok) throw new Error(await response.text());
      show({ name, blob: await response.blob() });
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

  // What was shown before still is.
  function bad(why) {
    const { name } = opening;
    if (shown === opening) shown = null; // it couldn't be opened again
    opening = null;
    say(...(shown ? [words("shown", shown.name) + "."] : []), words("bad", name, why));
    if (shown || !$("open-note").dataset.url) return; // there is something else to see
    $("stage-note").dataset.empty = $("open-note").textContent;
    root.dataset.stage = "empty";
  }

  // The heading is that of what is shown: of a file of something else it's no more that of the page.
  let before = null; // the page's
  function head() {
    const h1 = document.querySelector("main h1");
    const of = $("open-note").dataset.title;
    const other = shown && (root.dataset.file === "other" || root.dataset.file && document.querySelector("main.live"));
    if (!of || (!other && !before)) return;
    before = before || [h1.textContent, document.title];
    [h1.textContent, document.title] = other ? [words("title", shown.name), shown.name] : before;
    if (!other) before = null;
  }

  document.addEventListener("DOMContentLoaded", () => {
    const input = $("open-file");
    if (input) input.addEventListener("change", () => open(input));
    else if (!$("open-note")) return;
    document.addEventListener("zkviz-wanted", () => (shown ? show(shown) : fetchLog()));
    document.addEventListener("zkviz-file", (e) => {
      if (!opening) return;
      if (e.detail.error) return bad(e.detail.error);
      [shown, opening] = [opening, null];
      say(words("shown", shown.name));
      head();
    });
    window.zkvizPage.heeds.push((command) => {
      if (command === "close-file") shown = opening = null;
      return false;
    });
    // What needs the server's run is not to be had of a file.
    new MutationObserver(() => {
      if ($("host")) $("host").disabled = !!root.dataset.file;
      if (!root.dataset.file && !shown && input) say();
      head();
    }).observe(root, { attributes: true, attributeFilter: ["data-file"] });
  });
})();
