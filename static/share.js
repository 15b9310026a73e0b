// Links to a moment: what the page's address says of one, and Share, which copies a link to what is on the screen, and
// has the HTML that shows it in a frame of another page.
(() => {
  "use strict";
  const root = document.documentElement;
  const page = window.zkvizPage;
  const $ = (id) => document.getElementById(id);
  const longest = 2048; // bytes, as in engine/run/link

  // The moment of a lesson that its address names: where the link was made, and on which branch. The stage says what it
  // doesn't know, and that a link is too long.
  const own = page.own = [
    "fault", "at", "event", "sum", "select", "trace", "beside", "in-step", "beside-event", "beside-sum",
  ];
  const frames = page.frames = ["embed", "theme"]; // how another site's frame shows the page
  const given = () => [...new URLSearchParams(location.search)];
  const isLong = ({ search }) => search.length > longest + 1;
  page.moment = () => {
    if (root.dataset.page !== "lesson") return "";
    if (isLong(location)) return "&bytes=" + (location.search.length - 1);
    const all = given().filter(([name]) => !frames.includes(name));
    if (!all.some(([name]) => own.includes(name))) return "";
    const moment = all.map(([name, value]) => (own.includes(name) ? [name, value] : ["unknown", name]));
    return "&" + new URLSearchParams(moment);
  };

  // The address of a lesson's page without a moment.
  page.path = () => {
    const query = new URLSearchParams(given().filter(([name]) => frames.includes(name)));
    return location.pathname + (query.size ? "?" + query : "");
  };

  // The link to what is on the screen, with more before it; null if there is nothing yet.
  page.link = (more = "") => {
    const query = page.program()?.link() || "";
    const step = document.querySelector(".step[data-here]");
    if (!query && !step) return null;
    const link = new URL(document.querySelector("[data-do=share]").dataset.to, location.href);
    link.search = [more, query].filter(Boolean).join("&");
    if (step && root.dataset.page === "lesson") link.hash = step.id;
    return link;
  };

  // What somebody pastes into a page of theirs, unless it is too long.
  function frame() {
    const made = document.createElement("iframe");
    const { lesson } = root.dataset;
    const link = page.link("embed=" + (lesson ? "words,steps,play" : "play"));
    if (isLong(link)) return "";
    made.src = link;
    made.title = document.querySelector("h1").textContent;
    made.loading = "lazy";
    [made.width, made.height] = [800, lesson ? 600 : 450];
    made.style.border = "0";
    return made.outerHTML;
  }

  page.deeds.share = async () => {
    const link = page.link();
    if (!link) return;
    const note = $("share");
    const box = $("share-link");
    box.hidden = true;
    if (isLong(link)) { note.textContent = note.dataset.long; return; }
    if ($("share-frame")) {
      $("share-frame").textContent = frame();
      document.querySelector(".share-frame").hidden = !$("share-frame").textContent;
    }
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
