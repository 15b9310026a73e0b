// What the browser keeps for the reader: the theme, which panels are open, answers, whether letters are shortcuts.
// Nobody else learns of it. A private window may refuse to keep anything, and there may be no room: then it lasts as
// long as the page, which says so. Other sites may keep things beside ours: on one host all have the same store.
(() => {
  "use strict";
  const prefix = "zkviz.";
  const here = {}; // what the browser didn't take
  const parse = (text) => {
    try { return JSON.parse(text); } catch { return undefined; }
  };
  const isObject = (value) => !!value && typeof value === "object" && !Array.isArray(value);
  const record = (text) => isObject(parse(text));
  const among = (...values) => (text) => values.includes(text);
  const forms = {
    theme: among("light", "dark"), "single-keys": among("on", "off"),
    "offline-full": (text) => /^[\w.-]{1,100}$/.test(text),
    again: record, answers: record, "class-keys": record, course: record, panels: record,
  };
  // What was written there by hand, or by another version, may be anything.
  const get = (name) => {
    let text = here[name];
    try { text ??= localStorage.getItem(prefix + name); } catch { /* nothing is kept */ }
    return text !== null && text !== undefined && forms[name](text) ? text : null;
  };
  const set = (name, text) => {
    here[name] = text;
    try {
      localStorage.setItem(prefix + name, text);
      delete here[name];
    } catch { /* it lasts as long as the page */ }
  };
  const read = (name) => parse(get(name)) ?? {};

  // An answer to "the-herd/fan" is {chosen: "one", first: false, day: 20786, times: 0}: the choice in the lesson,
  // whether the first one was right, the day of the last one that counts, and how many times in a row it was known when
  // it was asked again. Then it comes back after so many days. Of a day to come nothing is believed; a traveller's may
  // be the next one.
  const waits = [1, 3, 7, 21];
  const most = 500; // what is opened from a file may come from anywhere
  const today = () => {
    const now = new Date();
    return Date.UTC(now.getFullYear(), now.getMonth(), now.getDate()) / 864e5;
  };
  const isWord = (s) => typeof s === "string" && /^[a-z0-9-]{1,80}$/.test(s);
  const count = (n, top) => Number.isInteger(n) && n >= 0 && n <= top ? n : 0;
  function answers(from = read("answers")) {
    const out = {};
    for (const [name, given] of Object.entries(from).slice(0, most)) {
      if (!name.split("/").every(isWord) || !isWord(given?.chosen)) continue;
      const { chosen, first, day, times } = given;
      out[name] = {
        chosen, first: first === true, day: count(day, today() + 1), times: count(times, waits.length),
      };
    }
    return out;
  }

  // Before, the names had no prefix. What was kept then is taken over, once. A theme may be another site's, and stays.
  function takeOver() {
    if (localStorage.getItem(prefix + "taken")) return;
    for (const name of Object.keys(forms)) {
      const text = localStorage.getItem(name);
      if (text === null || !forms[name](text)) continue;
      if (get(name) === null) set(name, text);
      if (name !== "theme" && !(name in here)) localStorage.removeItem(name);
    }
    localStorage.setItem(prefix + "taken", "true");
  }
  try { takeOver(); } catch { /* nothing is kept */ }
  const some = 1000; // characters: room for what a reader does next
  try {
    localStorage.setItem(prefix + "room", " ".repeat(some));
    localStorage.removeItem(prefix + "room");
  } catch {
    document.documentElement.dataset.unkept = "true";
  }
  // What is kept of a lesson goes by its name; empty on other pages.
  const lesson = document.documentElement.dataset.lesson || "";
  const write = (name, value) => set(name, JSON.stringify(value));
  window.kept = { lesson, most, waits, get, set, read, write, answers, isWord, today };
})();
