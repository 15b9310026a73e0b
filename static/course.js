// Where the reader has been in the course, and what they have won. It is kept in this browser and sent nowhere.
(() => {
  "use strict";
  const root = document.documentElement;
  const page = window.zkvizPage;
  const $ = (id) => document.getElementById(id);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const key = "course";
  const { isWord, most } = kept; // of lessons, and of steps of one

  // A record is {lessons: {NAME: {seen: [ANCHOR], won: [ANCHOR], par: [ANCHOR]}}, last: {lesson: NAME, step: ANCHOR}}.
  // What is won with as few actions as it takes is among par, too.
  const lists = ["seen", "won", "par"];
  const empty = () => ({ seen: [], won: [], par: [] });
  const words = (list) => [...new Set(Array.isArray(list) ? list.filter(isWord) : [])];
  function clean(record) {
    const out = { lessons: {} };
    const lessons = record && typeof record.lessons === "object" && record.lessons || {};
    for (const name of words(Object.keys(lessons)).slice(0, most)) {
      const of = lessons[name] || {};
      out.lessons[name] = empty();
      for (const list of lists) out.lessons[name][list] = words(of[list]).slice(0, most);
    }
    const { lesson, step } = record && record.last || {};
    if (isWord(lesson) && isWord(step)) out.last = { lesson, step };
    return out;
  }
  const read = () => clean(kept.read(key));
  const write = (record) => kept.write(key, record);

  // In a lesson: what is shown has been seen.
  function note() {
    const step = document.querySelector(".step[data-here]");
    if (!step) return;
    const { lesson } = kept;
    const record = read();
    const of = record.lessons[lesson] || (record.lessons[lesson] = empty());
    const before = JSON.stringify(record);
    if (!of.seen.includes(step.id)) of.seen.push(step.id);
    const won = root.dataset.taskState === "done" && step.querySelector("[data-task]") ||
      step.querySelector(".finding[data-state=held]");
    if (won && !of.won.includes(step.id)) of.won.push(step.id);
    const least = won && won.dataset.task && root.dataset.taskLevel === "par";
    if (least && !of.par.includes(step.id)) of.par.push(step.id);
    record.last = { lesson, step: step.id };
    if (JSON.stringify(record) !== before) write(record);
  }

  // What was won on an earlier visit is told beside its task.
  function remind() {
    const of = read().lessons[kept.lesson];
    for (const box of all(".challenge")) {
      const { id } = box.closest(".step");
      const before = box.querySelector(".before");
      before.hidden = !of || !of.won.includes(id);
      if (!before.hidden) before.textContent = before.dataset[of.par.includes(id) ? "par" : "over"];
    }
  }

  // On the page of the course: what has been seen is marked, and one can go on.
  function show() {
    const record = read();
    for (const card of all(".card[data-lesson]")) {
      const been = card.querySelector(".been");
      const of = record.lessons[card.dataset.lesson];
      const seen = of ? of.seen.length : 0;
      const whole = seen >= Number(card.dataset.steps);
      been.textContent = [
        whole ? been.dataset.all : seen ? been.dataset.seen.replace("{0}", seen) : "",
        of && of.won.length ? been.dataset.won : "",
      ].filter(Boolean).join(", ");
      const state = whole ? "all" : seen ? "some" : "";
      for (const e of all(`[data-lesson="${card.dataset.lesson}"]`)) {
        e.dataset.seen = state;
        e.dataset.won = String(!!of && of.won.length > 0);
      }
    }
    const begin = $("begin");
    const last = record.last && document.querySelector(`.card[data-lesson="${record.last.lesson}"]`);
    if (!begin.dataset.first) {
      [begin.dataset.first, begin.dataset.words] = [begin.getAttribute("href"), begin.textContent];
    }
    begin.href = last ? last.querySelector("a").getAttribute("href") + "#" + record.last.step : begin.dataset.first;
    begin.textContent = last
      ? begin.dataset.continue.replace("{0}", last.querySelector(".card-title").textContent) : begin.dataset.words;
    page.again?.();
    $("kept").hidden = Object.keys(record.lessons).length === 0 && !$("kept").dataset.used;
  }

  const tell = (what) => {
    const status = $("kept").querySelector("[role=status]");
    $("kept").dataset.used = "true";
    status.textContent = status.dataset[what];
  };
  function save() {
    const all = { ...read(), answers: kept.answers() };
    page.download(new Blob([JSON.stringify(all)], { type: "application/json" }), "zkviz-course.json");
  }
  async function open(input) {
    const [file] = input.files;
    if (!file) return;
    let got = null;
    try { got = file.size < 1e6 ? JSON.parse(await file.text()) : null; } catch { /* told below */ }
    input.value = "";
    if (!got || typeof got.lessons !== "object") return tell("bad");
    const [mine, theirs] = [read(), clean(got)];
    for (const [name, of] of Object.entries(theirs.lessons)) {
      const own = mine.lessons[name] || empty();
      for (const list of lists) own[list] = words([...own[list], ...of[list]]);
      mine.lessons[name] = own;
    }
    mine.last = mine.last || theirs.last;
    write(mine);
    kept.write("answers", { ...kept.answers(got.answers || {}), ...kept.answers() });
    show();
    tell("opened");
  }
  function erase() {
    write({});
    kept.write("answers", {});
    kept.write("again", {});
    show();
    tell("erased");
  }

  document.addEventListener("DOMContentLoaded", () => {
    if (root.dataset.page === "lesson") {
      const attributeFilter = ["data-here", "data-state"]; // a repaired program holds
      new MutationObserver(note).observe($("steps"), { attributes: true, attributeFilter, subtree: true });
      new MutationObserver(note).observe(root, { attributes: true, attributeFilter: ["data-task-state"] });
      remind();
      return note();
    }
    if (root.dataset.page !== "home") return;
    show();
    window.addEventListener("pageshow", show);
    document.addEventListener("click", (e) => {
      const b = e.target.closest("button[data-kept]");
      if (b) ({ save, erase })[b.dataset.kept]();
    });
    document.addEventListener("change", (e) => { if (e.target.dataset.kept === "open") open(e.target); });
  });
})();
