// Challenges: the stage judges them. It is told at which one the reader is before what the reader does there.
(() => {
  "use strict";
  const root = document.documentElement;
  const all = (selector) => [...document.querySelectorAll(selector)];
  const page = window.zkvizPage;
  const boxes = all(".challenge");
  if (!page.steps) return;

  const shows = () => root.dataset.stage === "ready";
  const at = () => page.steps.current().querySelector(".challenge");
  const told = ["fault", "host", "again", "retry"];
  function tell() {
    if (shows()) page.command("task", at() ? at().dataset.task : "");
  }
  page.heeds.push((name) => {
    if (told.includes(name)) tell();
    return false;
  });

  function offerHint(box) {
    if (!box || box.dataset.begun) return;
    box.dataset.begun = "true";
    const hint = box.querySelector(".hint");
    setTimeout(() => { if (hint && !box.dataset.done) hint.dataset.offer = "true"; }, 60000);
  }
  function onTask() {
    const box = boxes.find((c) => c.dataset.task === root.dataset.task);
    if (!box || box.dataset.done) return;
    const state = root.dataset.taskState;
    const out = box.querySelector(".outcome");
    box.querySelector(".actions").textContent = root.dataset.taskActions;
    out.textContent = (root.dataset.taskWhy + " " + out.dataset[state]).trim();
    out.dataset.state = state;
    if (state !== "done") return;
    out.textContent = out.dataset[root.dataset.taskLevel] + " " + out.dataset.done;
    box.dataset.done = "true";
    requestAnimationFrame(() => out.scrollIntoView({ block: "nearest" })); // no panel covers it by then
  }
  // Without the stage nothing can be done to anybody.
  function onStage() {
    for (const out of all(".outcome:not([data-state])")) out.textContent = out.dataset[shows() ? "open" : "still"];
    tell();
  }

  page.deeds.retry = () => {
    const box = at();
    if (!box) return;
    if (root.dataset.host === "live") return page.command("again");
    delete box.dataset.done;
    page.command("retry");
    page.steps.gotoStep(page.steps.current().id);
  };

  const attributeFilter = ["task", "task-state", "task-actions", "task-why"].map((name) => "data-" + name);
  new MutationObserver(onTask).observe(root, { attributes: true, attributeFilter });
  new MutationObserver(onStage).observe(root, { attributes: true, attributeFilter: ["data-stage"] });
  const steps = document.getElementById("steps"); // the Lab has none
  if (steps) new MutationObserver(() => {
    offerHint(at());
    setTimeout(tell); // the stage may be about to say something
  }).observe(steps, { attributes: true, attributeFilter: ["data-here"], subtree: true });
  offerHint(at());
  onStage();
})();
