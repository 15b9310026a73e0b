// Presenting: the stage, the step's words in large letters, and nothing else. The keys are those of a remote control.
(() => {
  "use strict";
  const root = document.documentElement;
  const page = window.zkvizPage;
  const presenting = () => "present" in root.dataset;

  function enter() {
    root.dataset.present = "true";
    if (root.requestFullscreen) root.requestFullscreen().catch(() => { /* then the window is as large as it is */ });
  }
  function leave() {
    delete root.dataset.present;
    if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
  }
  page.deeds.present = () => (presenting() ? leave() : root.dataset.bench && enter());

  // A question's answer comes before the next step. Where there are no steps, it goes from one hand-over to the next.
  const turn = (by) => {
    const step = document.querySelector(".step[data-here]");
    if (by > 0 && page.deeds.reveal?.(step)) return;
    if (step) page.command(by > 0 ? "step" : "step-back");
    else page.command(by > 0 ? "next-release" : "previous-release");
  };
  const keys = {
    PageDown: () => turn(1), ArrowRight: () => turn(1), ArrowDown: () => turn(1),
    PageUp: () => turn(-1), ArrowLeft: () => turn(-1), ArrowUp: () => turn(-1),
    Escape: leave,
    F5: () => {}, // some remote controls begin a show with it: the page is not to be loaded again
  };
  page.taps.push((e) => {
    if (!presenting() || !keys[e.key] || e.target.closest && e.target.closest("select, dialog[open]")) return false;
    keys[e.key]();
    return true;
  });

  document.addEventListener("fullscreenchange", () => { if (!document.fullscreenElement && presenting()) leave(); });
  // The stage may turn out not to run here: then there is nothing to present.
  new MutationObserver(() => { if (!root.dataset.bench && presenting()) leave(); })
    .observe(root, { attributes: true, attributeFilter: ["data-bench"] });
})();
