// Before the first paint: the theme, what another site's frame asks for, and whether the stage can run here. If it can,
// its program is fetched and compiled as soon as the page can be read and answers, while the stage's frame opens.
// stage.js takes it, and the words for it.
(() => {
  "use strict";
  const root = document.documentElement;
  const { program, words, embed } = document.currentScript.dataset; // no program: this server was built without
  const asked = new URLSearchParams(location.search);
  const embedded = embed && asked.has("embed") && ["lesson", "lab"].includes(root.dataset.page);
  // The theme that a reader has chosen is for the reader's own pages.
  const theme = embedded ? ["light", "dark"].find((name) => name === asked.get("theme")) : kept.get("theme");
  if (theme) root.dataset.theme = theme;
  if (embedded) {
    const parts = asked.get("embed").split(",");
    root.dataset.embed = ["words", "steps", "play", "faults"].filter((name) => parts.includes(name)).join(" ");
  }
  root.dataset.js = "true";
  if (!["lesson", "lab", "live", "zoo"].includes(root.dataset.page)) return;
  const onDisk = location.protocol === "file:"; // there no page may read a file
  root.dataset.lacks = onDisk ? "host" : !("WebAssembly" in window) ? "WebAssembly"
    : "WebGL2RenderingContext" in window ? "" : "WebGL 2";
  const able = program && !root.dataset.lacks;
  root.dataset.stage = able ? "loading" : "failed";
  if (able || root.dataset.page === "lesson") root.dataset.bench = "true"; // a lesson has its still pictures anyway
  if (!able) return;
  const parsed = new Promise((done) => document.addEventListener("DOMContentLoaded", () => setTimeout(done)));
  async function get(address) {
    const response = await fetch(address);
    if (!response.ok) throw new Error(address + ": " + response.status);
    return response;
  }
  async function load() {
    await parsed; // text, picture and Next come first
    if (!document.createElement("canvas").getContext("webgl2")) {
      root.dataset.lacks = "WebGL 2";
      root.dataset.stage = "failed";
      return null;
    }
    // The compiler gets the response as it comes: so the browser keeps what it has compiled for the next visit.
    return Promise.all([WebAssembly.compileStreaming(get(program)), get(words).then((response) => response.text())]);
  }
  window.zkvizStage = load();
  window.zkvizStage.catch(() => {}); // stage.js tells
})();
