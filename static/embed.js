// In a frame on another site: keys for what its address asks for, messages to the page around it, and what that page
// may ask for. docs/teach.md describes the messages.
(() => {
  "use strict";
  const root = document.documentElement;
  const page = window.zkvizPage;
  const { embed, lesson } = root.dataset;
  if (embed === undefined) return;
  const version = 1; // of the messages
  const all = (selector) => [...document.querySelectorAll(selector)];
  const here = () => document.querySelector(".step[data-here]");

  // Only pages that the operator allows hear of anything, or are heard. The browser shows us to no others.
  const allowed = document.querySelector("script[data-embed]").dataset.embed.split(" ");
  const around = location.ancestorOrigins?.[0]; // not every browser says
  const isAllowed = (origin) => allowed.includes("*") || allowed.includes(origin);
  // A message names who may get it. Where all may, that's the page around this one, if the browser tells who that is.
  const referrer = URL.canParse(document.referrer) ? new URL(document.referrer).origin : "null";
  const hearers = (allowed.includes("*") ? [around ?? referrer] : allowed.filter((origin) =>
    !around || around === "null" || origin === around)).filter((origin) => origin !== "null");
  function tell(kind, more) {
    if (parent === window) return;
    const message = { zkviz: version, kind, ...(lesson && { lesson }), ...more };
    for (const origin of hearers) parent.postMessage(message, origin);
  }

  let at = ""; // the step that was told last
  function tellStep() {
    const step = here();
    if (!lesson || !step || step.id === at) return;
    at = step.id;
    for (const box of all(".steps, .bench")) box.scrollTop = 0;
    tell("step", { step: at, n: Number(step.dataset.step), of: Number(root.dataset.steps) });
    tellFinished();
  }

  // A lesson is finished where its last step has been shown and all of its questions are answered, now or earlier.
  const questions = all(".ask[data-question]");
  let finished = false;
  function tellFinished() {
    const given = kept.answers();
    const first = questions.map((q) => given[lesson + "/" + q.dataset.question]?.first);
    if (finished || !lesson || here()?.dataset.step !== root.dataset.steps || first.includes(undefined)) return;
    finished = true;
    tell("finished", { right: first.filter(Boolean).length, of: questions.length });
  }
  let won = false;
  function tellWon() {
    const before = won;
    won = root.dataset.taskState === "done";
    const box = all(".challenge").find((c) => c.dataset.task === root.dataset.task);
    if (won && !before && box) tell("won", { step: box.closest(".step").id, level: root.dataset.taskLevel });
  }
  function tellAnswer(e) {
    const ask = e.target.closest(".ask[data-question]");
    if (!ask) return;
    const right = e.target.closest(".choice").dataset.right === "true";
    tell("answered", { step: ask.closest(".step").id, question: ask.dataset.question, right });
    tellFinished();
  }

  function play(wanted) {
    const plays = root.dataset.stage === "ready" ? root.dataset.playing === "true" : page.waits("play-pause");
    if (plays !== wanted) page.command("play-pause");
  }
  const asked = {
    step: ({ step }) => { if (lesson && all(".step").some((s) => s.id === step)) page.steps.leaveFor("#" + step); },
    play: () => play(true),
    pause: () => play(false),
    forget: () => {
      if (!lesson) return;
      page.answers?.forget();
      finished = false;
    },
    theme: ({ theme }) => {
      if (theme !== "light" && theme !== "dark") return;
      root.dataset.theme = theme;
      page.command("theme", theme);
    },
  };
  window.addEventListener("message", ({ source, origin, data }) => {
    if (source !== parent || parent === window || !isAllowed(origin)) return;
    if (!data || data.zkviz !== version || typeof data.do !== "string" || !Object.hasOwn(asked, data.do)) return;
    asked[data.do](data);
  });

  // Links lead out of the frame; the last one to what is shown, in the whole page.
  function leave(e) {
    const a = e.target.closest("a[href]");
    if (!a || a.getAttribute("href").startsWith("#")) return;
    [a.target, a.rel] = ["_blank", "noopener"];
    if (a.id === "leave-frame") a.href = whole();
  }
  function whole() {
    const address = new URL(location);
    for (const name of page.frames) address.searchParams.delete(name);
    return root.dataset.stage === "ready" && page.link() || address;
  }

  // A page of this very site around the frame would be scrolled along.
  Element.prototype.scrollIntoView = function () {
    const box = [this.closest(".steps"), this.closest(".bench")].find((e) => e?.scrollHeight > e?.clientHeight);
    if (!box) return;
    const [own, its] = [this.getBoundingClientRect(), box.getBoundingClientRect()];
    if (own.bottom > its.bottom) box.scrollTop += Math.min(own.bottom - its.bottom, own.top - its.top);
    else if (own.top < its.top) box.scrollTop += own.top - its.top;
  };

  document.addEventListener("DOMContentLoaded", () => {
    const keys = {
      steps: ["ArrowRight", "ArrowLeft"],
      play: [" ", ".", ",", "[", "]", "Home", "End"],
      faults: ["0", "n", "Shift+n", "m", "Enter", "Escape", "a", ..."123456789",
        ...all("[data-fault]").map((b) => b.getAttribute("aria-keyshortcuts"))],
    };
    const own = embed.split(" ").flatMap((part) => keys[part] || []);
    for (const key of Object.keys(page.keys)) if (!own.includes(key)) delete page.keys[key];
    document.getElementById("leave-frame").href = whole();
    document.addEventListener("click", leave, true);
    document.addEventListener("change", tellAnswer);
    const steps = document.getElementById("steps");
    if (steps) new MutationObserver(tellStep).observe(steps, { attributeFilter: ["data-here"], subtree: true });
    new MutationObserver(tellWon).observe(root, { attributeFilter: ["data-task-state"] });
    tell("ready", lesson && {
      of: Number(root.dataset.steps), questions: questions.length, tasks: all(".challenge").length,
    });
    tellStep();
  });
})();
