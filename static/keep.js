// What to take along of what is on the stage. Sharing is in app.js, as is what the page's address says.
(() => {
  "use strict";
  const page = window.zkvizPage;

  const open = () => document.querySelector(".keep[open]");
  function close() {
    const menu = open();
    if (!menu) return false;
    menu.open = false;
    return true;
  }
  page.taps.push((e) => e.key === "Escape" && close());
  document.addEventListener("pointerdown", (e) => { if (open() && !open().contains(e.target)) close(); }, true);
})();
