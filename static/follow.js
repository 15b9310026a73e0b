// One page leads and others follow: page.place() says where a page is, page.follow(place) goes there. page.onplace(f)
// tells whenever a page has moved, and page.onown(f) that its reader has moved it. Who carries a place from one page to
// another is no matter here.
//
// A place is {page, step, query, playing, speed}: a path without its language, with a scenario's parameters; the anchor
// of a lesson's step; what a link to the moment has, with the step that the stage is at, and whether it tells that.
// Without a stage the query is empty. Of a run that happens now it has only what is selected.
(() => {
  "use strict";
  const root = document.documentElement;
  const { dataset } = root;
  const page = window.zkvizPage;
  const $ = (id) => document.getElementById(id);
  const home = new URL(document.querySelector(".brand").href).pathname.replace(/\/$/, ""); // of this language
  const shows = () => dataset.stage === "ready" && page.program();
  const position = () => new URLSearchParams(shows() ? page.program().position() : "");

  // In a lesson all parameters are a moment's. Elsewhere, faults are the scenario's.
  const path = () => {
    const left = page.own.filter((name) => name !== "fault").concat(page.frames);
    const all = dataset.page === "lesson" ? [] : [...new URLSearchParams(location.search)];
    const query = new URLSearchParams(all.filter(([name]) => !left.includes(name)));
    return (location.pathname.slice(home.length) || "/") + (query.size ? "?" + query : "");
  };

  page.place = () => {
    const is = position();
    const step = dataset.page === "lesson" && document.querySelector(".step[data-here]")?.id || "";
    const place = { page: path(), step, query: "", playing: false, speed: 1 };
    if (!is.get("run") || is.has("file")) return place;
    const live = is.has("live");
    const says = new URLSearchParams();
    const put = (name, as = name) => is.getAll(name).forEach((value) => says.append(as, value));
    if (!live) ["fault", "at", "event"].forEach((name) => put(name));
    if (is.get("selected")) put("selected", "select");
    // Another branch may have another number elsewhere, but the first.
    const beside = is.get("beside");
    if (!live && beside && !/^branch [1-9]/.test(beside)) ["beside", "in-step"].forEach((name) => put(name));
    if (!live && is.get("step")) ["step", "tells"].forEach((name) => put(name));
    return { ...place, query: String(says), playing: !live && is.has("playing"), speed: Number($("speed").value) || 1 };
  };

  // Returns "" if it shows the place, or will; the address to go to, for another page; null if this page can't show it.
  let wanted = null; // the last place, until the reader leaves it
  let leads = false; // what moves now, this moves
  page.follow = (place) => {
    if (!/^\/(?!\/)/.test(place.page)) return null;
    const to = new URL(home + place.page, location.href);
    if (to.origin !== location.origin) return null; // a backslash is as good as a slash
    if (place.page !== path()) return to.pathname + to.search + (place.step ? "#" + place.step : "");
    const moves = !!wanted && JSON.stringify(wanted) !== JSON.stringify(place);
    wanted = place;
    leads = true;
    const turns = page.steps?.follow?.(place.step, !place.query);
    const shown = !shows() || go(place, turns, moves);
    leads = false;
    return shown ? "" : null;
  };
  const mostFaults = 50; // as in engine/run/link
  function go({ query, playing, speed }, turns, moves) {
    if (!query) return true;
    const to = new URLSearchParams(query);
    const is = position();
    const { command } = page.program();
    const set = (name, value, was) => { if (value && value !== was) command(name, value); };
    to.append("selected", to.get("select") || "");
    if (is.has("file") || to.getAll("fault").length > mostFaults) return false;
    if (is.has("live") || !to.has("at")) return command("select", to.get("selected"));
    // The same speed, too: it ends what the stage says.
    set("speed", String(speed), !moves && $("speed").value);
    set("in-step", to.get("in-step"), is.get("in-step"));
    if ((to.get("beside") || "") !== (is.get("beside") || "")) command("beside", to.get("beside") || "");
    if (playing) to.append("playing", "");
    return (turns ? page.command : command)("follow", String(to)); // other scripts put away what was of the last step
  }
  new MutationObserver(() => { if (wanted && shows()) go(wanted); })
    .observe(root, { attributes: true, attributeFilter: ["data-stage"] });

  // A page that plays moves as others expect. It tells of more than that at once, and where it is each two seconds.
  const pause = 100, beat = 2000; // ms
  const hearers = [];
  let moved = false; // by a command, which may have changed the time
  let said = "", atMs = 0, looked = 0, due = 0;
  function look(always) {
    due = 0;
    looked = performance.now();
    const place = page.place();
    const back = Number(dataset.atMs) < atMs; // a step that loops
    atMs = Number(dataset.atMs) || 0;
    const { query, playing } = place;
    const key = JSON.stringify({ ...place, query: playing ? query.replace(/(^|&)at=[^&]*/, "") : query });
    if (key === said && !moved && !back && !always) return;
    [said, moved] = [key, false];
    for (const f of hearers) f(place);
  }
  const lookSoon = () => { due ||= setTimeout(look, Math.max(0, looked + pause - performance.now())); };
  page.onplace = (f) => {
    hearers.push(f);
    lookSoon();
    if (hearers.length > 1) return;
    const marks = ["seq", "at-ms", "step", "going", "branch", "selected", "playing", "beside", "file", "stage"];
    const see = new MutationObserver(lookSoon);
    see.observe(root, { attributes: true, attributeFilter: marks.map((name) => "data-" + name) });
    if ($("steps")) see.observe($("steps"), { attributes: true, attributeFilter: ["data-here"], subtree: true });
    setInterval(() => look(true), beat);
  };

  // What the reader does that moves the run, the step or the selection.
  const deeds = [
    "step", "step-back", "goto-step", "tell-step", "play-pause", "event", "event-back", "next-release",
    "previous-release", "start", "end", "goto-event", "seek", "replay", "speed", "branch", "fault", "beside", "in-step",
    "host", "again", "retry", "select", "select-next", "select-previous", "turn", "show", "close-file",
  ];
  const owners = [];
  page.onown = (f) => owners.push(f);
  function own() {
    if (leads) return;
    wanted = null;
    for (const f of owners) f();
  }
  page.heeds.unshift((name) => {
    if (!deeds.includes(name)) return false;
    moved = true;
    if (hearers.length) lookSoon();
    own();
    return false;
  });
  addEventListener("hashchange", own);
  new MutationObserver(() => { if (dataset.file) own(); })
    .observe(root, { attributes: true, attributeFilter: ["data-file"] });
  // What is tapped on the stage gets selected after this.
  const onTap = () => {
    const was = dataset.selected;
    setTimeout(() => { if (dataset.selected !== was) own(); });
  };
  $("stage")?.addEventListener("load", ({ target: { contentWindow } }) => {
    for (const name of ["pointerup", "contextmenu"]) contentWindow.addEventListener(name, onTap, true);
  });
})();
