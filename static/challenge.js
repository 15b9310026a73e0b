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
    if (box.dataset.lasts) document.getElementById("fault-for").value = box.dataset.lasts;
  }
  function onTask() {
    const box = boxes.find((c) => c.dataset.task === root.dataset.task);
    if (!box || box.dataset.done) return;
    const { taskState: state, taskActions: actions, taskLevel: level } = root.dataset;
    const out = box.querySelector(".outcome");
    box.querySelector(".actions").textContent = actions;
    const words = state === "done"
      ? page.fill(out.dataset[level], actions) + " " + out.dataset.done
      : root.dataset.taskWhy + " " + out.dataset[state];
    if (out.textContent !== words.trim()) out.textContent = words.trim(); // what is said twice is read aloud twice
    out.dataset.state = state;
    if (state !== "done") return;
    box.dataset.done = "true";
    celebrate();
    requestAnimationFrame(() => out.scrollIntoView({ block: "nearest" })); // no panel covers it by then
  }
  // For a moment, the edge of the stage lights up. Who asks for less motion sees it lit, and still.
  function celebrate() {
    root.dataset.won = "true";
    setTimeout(() => delete root.dataset.won, 1600);
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
