// What stands beside the run at a step of a lesson. The reader may choose something else, until a step says otherwise.
(() => {
  "use strict";
  const page = window.zkvizPage;
  const root = document.documentElement;
  const steps = document.getElementById("steps");
  if (!steps || root.dataset.page !== "lesson") return;
  // The address may say itself what stands beside the run at the step that it names.
  let linked = new URLSearchParams(page.moment()).has("beside");
  const named = location.hash.slice(1) || steps.querySelector(".step").id;
  let was = "";
  let loaded = false;
  let turned = false;
  function follow() {
    const step = document.querySelector(".step[data-here]");
    const { beside = "", inStep, names = "" } = step ? step.dataset : {};
    root.dataset.names = beside && names + " | " + beside; // what people call the two, if that is the one beside
    if (linked) {
      linked = !step || step.id !== named;
      was = beside;
    }
    if (beside === was) return;
    was = beside;
    turned = loaded;
    if (root.dataset.stage !== "ready") { // then the stage begins with it; there is room for it from now on
      root.dataset.beside = beside;
      return;
    }
    const { command } = page.program(); // the reader hasn't asked for it
    if (inStep) command("in-step", inStep);
    command("beside", beside);
  }
  new MutationObserver(follow).observe(steps,
    { attributes: true, attributeFilter: ["data-here", "data-beside"], subtree: true });
  // Two runs take more room than one: on a phone they may cover the words.
  new MutationObserver(() => {
    if (!turned || !root.dataset.beside !== !was) return; // the stage has not followed yet
    turned = false;
    page.steps.toWords(steps.querySelector(".step[data-here]"));
  }).observe(root, { attributes: true, attributeFilter: ["data-beside"] });
  follow();
  loaded = true;
})();
