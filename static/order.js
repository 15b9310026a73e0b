// Lines to put back in order. The right order comes with the page, computed from the run, and the stage plays it to
// those who have found it.
(() => {
  "use strict";
  const root = document.documentElement;
  const page = window.zkvizPage;
  const linesOf = (box) => [...box.querySelectorAll(".line")];
  const labelOf = (line) => line.querySelector(".label").textContent;

  function say(box, words, state, wrong = []) {
    const out = box.querySelector(".finding");
    out.textContent = words;
    out.dataset.state = state;
    for (const line of linesOf(box)) line.toggleAttribute("data-wrong", wrong.includes(line));
    if (words) out.scrollIntoView({ block: "nearest" });
  }

  // The line stays where it is in the document, so that it keeps pointer and focus: those that it passes move.
  function move(line, to) {
    const box = line.closest(".order");
    const lines = linesOf(box), from = lines.indexOf(line);
    if (to === from) return;
    if (to > from) line.before(...lines.slice(from + 1, to + 1)); else line.after(...lines.slice(to, from));
    say(box, "", "");
    linesOf(box).forEach((one, i) => {
      const [up, down] = one.querySelectorAll("button");
      [up.disabled, down.disabled] = [i === 0, i === lines.length - 1];
    });
    document.getElementById("announce").textContent = page.fill(box.dataset.moved, labelOf(line), to + 1, lines.length);
  }

  // Of what is wrong the first is told: a line and the one below it, which happened before.
  function check(box) {
    const lines = linesOf(box);
    const { right, wrong, plays } = box.querySelector(".finding").dataset;
    const at = lines.findIndex((line, i) => i > 0 && line.dataset.place < lines[i - 1].dataset.place); // one digit each
    if (at > 0) {
      const [early, late] = lines.slice(at - 1, at + 1);
      const words = page.fill(wrong, labelOf(early), early.dataset.at, labelOf(late), late.dataset.at);
      return say(box, words + " " + early.dataset.why, "broke", [early, late]);
    }
    const shows = root.dataset.stage === "ready" && root.dataset.host !== "live";
    say(box, shows ? right + " " + plays : right, "held");
    if (shows && root.dataset.branch > 0) page.command("branch", 0);
    if (shows) page.command("replay", lines[0].dataset.event + "-" + lines.at(-1).dataset.event);
  }

  document.addEventListener("click", (e) => {
    const button = e.target.closest(".order button"), line = button?.closest(".line");
    if (!button) return;
    if (!line) return check(button.closest(".order"));
    move(line, linesOf(line.closest(".order")).indexOf(line) + Number(button.dataset.move));
    if (button.disabled) line.querySelector("button:enabled").focus();
  });
  // A mouse drags a line to where as many of the others are above it. A finger scrolls.
  document.addEventListener("pointerdown", (e) => {
    const line = e.target.closest(".line");
    if (line && e.pointerType === "mouse" && !e.target.closest("button")) line.setPointerCapture(e.pointerId);
  });
  document.addEventListener("pointermove", ({ target: line, pointerId, clientY }) => {
    if (!line.matches(".line") || !line.hasPointerCapture(pointerId)) return;
    const middle = (one) => one.getBoundingClientRect().top + one.offsetHeight / 2;
    move(line, linesOf(line.closest(".order")).filter((one) => one !== line && middle(one) < clientY).length);
  });
})();
