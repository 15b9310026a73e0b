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
    answers: record, course: record, panels: record,
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
  window.kept = { lesson, get, set, read, write: (name, value) => set(name, JSON.stringify(value)) };
})();
