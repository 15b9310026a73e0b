// Turning the steps of a lesson: on its still pictures until the stage shows, and where it never does. With the stage
// the steps follow the run, and the run the steps.
(() => {
  "use strict";
  const root = document.documentElement;
  const $ = (id) => document.getElementById(id);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const page = window.zkvizPage;
  const steps = all(".step");
  if (!steps.length) return;
  if (root.dataset.page !== "lesson") { // the Lab's task is its only step
    page.steps = { current: () => steps[0], gotoStep: () => page.command("branch", 0) };
    return;
  }

  const shows = () => root.dataset.stage === "ready";
  const here = () => steps.findIndex((s) => s.dataset.here);
  const current = () => steps[here()];
  // At a challenge, and where lines in the right order are played, the step stays until the reader leaves it.
  const task = (step) => step.querySelector(".challenge");
  const isFree = () => !!current().querySelector(".challenge, .order [data-state=held]");

  // Those who turned to another step want to read it; where the page scrolls its words may be out of sight.
  let turned = false;
  const small = matchMedia("(max-width: 759.9px), (max-height: 500px)");
  const titleOf = (step) => step.querySelector(".step-title");
  const wordsOf = (step) => step.querySelector(".words");
  // Whether there is room below the stage, above the buttons, from the top of one part of a step to the end of another.
  function fits(from, to) {
    const style = getComputedStyle(from);
    const room = innerHeight - parseFloat(style.scrollMarginTop) - parseFloat(style.scrollMarginBottom);
    return to.getBoundingClientRect().bottom - from.getBoundingClientRect().top <= room;
  }
  // A step begins right below the stage, without its title if only that leaves room for a part of it.
  const begin = (step, part) =>
    ([titleOf(step), wordsOf(step)].find((from) => fits(from, part)) || titleOf(step)).scrollIntoView();
  // On a phone one with a task does, for the task's sake.
  let touched = false; // since then, by the reader
  function toTask(step) {
    if (!small.matches || !task(step)) return;
    begin(step, step.querySelector(".task"));
    touched = false;
  }
  // One that is longer than the room below the stage does, for its first paragraph's.
  function toWords(step) {
    if (small.matches && !fits(titleOf(step), wordsOf(step))) return begin(step, wordsOf(step).firstElementChild);
    wordsOf(step).scrollIntoView({ block: "nearest" });
    titleOf(step).scrollIntoView({ block: "nearest" });
  }

  function showStep(anchor, say) {
    const next = steps.find((s) => s.id === anchor);
    if (!next) return false;
    for (const s of steps) delete s.dataset.here;
    next.dataset.here = "true";
    for (const a of all(".progress a")) {
      if (a.hash === "#" + anchor) a.setAttribute("aria-current", "step"); else a.removeAttribute("aria-current");
    }
    $("step-count").textContent = next.dataset.count;
    for (const b of all("[data-command=step-back]")) b.setAttribute("aria-disabled", String(next === steps[0]));
    showPicture();
    if (say) $("announce").textContent = next.dataset.count + ". " +
      wordsOf(next).textContent.replace(/\s+/g, " ").trim();
    next.closest(".lesson").scrollTop = 0;
    if (turned) toWords(next);
    toTask(next);
    turned = false;
    // Who goes on leaves the moment that the address names.
    if (location.hash !== "#" + anchor) history.replaceState(null, "", page.path() + "#" + anchor);
    return true;
  }

  // The step's still picture, with the promises that are broken in it, and the pictures of the next two steps ahead of
  // the reader, in the colours that are shown.
  const ahead = 2;
  function showPicture() {
    if (shows()) return;
    const from = all(".reading picture > *", current());
    all("#poster picture > *").forEach((part, i) => {
      if (part.matches("img")) part.loading = "lazy"; // the one in the other colours stays where it is
      for (const name of ["media", "srcset", "width", "height", "src", "alt"]) {
        const value = from[i].getAttribute(name);
        if (value !== part.getAttribute(name)) part.setAttribute(name, value);
      }
    });
    const broken = [...current().querySelector(".reading .verdict").cloneNode(true).children];
    $("verdict").replaceChildren(...broken);
    $("verdict").dataset.state = broken.length ? "broken" : "ok";
    if (navigator.connection?.saveData) return;
    const next = steps.slice(here() + 1, here() + 1 + ahead);
    for (const s of next) s.querySelector(".reading .in-" + page.theme()).loading = "eager";
  }

  // Steps belong to the run as it is told, so going to one leaves the branches that faults have made. Until the stage
  // shows, it is told where the reader is, and begins there.
  function gotoStep(anchor, how = "goto-step") {
    if (shows()) {
      if ((root.dataset.branch || "0") !== "0") page.command("branch", 0);
      return page.command(how, anchor);
    }
    const { id, dataset: { beside = "", inStep = "" } } = current();
    root.dataset.reading = new URLSearchParams({ step: id, beside, "in-step": inStep });
    page.forget();
    page.program()?.command("meet", root.dataset.reading);
  }
  function turn(to, how) {
    turned = true;
    if (to && showStep(to.id, true)) gotoStep(to.id, how);
  }

  // Somebody else's page leads to a step. The stage goes there by itself, unless it's to be turned, too.
  function follow(anchor, goes) {
    if (anchor === current().id || !steps.some(({ id }) => id === anchor)) return false;
    turned = true;
    showStep(anchor, true);
    if (goes || !shows()) gotoStep(anchor);
    return true;
  }

  // A step is turned here unless the stage has to go there: then it says so.
  page.heeds.push((name) => {
    const by = { "step": 1, "step-back": -1 }[name];
    if (shows()) {
      turned ||= !!by;
      if (by < 0 && here() === 0) return true; // it's the first: the run's start has no words
      const free = isFree() || root.dataset.branch !== "0";
      const skips = by > 0 && root.dataset.going; // to the point of the step that is being played
      if (!by || !free || skips) return false;
      turn(steps[here() + by], by > 0 ? "tell-step" : "goto-step");
      return true;
    }
    const to = { "step": here() + 1, "step-back": here() - 1, "start": 0, "end": steps.length - 1 }[name];
    if (to !== undefined) turn(steps[to]);
    return to !== undefined;
  });
  function onStep(e) {
    if (shows() && !isFree()) showStep(e.detail.anchor, true);
  }
  function gotoHash(hash) {
    const anchor = hash.slice(1);
    const known = showStep(anchor, true);
    if (known && !page.moment()) gotoStep(anchor);
    return known;
  }
  // Who goes on leaves the moment that the address names.
  function leaveFor(hash) {
    history.replaceState(null, "", page.path() + hash);
    gotoHash(hash);
  }

  // A finger turns the step, on the picture or on the words, unless it scrolls what it is on, or the whole page.
  const far = 48, edge = 24; // CSS px; at the edge the browser has a gesture of its own
  const scrolls = (e) => e && (e.scrollWidth > e.clientWidth && getComputedStyle(e).overflowX !== "visible" ||
    scrolls(e.parentElement));
  function swipe(on, left = () => 0) {
    let from = null;
    on.addEventListener("touchstart", (e) => {
      const [at, second] = e.touches;
      const x = at.clientX + left();
      const outer = x < edge || x > innerWidth - edge;
      const taken = scrolls(e.target) || e.target.type === "range";
      from = second || outer || visualViewport.scale > 1.01 || taken ? null : at;
    }, { capture: true, passive: true });
    on.addEventListener("touchend", (e) => {
      const [at] = e.changedTouches;
      const x = from ? at.clientX - from.clientX : 0;
      const y = from ? at.clientY - from.clientY : 0;
      from = null;
      if (Math.abs(x) > Math.max(far, 2 * Math.abs(y))) page.command(x < 0 ? "step" : "step-back");
    }, { capture: true, passive: true });
  }
  const { embed } = root.dataset;
  if (embed === undefined || embed.includes("steps")) {
    swipe($("poster"));
    swipe($("steps"));
    const stage = $("stage");
    stage.addEventListener("load", () => swipe(stage.contentWindow, () => stage.getBoundingClientRect().left));
  }

  page.steps = { current, gotoStep, leaveFor, toWords, follow };
  document.addEventListener("click", (e) => {
    const at = e.target.closest(".progress a[aria-current]");
    if (!at) return;
    e.preventDefault();
    gotoStep(at.hash.slice(1), "tell-step"); // from its start
  });
  for (const way of ["wheel", "touchmove", "pointerdown", "keydown"]) {
    addEventListener(way, () => { touched = true; }, { capture: true, passive: true });
  }
  document.addEventListener("zkviz", onStep);
  // Who has just opened the page sees its first step happen.
  let opened = false;
  // Before the first step's end there is no step: its words are the first ones.
  new MutationObserver((m) => {
    if (m[0].oldValue && !root.dataset.step) onStep({ detail: { anchor: steps[0].id } });
  }).observe(root, { attributes: true, attributeFilter: ["data-step"], attributeOldValue: true });
  new MutationObserver(() => {
    if (!shows()) return showPicture();
    delete root.dataset.reading;
    if (touched) return;
    toTask(current()); // what has come with the stage has moved it
    if (!opened && here() === 0 && !page.moment()) page.command("play-first");
    opened = true;
  }).observe(root, { attributes: true, attributeFilter: ["data-stage"] });
  // A step that is reached meanwhile is the address by now: the event says where the reader wants to go.
  window.addEventListener("hashchange", (e) => leaveFor(new URL(e.newURL).hash));
  // A link to a moment that was made by hand may name no step.
  if (page.moment() && !steps.some(({ id }) => location.hash === "#" + id)) {
    history.replaceState(null, "", location.pathname + location.search + "#" + steps[0].id);
  }
  if (!gotoHash(location.hash) && showStep(steps[0].id, false)) gotoStep(steps[0].id);
  // While the page loads, the browser goes to the step that the address names.
  addEventListener("load", () => { if (!touched) toTask(current()); });
})();
