// What stands beside the run at a step of a lesson. The reader may choose something else, until a step says otherwise.
(() => {
  "use strict";
  const page = window.zkvizPage;
  const steps = document.getElementById("steps");
  if (!steps || document.documentElement.dataset.page !== "lesson") return;
  let was = "";
  function follow() {
    const step = document.querySelector(".step[data-here]");
    const { beside = "", inStep } = step ? step.dataset : {};
    if (beside === was) return;
    was = beside;
    if (inStep) page.command("in-step", inStep);
    page.command("beside", beside);
  }
  new MutationObserver(follow).observe(steps, { attributes: true, attributeFilter: ["data-here"], subtree: true });
  follow();
})();
