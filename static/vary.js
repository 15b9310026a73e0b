// Sentences in which the reader chooses a value. The run with it stands beside the lesson's, as any other one would:
// the step says so, and beside.js follows.
(() => {
  "use strict";
  for (const sentence of document.querySelectorAll(".vary")) {
    const [range, shown, says] = ["input", "output", "[role=status]"].map((part) => sentence.querySelector(part));
    const values = [...sentence.querySelectorAll("data")];
    const { dataset } = sentence.closest(".step");
    range.addEventListener("input", () => {
      const chosen = values[range.value];
      range.setAttribute("aria-valuetext", chosen.value);
      shown.value = chosen.value;
      says.textContent = chosen.dataset.says;
      const { names, inStep, beside } = chosen.dataset;
      Object.assign(dataset, { names, inStep, beside });
    });
    range.addEventListener("pointerup", () => range.blur()); // the keys are the stage's again
  }
})();
