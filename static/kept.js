// What the browser keeps for the reader: the theme, which panels are open, answers, whether letters are shortcuts.
// Nobody else learns of it. A private window may refuse to keep anything, and there may be no room: then it lasts as
// long as the page, which says so.
(() => {
  "use strict";
  const here = {};
  const get = (name) => {
    try { return localStorage.getItem(name) ?? here[name] ?? null; } catch { return here[name] ?? null; }
  };
  const set = (name, text) => {
    here[name] = text;
    try { localStorage.setItem(name, text); } catch { /* it lasts as long as the page */ }
  };
  // What was written there by hand, or by another version, may be anything.
  const read = (name) => {
    try {
      const value = JSON.parse(get(name));
      return value && typeof value === "object" && !Array.isArray(value) ? value : {};
    } catch {
      return {};
    }
  };
  const some = 1000; // characters: room for what a reader does next
  try {
    localStorage.setItem("room", " ".repeat(some));
    localStorage.removeItem("room");
  } catch {
    document.documentElement.dataset.unkept = "true";
  }
  // What is kept of a lesson goes by its name; empty on other pages.
  const lesson = document.documentElement.dataset.lesson || "";
  window.kept = { lesson, get, set, read, write: (name, value) => set(name, JSON.stringify(value)) };
})();
