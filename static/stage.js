// The stage's frame: runs the program and tells the page how that goes. The page shows pictures instead if it
// fails. Everything else is in wasm/.
(() => {
  "use strict";
  const here = document.documentElement;
  const page = parent.document.documentElement;
  if (new URLSearchParams(location.search).get("theme") === "dark") here.dataset.theme = "dark";

  function fail(e) {
    console.error("stage:", e);
    Object.assign(page.dataset, { why: e.why || "ended", because: e.because || e.message, stage: "failed" });
  }

  // Ebiten would keep Tab, F5 and the rest from the browser, a finger from scrolling the page and a wheel
  // from turning it. It needs none of them: the page's script has the keys, wasm/bridge the pointer.
  const ours = [
    "keydown", "keyup", "mousedown", "mouseup", "mousemove", "wheel", "touchstart", "touchmove", "touchend",
    "contextmenu", "dragover", "drop",
  ];
  for (const name of ours) {
    document.addEventListener(name, (e) => e.stopPropagation(), { capture: true, passive: true });
  }

  // Both the loss of the graphics and another pixel ratio need a fresh start, at the same place.
  function keepPlace() {
    if (window.zkviz) history.replaceState(null, "", "#" + window.zkviz.position());
  }
  window.addEventListener("webglcontextlost", keepPlace, true); // Ebiten reloads the frame next
  const ratio = devicePixelRatio;
  const onRatio = () => { if (devicePixelRatio !== ratio) { keepPlace(); location.reload(); } };
  matchMedia("(resolution: " + ratio + "dppx)").addEventListener("change", onRatio);
  window.addEventListener("resize", onRatio);

  // Ebiten asks for the next frame whether there is anything to draw or not. It gets one when the program has
  // something, so that a page that stands still lets the processor sleep.
  // Who wants to copy it does so right after that: it is gone from the canvas once it has been shown.
  const ask = window.requestAnimationFrame.bind(window);
  const nextFrame = (f) => ask((at) => { f(at); if (window.onFrame) window.onFrame(); });
  let due = true;
  let waiting = null;
  window.requestAnimationFrame = (f) => {
    if (due) nextFrame(f); else waiting = f;
    due = false;
    return 0;
  };
  window.wake = () => {
    onRatio(); // no browser is sure to tell of every change
    due = !waiting;
    if (waiting) nextFrame(waiting);
    waiting = null;
  };

  // The shader smooths all edges. To have the browser do it as well costs a sixth more without a graphics card.
  const context = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, options) {
    return context.call(this, kind, { ...options, antialias: false });
  };

  // The page's early.js fetches both. Another frame of the same page takes the same.
  async function load() {
    const given = await parent.zkvizStage;
    if (!given) return; // this browser can't draw
    page.dataset.stage = "loading";
    const [program, words] = given;
    parent.document.getElementById("strings").textContent = words;
    const go = new Go();
    const instance = await WebAssembly.instantiate(program, go.importObject);
    here.dataset.done = "true";
    await go.run(instance); // returns only when the program has ended, which it should not
    throw new Error("the program ended");
  }
  document.addEventListener("DOMContentLoaded", () => load().catch(fail));
})();
