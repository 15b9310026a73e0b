// The panels of a lesson: inspector, source and log stay folded until a step points at them or the reader opens them,
// and stay as the reader leaves them. What is hidden is not filled either: engine/stage/panes looks for that.
(() => {
  "use strict";
  const root = document.documentElement;
  const all = (selector) => [...document.querySelectorAll(selector)];
  const buttons = all("[data-panel]");
  if (!buttons.length) return;

  const narrow = matchMedia("(max-width: 1199.9px), (max-height: 599.9px)"); // one at a time
  // It stands in the place of the words.
  const flat = matchMedia("(max-height: 500px) and (orientation: landscape), " +
    "(max-height: 599.9px) and (min-width: 760px)");
  const covers = matchMedia("(max-width: 759.9px), (max-height: 599.9px)"); // it, or a sheet over the words
  const panels = new Map(all(".panel").map((p) => [p.dataset.name, p]));
  const opened = kept.read("panels"); // by the reader: {log: true, details: true}
  let pointed = []; // at by the step, or by what is selected; the last one stands in front

  const stepsPanels = () => {
    const step = document.querySelector(".step[data-here]");
    return flat.matches || !step ? [] : (step.dataset.opens || "").split(" ").filter((name) => panels.has(name));
  };
  // The stage fills the others.
  const works = (name) => name === "source" || root.dataset.stage !== "failed";
  const isOpen = (name) => works(name) && (opened[name] === true || pointed.includes(name));
  function shown() {
    const open = [...panels.keys()].filter(isOpen);
    if (!narrow.matches) return open;
    return [pointed.filter(works).at(-1) || open[0]].filter(Boolean);
  }
  function update() {
    const now = shown();
    let changed = false;
    for (const [name, panel] of panels) {
      changed ||= panel.hidden === now.includes(name);
      panel.hidden = !now.includes(name);
    }
    for (const b of buttons) {
      const name = b.dataset.panel;
      if (panels.has(name)) b.setAttribute("aria-expanded", String(now.includes(name)));
      else b.setAttribute("aria-pressed", String(opened[name] === true));
    }
    const details = opened.details === true;
    changed ||= details !== !!root.dataset.details;
    if (details) root.dataset.details = "true"; else delete root.dataset.details;
    if (changed) document.dispatchEvent(new Event("zkviz-panels"));
  }

  function toggle(name) {
    const close = panels.has(name) ? shown().includes(name) : opened[name] === true;
    pointed = pointed.filter((other) => other !== name && !narrow.matches);
    if (narrow.matches && panels.has(name)) for (const other of panels.keys()) delete opened[other];
    if (close) delete opened[name]; else opened[name] = true;
    kept.write("panels", opened);
    update();
    if (!close && panels.has(name)) panels.get(name).scrollIntoView({ block: "nearest" });
  }

  const isSelected = () => !!root.dataset.selected;
  function onStep() {
    pointed = [...(pointed.includes("inspect") && isSelected() ? ["inspect"] : []), ...stepsPanels()];
    update();
  }
  // Where there is room, what was opened by a choice on the stage stays; else the stage would move with every choice.
  // A challenge that is won selects somebody, too, and so does another page that this one follows. But then the words
  // come first.
  function onSelected(changes) {
    const wins = root.dataset.taskState === "done" && changes.some((c) => c.attributeName === "data-task-state");
    if (!wins && changes.every((c) => c.attributeName !== "data-selected")) return;
    if (isSelected() && !narrow.matches) opened.inspect = true;
    const aside = covers.matches && (wins || window.zkvizPage.isLed?.());
    pointed = pointed.filter((name) => name !== "inspect" || !aside && stepsPanels().includes(name));
    if (isSelected() && !aside) pointed.push("inspect");
    update();
  }

  document.addEventListener("click", (e) => {
    const b = e.target.closest("[data-panel]");
    if (b) toggle(b.dataset.panel);
  });
  new MutationObserver(onStep).observe(document.getElementById("steps"),
    { attributes: true, attributeFilter: ["data-here"], subtree: true });
  new MutationObserver(onSelected)
    .observe(root, { attributes: true, attributeFilter: ["data-selected", "data-task-state"] });
  new MutationObserver(update).observe(root, { attributes: true, attributeFilter: ["data-stage"] });
  narrow.addEventListener("change", update);
  flat.addEventListener("change", onStep);
  onStep();

  // Where the words go on below the buttons, a sign says so.
  const more = document.querySelector("[data-more]");
  const words = document.getElementById("steps");
  const button = more.nextElementSibling; // the sign makes their bar taller, and leaves them where they are
  const goesOn = () => {
    more.hidden = words.getBoundingClientRect().bottom <= button.getBoundingClientRect().top + 12;
  };
  more.addEventListener("click", () => {
    const lesson = words.closest(".lesson");
    const scrolls = lesson.scrollHeight > lesson.clientHeight ? lesson : document.scrollingElement;
    scrolls.scrollBy({ top: innerHeight * 0.45 });
  });
  new ResizeObserver(goesOn).observe(words);
  addEventListener("scroll", goesOn, { capture: true, passive: true });
  addEventListener("resize", goesOn);
})();
