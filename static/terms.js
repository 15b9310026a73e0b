// What a term of a lesson means, at the term: the link to the glossary has it in its title. Without this script, and in
// a browser that has no popovers, the link leads there.
(() => {
  "use strict";
  const page = window.zkvizPage;
  const note = document.getElementById("term-note");
  if (!note || !note.showPopover) return;
  note.hidden = false; // it's closed: only such browsers may show it
  let term = null; // whose meaning is shown
  const isOpen = () => note.matches(":popover-open");

  // Below the term, or above it where there's more room, and whole on the screen.
  const gap = 8; // CSS px
  function place() {
    const at = term.getBoundingClientRect();
    const { width, height } = note.getBoundingClientRect();
    const below = innerHeight - at.bottom;
    const top = below < height + 2 * gap && at.top > below ? at.top - height - gap : at.bottom + gap;
    note.style.left = Math.max(gap, Math.min(at.left, innerWidth - width - gap)) + "px";
    note.style.top = Math.max(gap, Math.min(top, innerHeight - height - gap)) + "px";
  }

  function open(link) {
    term = link;
    const [name, text, more] = ["name", "text", "more"].map((part) => note.querySelector(`.term-${part}`));
    name.textContent = link.textContent;
    text.textContent = link.title;
    more.href = link.href;
    note.showPopover();
    place();
    note.focus({ preventScroll: true });
  }
  function close() {
    if (!isOpen()) return false;
    note.hidePopover();
    term.focus({ preventScroll: true });
    return true;
  }

  document.addEventListener("click", (e) => {
    const link = e.target.closest(".words a.term[title]");
    if (!link || e.button || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
    e.preventDefault();
    open(link);
  });
  note.querySelector("button").addEventListener("click", close);
  page.taps.unshift((e) => e.key === "Escape" && close());
  page.heeds.push((name) => { // who turns the step leaves the term
    if (name.startsWith("step") && isOpen()) note.hidePopover();
    return false;
  });
  addEventListener("blur", () => { if (isOpen()) note.hidePopover(); }); // they went to the stage, which is a frame
  for (const way of ["scroll", "resize"]) {
    addEventListener(way, () => { if (isOpen()) place(); }, { capture: true, passive: true });
  }
})();
