// The page of a SCORM 1.2 package: it shows a lesson in a frame from its server, and tells the LMS what the lesson's
// messages say. docs/teach.md describes them. What it keeps between two visits, the LMS keeps for it.
(() => {
  "use strict";
  const frame = document.querySelector("iframe");
  const note = document.getElementById("note");
  const { lesson, address, silent, none } = frame.dataset;
  const server = new URL(address).origin;
  const opened = Date.now();
  const patience = 20000; // ms until the frame must have said something

  // The LMS has its object in a window around this one, or in the one that has opened it.
  function inWindow(w) {
    for (let i = 0; w && i < 20; i++, w = w.parent) {
      try { if (w.API) return w.API; } catch { /* a foreign window */ }
      if (w === w.parent) return null;
    }
    return null;
  }
  function find() {
    try { return inWindow(window) || inWindow(window.opener) || inWindow(window.top.opener); } catch { return null; }
  }
  let api = find();
  if (api && String(api.LMSInitialize("")) !== "true") api = null;
  const get = (name) => String(api?.LMSGetValue("cmi." + name) ?? "");
  const set = (name, value) => api?.LMSSetValue("cmi." + name, String(value));
  const looks = ["browse", "review"].includes(get("core.lesson_mode")); // nothing counts

  // The first answer to each question counts: 1 if it was right. A task counts once it's done.
  const isWord = (s) => typeof s === "string" && /^[a-z0-9-]{1,80}$/.test(s);
  const state = { v: 1, first: {}, won: [], last: false };
  const before = (() => {
    try { return JSON.parse(get("suspend_data")); } catch { return null; }
  })();
  const isFresh = before?.v !== state.v;
  if (!isFresh) {
    for (const [name, right] of Object.entries(before.first ?? {})) if (isWord(name)) state.first[name] = right ? 1 : 0;
    state.won = (Array.isArray(before.won) ? before.won : []).filter(isWord);
    state.last = before.last === true;
  }
  const all = { steps: 0, questions: 0, tasks: 0 }; // of the lesson, once it has said so

  function timespan(ms) {
    const two = (n) => String(Math.floor(n)).padStart(2, "0");
    const s = Math.min(ms / 1000, 3599999);
    return two(s / 3600) + ":" + two(s / 60 % 60) + ":" + two(s % 60);
  }
  const isDone = () => all.steps > 0 && state.last && Object.keys(state.first).length >= all.questions;
  function report() {
    if (!api || looks || !all.steps) return;
    const most = all.questions + all.tasks;
    const got = Object.values(state.first).reduce((sum, n) => sum + n, 0) + state.won.length;
    if (most && Object.keys(state.first).length + state.won.length) {
      set("core.score.min", 0);
      set("core.score.max", 100);
      set("core.score.raw", Math.min(100, Math.round(100 * got / most)));
    }
    const status = get("core.lesson_status");
    if (isDone() && !["passed", "failed"].includes(status)) set("core.lesson_status", "completed");
    else if (!isDone() && ["", "not attempted", "unknown"].includes(status)) set("core.lesson_status", "incomplete");
    set("suspend_data", JSON.stringify(state));
    set("core.session_time", timespan(Date.now() - opened));
    api.LMSCommit("");
  }

  const heard = {
    ready({ of, questions, tasks }) {
      [all.steps, all.questions, all.tasks] = [of, questions, tasks].map((n) => Number.isInteger(n) ? n : 0);
      if (isFresh && !looks) frame.contentWindow.postMessage({ zkviz: 1, do: "forget" }, server);
    },
    step({ step, n }) {
      if (!isWord(step)) return;
      state.last ||= n === all.steps;
      if (!looks) set("core.lesson_location", step);
    },
    answered({ question, right }) {
      if (isWord(question)) state.first[question] ??= right === true ? 1 : 0;
    },
    won({ step }) {
      if (isWord(step) && !state.won.includes(step)) state.won.push(step);
    },
  };
  addEventListener("message", ({ source, origin, data }) => {
    if (source !== frame.contentWindow || origin !== server || data?.zkviz !== 1 || data.lesson !== lesson) return;
    if (!Object.hasOwn(heard, data.kind)) return;
    if (data.kind === "ready") say(api ? "" : none);
    heard[data.kind](data);
    report();
  });

  function say(text) {
    note.textContent = text;
    note.hidden = !text;
  }
  setTimeout(() => {
    if (!all.steps) say(silent.replace("{0}", server).replace("{1}", location.origin));
  }, patience);

  let ended = false;
  addEventListener("pagehide", () => {
    if (!api || ended) return;
    ended = true;
    report();
    if (!looks) set("core.exit", isDone() ? "" : "suspend");
    api.LMSFinish("");
  });
  addEventListener("pageshow", (e) => { if (e.persisted) location.reload(); }); // its session with the LMS is over

  const place = get("core.lesson_location");
  frame.src = address + (isWord(place) ? "#" + place : "");
})();
