// The page's shim: it opens the stage, turns buttons and keys into commands for it, and shows the figures. What is
// worth testing is in Go.
(() => {
  "use strict";
  const root = document.documentElement;
  const $ = (id) => document.getElementById(id);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];

  if (!window.kept) { // head.js hasn't come: nothing here works without it
    $("incomplete").textContent = $("incomplete").dataset.says.replace("{0}", "head.js");
    $("incomplete").hidden = false;
    return;
  }
  const hasBench = "stage" in root.dataset; // early.js has looked

  const theme = () => root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  const reduced = matchMedia("(prefers-reduced-motion: reduce)");
  const motion = () => (reduced.matches ? "reduced" : "full");

  // Commands wait until the stage can take them. What moves the run is forgotten when the reader turns the step, and
  // play when the reader presses it again.
  let queue = [];
  const moves = [
    "play-pause", "event", "event-back", "next-release", "previous-release", "start", "end", "goto-event", "seek",
  ];
  const waits = (name) => queue.some(([other]) => other === name);
  const program = () => (root.dataset.stage === "failed" ? undefined : $("stage")?.contentWindow?.zkviz);
  function command(name, arg) {
    if (page.heeds.some((takes) => takes(name))) return true;
    const state = root.dataset.stage;
    if ((state === "ready" || name === "stop") && program()) {
      return program().command(name, arg === undefined ? "" : String(arg));
    }
    if (state === "failed" && moves.includes(name)) $("announce").textContent = $("stage-note").textContent;
    if (state !== "loading" || queue.length >= 50) return;
    if (name === "play-pause" && waits(name)) queue = queue.filter(([other]) => other !== name);
    else queue.push([name, arg]);
    note();
  }
  function forget() {
    queue = queue.filter(([name]) => !moves.includes(name));
    note();
  }

  function setTheme(name) {
    root.dataset.theme = name;
    kept.set("theme", name);
    command("theme", name);
  }

  // A fault is for the client that is selected, and for now, unless it is said for whom and when.
  function fault(button, who = "", at = "") {
    const selected = root.dataset.selected || "";
    if (!who && selected.startsWith("client-")) who = selected;
    if (!who || ["zookeeper", "others"].includes(root.dataset.systems) &&
      button.dataset.where && button.dataset.where !== root.dataset.systems) return;
    const { lasts } = button.dataset; // for how long, or by how much
    const span = lasts === undefined ? "" : " " + (lasts || "for ") + $("fault-for").value;
    command("fault", button.dataset.fault + " " + who + (at && " at " + at) + span);
  }

  // Figures: the server runs the recipe at a size and answers with counts. With a second run to put beside it, both are
  // played as well, as often as the reader likes.
  async function count(from) {
    const reply = await fetch(from);
    if (!reply.ok) throw new Error((await reply.text()).slice(0, 200).trim() || reply.statusText);
    return reply.json();
  }
  const script = (src) => new Promise((done, fail) => document.head.append(
    Object.assign(document.createElement("script"), { src, onload: done, onerror: () => fail(new Error(src)) })));
  async function figures(button) {
    const box = button.closest(".figures");
    const note = box.querySelector("p[role=status]");
    const number = new Intl.NumberFormat(root.lang);
    const { recipe, clients, from, to } = button.dataset;
    button.disabled = true;
    note.textContent = box.dataset.busy;
    try {
      if (to && !page.herd) await script(button.dataset.script);
      const rows = [from, to].filter(Boolean).map(count);
      if (to) page.herd(button, rows);
      const f = await rows[0];
      button.disabled = !to;
      note.textContent = "";
      if (button.dataset.counted) return;
      button.dataset.counted = "true";
      const row = document.createElement("tr");
      const title = recipe + " × " + number.format(clients), wakeups = f.wakeups.by_release + f.wakeups.by_arrival;
      [title, wakeups, f.wakeups.max_per_release, f.requests].forEach((value, i) => {
        const cell = document.createElement(i ? "td" : "th");
        cell.textContent = i ? number.format(value) : value;
        row.append(cell);
      });
      box.querySelector("tbody").append(row);
      box.querySelector("table").hidden = false;
      if (!to) row.scrollIntoView({ block: "nearest" });
    } catch (e) {
      note.textContent = box.dataset.failed.replace("{0}", e.message);
      button.disabled = false;
    }
  }

  // The server needs seconds for a thousand clients. It begins when the reader sees the buttons that play them, with
  // what the last one has beside it, which is the quick one.
  async function warm(buttons) {
    const from = new Set(buttons.reverse().flatMap((b) => [b.dataset.to, b.dataset.from]));
    for (const address of from) await fetch(address, { method: "HEAD" }).catch(() => {}); // a click tells what's wrong
  }
  function warmWhenSeen(buttons) {
    if (!buttons.length || "offline" in root.dataset) return; // on a site of files all is there
    const eye = new IntersectionObserver((seen) => {
      if (!seen.some((one) => one.isIntersecting)) return;
      eye.disconnect();
      warm(buttons);
    });
    eye.observe(buttons[0]);
  }

  // The log of the branch that is shown, as a file. The server has all of it; where there is none, the engine makes it.
  let saver = null; // the stage that has one made
  function save(button) {
    const stage = program();
    const at = new URLSearchParams(stage?.position());
    if (!at.get("run") || saver === stage) return;
    let parts;
    const takes = {
      begin: () => { parts = []; },
      piece: (buffer) => { parts.push(new Blob([buffer])); }, // which the browser may put on its disk
      saved: (name) => {
        saver = null;
        download(new Blob(parts, { type: "application/jsonl" }), name);
      },
      failed: () => { saver = null; }, // the stage says why
    };
    saver = stage;
    if (stage.save((kind, data) => takes[kind](data))) return;
    saver = null;
    const link = document.createElement("a");
    link.href = button.dataset.from + "?" + new URLSearchParams({ run: at.get("run"), branch: at.get("branch") });
    link.download = "";
    link.click();
  }

  // Whether a text has gone to the clipboard; if not, the reader takes it by hand.
  async function clip(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return false;
    }
  }

  // A file for the reader. Its address outlives the click, since the browser may be slow to take it.
  function download(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  // The zoo: contenders come and go, and lines are copied to be pasted in a terminal.
  function contend(by) {
    const out = $("contenders");
    const n = Number(out.textContent) + by;
    if (n < 0 || n > Number(out.dataset.most) || root.dataset.stage !== "ready") return;
    out.textContent = n; // the next click counts from here, whenever the server answers
    command("contenders", n);
  }
  const onContenders = () => { if ($("contenders")) $("contenders").textContent = root.dataset.contenders || "0"; };
  async function copy(button) {
    const from = $(button.dataset.from);
    const note = button.parentElement.querySelector("[role=status]");
    const copied = await clip(from.textContent);
    if (!copied) getSelection().selectAllChildren(from);
    note.textContent = copied ? button.dataset.copied : button.dataset.byHand;
  }

  function setTab(name) {
    const bench = document.querySelector(".bench:has(> .tabs)");
    if (!bench) return;
    bench.dataset.tab = name;
    for (const b of all(".tabs button")) b.setAttribute("aria-pressed", String(b.dataset.tab === name));
  }

  function showLog() {
    setTab("log");
    const folded = document.querySelector("[data-panel=log][aria-expanded=false]");
    if (folded) folded.click();
  }

  // Keys. The stage's frame traps keys, so it gets the same listener, ahead of its own.
  const nextOption = (id) => {
    const s = $(id);
    const open = s ? [...s.options].filter((o) => !o.disabled) : [];
    if (open.length > 1) choose(s, open[(open.findIndex((o) => o.selected) + 1) % open.length].value);
  };
  function choose(select, value) {
    select.value = value;
    command(select.dataset.command, value);
  }
  function speed(by) {
    const s = $("speed");
    const to = s && s.options[s.selectedIndex + by];
    if (to) choose(s, to.value);
  }
  const keys = {
    "ArrowRight": () => command("step"), "ArrowLeft": () => command("step-back"), " ": () => command("play-pause"),
    ".": () => command("event"), ",": () => command("event-back"),
    "]": () => command("next-release"), "[": () => command("previous-release"),
    "Home": () => command("start"), "End": () => command("end"),
    "+": () => speed(1), "=": () => speed(1), "-": () => speed(-1), "−": () => speed(-1),
    "0": () => command("select", ""), "n": () => command("select-next"), "Shift+n": () => command("select-previous"),
    "m": () => command("menu"), "Enter": () => command("menu"),
    "f": () => page.deeds.present(), "s": () => page.deeds.story?.(),
    "b": () => nextOption("branches"), "h": () => nextOption("host"), "r": () => command("again"),
    "a": () => page.deeds.retry?.(),
    "/": () => { showLog(); if ($("log-search")) $("log-search").focus(); },
    "t": () => setTheme(theme() === "dark" ? "light" : "dark"),
    "?": () => showKeys(),
    "Escape": () => {
      if ($("keys").open) $("keys").close();
      else if (root.dataset.computing) command("stop");
      else command("select", "");
    },
  };
  for (let n = 1; n <= 9; n++) keys[n] = () => command("select", "client-" + n);
  function showKeys() {
    if ($("keys").open) return;
    $("keys").showModal();
    $("keys").querySelector(".primary").focus(); // autofocus would want it when the page opens in another site's frame
    $("keys").scrollTop = 0;
  }
  // In the log that has the focus.
  const rows = { "ArrowUp": () => row(-1), "ArrowDown": () => row(1) };
  function row(by) {
    const list = all("#log li[data-seq]:not([hidden])");
    const to = list[list.findIndex((li) => li.hasAttribute("aria-current")) + by];
    if (to) command("goto-event", to.dataset.seq);
  }
  // Where the stage has more than one page.
  const turns = { "PageDown": "on", "PageUp": "back" };
  const anywhere = ["t", "?"];
  // Those who speak to their computer, or hit keys by accident, switch off what a single letter or sign does.
  const isOff = (key) => key.length === 1 && key !== " " && kept.get("single-keys") === "off";

  // Those who clicked an answer or a list mean the steps by the next arrow key, not the answers or the list.
  let byPointer = false;

  // Other scripts of the page: the first of their listeners that takes a key (taps) or a command (heeds) keeps it from
  // those here.
  const fill = (text, ...args) => text.replace(/\{(\d)\}/g, (_, i) => args[i]); // the places for arguments in a text
  const page = window.zkvizPage = {
    command, fault, keys, taps: [], heeds: [], clip, download, fill, forget, program, theme, waits,
  };

  function onKey(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || e.key === "Tab") return;
    if (page.taps.some((takes) => takes(e))) {
      e.preventDefault();
      e.stopImmediatePropagation();
      return;
    }
    const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
    const run = e.shiftKey && keys["Shift+" + key] || keys[key];
    const at = e.target.closest ? e.target : document.body;
    const elsewhere = at.closest("input, textarea, select, #timeline, #log, #story-roll");
    if (turns[key] && root.dataset.stage === "ready" && !elsewhere && command("turn", turns[key])) {
      e.preventDefault();
      e.stopImmediatePropagation();
      return;
    }
    if (slide(key, at, e)) return;
    if (at.id === "log" && rows[key]) { e.preventDefault(); return rows[key](); }
    if (!run || isOff(key) || $("keys").open && key !== "Escape") return;
    if (!hasBench && !anywhere.includes(key)) return;
    if (at.closest("input:not([type=radio]), textarea, select")) {
      byPointer = false; // what they choose now, they choose by key
      if (key === "Escape") at.blur();
      return;
    }
    if ((key === " " || key === "Enter") && at.closest("button, summary, a, input")) return;
    if (key.startsWith("Arrow") && at.closest("input[type=radio]") && !byPointer) return;
    e.preventDefault();
    e.stopImmediatePropagation();
    run();
  }

  // The time line is a slider: arrows go event by event, page keys from release to release. So they do in the story,
  // where up and down scroll.
  const slides = { ArrowRight: "event", ArrowLeft: "event-back", PageDown: "next-release", PageUp: "previous-release" };
  const upright = { ArrowUp: "event", ArrowDown: "event-back" };
  function slide(key, at, e) {
    const to = { "timeline": { ...slides, ...upright }, "story-roll": slides }[at.id]?.[key];
    if (!to) return false;
    e.preventDefault();
    command(to);
    return true;
  }
  function drag(track) {
    const seek = (e) => {
      if (!track.dataset.endMs) return; // there is no run yet
      const box = track.getBoundingClientRect();
      const part = Math.min(1, Math.max(0, (e.clientX - box.left) / box.width));
      command("seek", Math.round(part * Number(track.dataset.endMs)));
    };
    track.addEventListener("pointerdown", (e) => { track.setPointerCapture(e.pointerId); track.focus(); seek(e); });
    track.addEventListener("pointermove", (e) => { if (track.hasPointerCapture(e.pointerId)) seek(e); });
  }

  const deeds = {
    theme: keys.t, keys: keys["?"], figures, save, copy, more: () => contend(1), fewer: () => contend(-1),
    reload: () => location.reload(), print: () => window.print(),
  };
  page.deeds = deeds;
  function onClick(e) {
    const b = e.target.closest("button, body [data-seq]");
    if (!b) return;
    if (b.dataset.seq) command("goto-event", b.dataset.seq);
    else if (b.dataset.command) command(b.dataset.command, b.dataset.arg);
    else if (b.dataset.fault) fault(b);
    else if (b.dataset.tab) setTab(b.dataset.tab);
    else if (b.dataset.do) deeds[b.dataset.do](b);
    // After a click the space bar plays and pauses: it must not press the same button again.
    if (e.detail && !b.closest("dialog")) b.blur();
  }

  // Pictures that are not shown are not loaded yet; paper wants them all, in their usual shape. A small screen has them
  // in another, and doesn't load both.
  const small = matchMedia(root.dataset.small);
  function loadPictures() {
    for (const img of all("img.in-light")) img.loading = "eager";
  }

  // Whether the frame is the stage's: in place of it a server, or the browser, may have sent a page that says why not.
  function hasScript(stage) {
    try {
      return "wake" in stage.contentWindow;
    } catch {
      return false;
    }
  }
  function stageAddress() {
    const { address } = $("poster").dataset;
    const { beside, inStep } = page.steps ? page.steps.current().dataset : {};
    const second = beside ? "&" + new URLSearchParams({ beside, "in-step": inStep }) : "";
    const where = page.attends?.zoo(document.querySelector("main")?.dataset.zoo) || "";
    return address + where + page.moment() + second + "&theme=" + theme() + "&motion=" + motion();
  }
  // What is drawn may have come to be elsewhere.
  page.reopen = () => { if ($("stage").src) $("stage").contentWindow.location.replace(stageAddress()); };
  function openStage() {
    const stage = $("stage");
    stage.addEventListener("load", () => {
      if (!hasScript(stage)) {
        return Object.assign(root.dataset, { why: "fetch", because: new URL(stage.src).pathname, stage: "failed" });
      }
      stage.contentWindow.addEventListener("keydown", onKey, true);
    });
    stage.src = stageAddress();
    setTimeout(() => { slow = true; note(); }, 30000);
  }
  // The note says what becomes of the moving picture, and what works without it.
  let slow = false;
  function note() {
    const [out, again] = [$("stage-note"), $("stage-again")];
    const state = root.dataset.stage;
    const loading = waits("play-pause") ? "plays" : slow ? "slow" : state;
    const how = state === "loading" ? loading : state === "failed" && root.dataset.why || state;
    out.textContent = fill(out.dataset[how] || "", root.dataset.because);
    if (again) again.hidden = !["slow", "fetch", "damaged", "policy", "ended"].includes(how);
  }
  function onStage() {
    const state = root.dataset.stage;
    note();
    if (state === "failed") {
      queue = [];
      if (root.dataset.page !== "lesson") delete root.dataset.bench;
    }
    if (state === "ready") {
      command("theme", theme());
      command("motion", motion());
      for (const [name, arg] of queue.splice(0)) command(name, arg);
      if (!navigator.connection?.saveData && !small.matches) (window.requestIdleCallback || setTimeout)(loadPictures);
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    for (const b of all("button[data-fault]")) {
      keys[b.getAttribute("aria-keyshortcuts")] = () => fault(b);
    }
    $("single-keys").checked = kept.get("single-keys") !== "off";
    document.addEventListener("click", onClick);
    warmWhenSeen(all("[data-do=figures][data-to]"));
    document.addEventListener("pointerdown", () => { byPointer = true; }, true);
    document.addEventListener("keyup", (e) => { if (e.key === "Tab") byPointer = false; }, true);
    window.addEventListener("keydown", onKey, true);
    document.addEventListener("change", (e) => {
      if (e.target.id === "single-keys") kept.set("single-keys", e.target.checked ? "on" : "off");
      else if (e.target.matches("select[data-command]")) command(e.target.dataset.command, e.target.value);
      if (byPointer && e.target.matches("select")) e.target.blur();
    });
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", () => command("theme", theme()));
    reduced.addEventListener("change", () => command("motion", motion()));
    window.addEventListener("beforeprint", loadPictures);
    if (!hasBench || !$("stage")) return;

    const flat = matchMedia("(max-height: 500px) and (orientation: landscape)");
    const place = () => setTab(flat.matches ? "lesson" : "inspect");
    flat.addEventListener("change", place);
    place();
    drag($("timeline"));
    new MutationObserver(onStage).observe(root, { attributes: true, attributeFilter: ["data-stage"] });
    new MutationObserver(onContenders).observe(root, { attributes: true, attributeFilter: ["data-contenders"] });
    onStage();
    if (root.dataset.stage === "loading") openStage();
  });
})();
