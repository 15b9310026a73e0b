// Links to a moment: what the page's address says of one, and Share, which copies a link to what is on the screen.
(() => {
  "use strict";
  const root = document.documentElement;
  const page = window.zkvizPage;
  const $ = (id) => document.getElementById(id);
  const longest = 2048; // bytes, as in engine/run/link

  // The moment of a lesson that its address names: where the link was made, and on which branch. The stage says what it
  // doesn't know, and that a link is too long.
  const own = ["fault", "at", "event", "sum", "select", "trace", "beside", "in-step", "beside-event", "beside-sum"];
  page.moment = () => {
    if (root.dataset.page !== "lesson") return "";
    if (location.search.length > longest + 1) return "&bytes=" + (location.search.length - 1);
    const given = [...new URLSearchParams(location.search)];
    if (!given.some(([name]) => own.includes(name))) return "";
    const moment = given.map(([name, value]) => (own.includes(name) ? [name, value] : ["unknown", name]));
    return "&" + new URLSearchParams(moment);
  };

  page.deeds.share = async (button) => {
    const query = page.program()?.link() || "";
    const step = document.querySelector(".step[data-here]");
    if (!query && !step) return;
    const note = $("share");
    const box = $("share-link");
    box.hidden = true;
    if (query.length > longest) { note.textContent = note.dataset.long; return; }
    const at = step && root.dataset.page === "lesson" ? "#" + step.id : "";
    const link = new URL(button.dataset.to, location.href) + (query && "?" + query) + at;
    note.textContent = await page.clip(link) ? note.dataset.copied : note.dataset.byHand;
    box.value = link;
    box.hidden = false;
    box.select();
    box.scrollIntoView({ block: "nearest" });
  };

  // What the stage says of the link that the page was opened by is on the document.
  new MutationObserver(() => {
    if ($("share")) $("share").textContent = $("share").dataset[root.dataset.link] || "";
  }).observe(root, { attributes: true, attributeFilter: ["data-link"] });
})();
