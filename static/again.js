// Questions that come back: one that was answered on another day is asked again, after 1, 3, 7 and 21 days for as long
// as the first try is right, and after a day if it's wrong. The first page says so, and the page of all questions asks.
(() => {
  "use strict";
  const root = document.documentElement;
  const $ = (id) => document.getElementById(id);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const atOnce = 3; // on one day
  const known = all("[data-asks]").flatMap((box) => box.dataset.asks.split(" ")); // in the order of the course
  const lessonOf = (name) => name.split("/")[0];
  const dueOn = ({ day, times }) => day + (kept.waits[times] ?? Infinity);

  // One is of the newest lesson, the others have waited longest, and as many as can be are of different lessons.
  function pick(given) {
    const due = known.filter((name) => given[name] && dueOn(given[name]) <= kept.today());
    const longest = [...due].sort((a, b) => dueOn(given[a]) - dueOn(given[b]));
    const wanted = [...due.slice(-1), ...longest];
    const picked = new Set();
    for (const isFree of [(name) => ![...picked].some((p) => lessonOf(p) === lessonOf(name)), () => true]) {
      for (const name of wanted) if (picked.size < atOnce && isFree(name)) picked.add(name);
    }
    return known.filter((name) => picked.has(name));
  }

  // Today's questions are chosen once: {"the-herd/fan": "one"}, and "" for one that's still open.
  function todays(given) {
    const { day, asked } = kept.read("again");
    const isMine = ([name, chosen]) => known.includes(name) && given[name] && (chosen === "" || kept.isWord(chosen));
    const mine = day === kept.today() ? Object.entries(asked || {}).filter(isMine) : [];
    if (mine.length) return Object.fromEntries(mine.slice(0, atOnce));
    return Object.fromEntries(pick(given).map((name) => [name, ""]));
  }
  const openOf = (asked) => Object.values(asked).filter((chosen) => !chosen).length;

  function offer() {
    const open = openOf(todays(kept.answers()));
    $("again").hidden = !open;
    $("again-title").textContent = $("again-title").dataset["some-" + open] || "";
  }

  // What isn't asked today is hidden, unless all are wanted.
  function show() {
    const given = kept.answers();
    const asked = todays(given);
    const names = Object.keys(asked);
    const whole = location.hash === "#all";
    for (const box of all(".review")) box.hidden = !whole && !names.includes(box.dataset.asks);
    for (const part of all(".asked-part")) part.hidden = !part.querySelector(".review:not([hidden])");
    const [title, lead] = [$("again-title"), $("again-lead")];
    const how = whole ? "all" : names.length ? "some" : "none";
    title.textContent = title.dataset[how === "some" ? "some-" + names.length : how];
    const next = Math.min(...known.map((name) => given[name] ? dueOn(given[name]) : Infinity)) - kept.today();
    lead.textContent = how !== "none" || next === Infinity ? lead.dataset[how]
      : next === 1 ? lead.dataset.tomorrow : lead.dataset.next.replace("{0}", next);
    $("again-all").hidden = whole;
    for (const name of names) tell(name, asked[name], given[name]);
    done(asked);
    root.dataset.again = how;
  }
  const boxOf = (name) => all(".review").find((box) => box.dataset.asks === name);

  // What was answered today stands there again, and when it comes back.
  function tell(name, chosen, one) {
    const input = chosen && all("input", boxOf(name)).find((i) => i.value === chosen);
    if (!input) return;
    if (!input.checked) {
      input.checked = true;
      input.dispatchEvent(new Event("change", { bubbles: true })); // answers.js says whether it's right
    }
    const words = $("all").dataset;
    const wait = kept.waits[one.times];
    const text = !wait ? words.known : wait === 1 ? words.tomorrow : words.days.replace("{0}", wait);
    boxOf(name).querySelector(".comes").textContent = text;
  }
  function done(asked) {
    const isDone = Object.keys(asked).length > 0 && !openOf(asked);
    $("again-done").textContent = isDone ? $("again-done").dataset.says : "";
  }

  // Only the first choice counts.
  function answer(input) {
    const name = input.closest(".review")?.dataset.asks;
    const given = kept.answers();
    const asked = todays(given);
    if (asked[name] !== "") return;
    const isRight = input.closest(".choice").dataset.right === "true";
    Object.assign(given[name], { day: kept.today(), times: isRight ? given[name].times + 1 : 0 });
    asked[name] = input.value;
    kept.write("answers", given);
    kept.write("again", { day: kept.today(), asked });
    tell(name, input.value, given[name]);
    done(asked);
  }

  const look = $("again") ? offer : show;
  window.zkvizPage.again = look;
  look();
  window.addEventListener("pageshow", (e) => { if (e.persisted) look(); });
  if (look === offer) return;
  window.addEventListener("hashchange", show);
  document.addEventListener("change", (e) => { if (e.target.matches(".ask input")) answer(e.target); });
})();
