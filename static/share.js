// Links to a moment: what the page's address says of one, and Share, which copies a link to what is on the screen.
(() => {
  "use strict";
  const root = document.documentElement;
  const page = window.zkvizPage;
  const $ = (id) => document.getElementById(id);
  const longest = 2048; // bytes, as for a scenario in an address

  // The moment of a lesson that its address names: where the link was made, and on which branch.
  page.moment = () => {
    const own = ["fault", "at", "event", "sum"];
    if (root.dataset.page !== "lesson" || location.search.length > longest) return "";
    const given = [...new URLSearchParams(location.search)].filter(([name]) => own.includes(name));
    return given.length ? "&" + new URLSearchParams(given) : "";
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
