// The Lab's search for a schedule that breaks a promise: the stage asks for it. This shows how far it is, and what came
// of it.
(() => {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const page = window.zkvizPage;
  const [go, stop] = [$("explore"), $("explore-stop")];

  page.deeds.explore = () => page.command("explore", $("explore-own").checked ? "own" : "");

  // Keys stay on the button that takes the other's place.
  function swap(busy) {
    const focused = [go, stop].includes(document.activeElement);
    [go.hidden, stop.hidden] = [busy, !busy];
    if (focused) (busy ? stop : go).focus();
  }

  function far({ said, tried, of }) {
    const bar = $("explore-far").firstElementChild;
    if (of) [bar.max, bar.value] = [of, tried];
    else bar.removeAttribute("value");
    bar.nextElementSibling.textContent = said[0];
  }

  // Without a server nothing answers the link, so the stage opens the run itself.
  function watch(link, alone) {
    const { to, watch: words } = $("explore-found").dataset;
    const a = document.createElement("a");
    a.href = to + new URL(link, location.href).search;
    a.textContent = words;
    if (alone) {
      a.addEventListener("click", (e) => {
        e.preventDefault();
        page.command("show", a.search.slice(1));
      });
    }
    return a;
  }

  document.addEventListener("zkviz-explore", ({ detail }) => {
    const { state, said, link, alone } = detail;
    const busy = state === "busy";
    const found = $("explore-found");
    swap(busy);
    $("explore-far").hidden = !busy;
    $("explore-how").hidden = !busy && state !== "failed";
    if (busy) far(detail);
    found.dataset.state = busy ? "" : state;
    found.replaceChildren(...(busy ? [] : said).map((words) => {
      const p = document.createElement("p");
      p.textContent = words;
      return p;
    }));
    if (link) found.firstElementChild.append(" ", watch(link, alone));
    if (!busy) found.scrollIntoView({ block: "nearest" });
  });
})();
