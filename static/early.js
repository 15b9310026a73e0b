// Before the first paint: the theme, what another site's frame asks for, and whether the stage can run here. If it can,
// its program is fetched and compiled as soon as the page can be read and answers, while the stage's frame opens.
// stage.js takes it, and the words for it.
(() => {
  "use strict";
  const root = document.documentElement;
  const { src, dataset: { program, words, embed } } = document.currentScript; // no program: none was built
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
  const hasStage = ["lesson", "lab", "live", "zoo"].includes(root.dataset.page);
  const parsed = new Promise((done) => document.addEventListener("DOMContentLoaded", () => setTimeout(done)));
  const nameOf = (address) => new URL(address, location).pathname.split("/").pop();

  // Without one of its scripts or styles, a page would wait for it for ever, or nothing would be in its place. Then it
  // is what it is without scripts, and says so. What a host or an extension puts into the page is none of them.
  const folder = new URL(".", src).href;
  addEventListener("error", async ({ target }) => {
    if (!(target instanceof Element && target.matches("script, link[rel=stylesheet]"))) return;
    if (!String(target.src || target.href).startsWith(folder)) return;
    for (const mark of ["js", "bench", "embed"]) delete root.dataset[mark];
    if (hasStage) root.dataset.stage = "failed";
    await parsed;
    for (const part of document.querySelectorAll(".with-js, .needs-js")) part.hidden = true; // also without the styles
    const note = document.getElementById("incomplete");
    note.textContent = note.dataset.says.replace("{0}", nameOf(target.src || target.href));
    note.hidden = false;
  }, true);

  if (!hasStage) return;
  // Why the stage can't be shown: what app.js has words for, and because of what.
  const fail = (why, because = "") => Object.assign(root.dataset, { why, because, stage: "failed" });
  root.dataset.stage = "loading";
  if (!program) root.dataset.stage = "failed";
  else if (location.protocol === "file:") fail("host"); // there no page may read a file
  else if (self.origin === "null") fail("sandbox"); // there the stage's frame is another site's to the page
  else if (!("WebAssembly" in window)) fail("lacks", "WebAssembly");
  else if (!("WebGL2RenderingContext" in window)) fail("lacks", "WebGL 2");
  const able = root.dataset.stage === "loading";
  if (able || root.dataset.page === "lesson") root.dataset.bench = "true"; // a lesson has its still pictures anyway
  if (!able) return;
  const because = (why, address) => (e) => {
    throw Object.assign(e, { why, because: nameOf(address) + ": " + e.message });
  };
  async function get(address) {
    const response = await fetch(address);
    if (!response.ok) throw new Error(response.status);
    return response;
  }
  // The compiler gets the response as it comes: so the browser keeps what it has compiled for the next visit. From a
  // host that says another type it would take none.
  async function compile(address) {
    const response = await get(address);
    const type = { "Content-Type": "application/wasm" };
    const typed = response.headers.get("Content-Type") === type["Content-Type"];
    return WebAssembly.compileStreaming(typed ? response : new Response(response.body, { headers: type }));
  }
  const whyOf = (e) => !(e instanceof WebAssembly.CompileError) ? "fetch"
    : /CSP|Content.Security/.test(e) ? "policy" : "damaged";
  async function load() {
    await parsed; // text, picture and Next come first
    if (root.dataset.stage === "failed") return null;
    if (!document.createElement("canvas").getContext("webgl2")) {
      fail("lacks", "WebGL 2");
      return null;
    }
    return Promise.all([
      compile(program).catch((e) => because(whyOf(e), program)(e)),
      get(words).then((response) => response.text()).catch(because("fetch", words)),
    ]);
  }
  window.zkvizStage = load();
  window.zkvizStage.catch(() => {}); // stage.js tells
})();
