// The time line of the past: drag over it to see that time, turn the wheel to come closer. Without script its
// columns and the links below it do the same.
(() => {
  "use strict";
  const line = document.querySelector(".past-line");
  const svg = line && line.querySelector("svg");
  const form = document.querySelector(".past-form");
  if (!svg || !form) return;
  const [from, until] = [line.dataset.fromMs, line.dataset.untilMs].map(Number);

  function show(a, b) {
    form.elements.from.value = String(Math.max(0, Math.round(a)));
    form.elements.until.value = String(Math.max(Math.round(b), Math.round(a) + 8));
    form.requestSubmit(form.querySelector("button.primary"));
  }
  const at = (x) => {
    const box = svg.getBoundingClientRect();
    return Math.min(Math.max((x - box.left) / box.width, 0), 1);
  };
  const time = (part) => from + (until - from) * part;

  let began = null;
  let moved = false;
  const chosen = document.createElement("div");
  chosen.className = "chosen";
  chosen.hidden = true;
  line.append(chosen);
  svg.addEventListener("dragstart", (e) => e.preventDefault());
  svg.addEventListener("pointerdown", (e) => {
    if (e.button === 0 && e.pointerType !== "touch") began = at(e.clientX);
    moved = false;
  });
  addEventListener("pointermove", (e) => {
    if (began === null) return;
    const here = at(e.clientX);
    moved = moved || Math.abs(here - began) > 0.01;
    chosen.hidden = !moved;
    chosen.style.left = 100 * Math.min(began, here) + "%";
    chosen.style.width = 100 * Math.abs(here - began) + "%";
  });
  addEventListener("pointerup", (e) => {
    if (began === null) return;
    const here = at(e.clientX);
    const was = began;
    began = null;
    if (moved) show(time(Math.min(was, here)), time(Math.max(was, here)));
  });
  svg.addEventListener("click", (e) => { if (moved) e.preventDefault(); }, true);

  let turning = 0;
  svg.addEventListener("wheel", (e) => {
    if (!e.ctrlKey && Math.abs(e.deltaY) < Math.abs(e.deltaX)) return;
    e.preventDefault();
    clearTimeout(turning);
    const by = e.deltaY > 0 ? 2 : 0.5;
    const middle = time(at(e.clientX));
    turning = setTimeout(() => show(middle - (middle - from) * by, middle + (until - middle) * by), 150);
  }, { passive: false });
})();
