// The menu beside what has been tapped on the stage. wasm/bridge says what can be done to it, and where it is; the
// buttons that do it are those of the inspector, so what is not to be done there is not to be done here.
(() => {
  "use strict";
  const root = document.documentElement;
  const $ = (id) => document.getElementById(id);
  const page = window.zkvizPage;
  let from = null; // what had the focus before, if the menu was opened by key
  let shown = ""; // what is selected while it is open

  function close(back) {
    const menu = $("menu");
    if (!menu || menu.hidden) return false;
    menu.hidden = true;
    if (back && from) from.focus();
    from = null;
    return true;
  }

  // original is the inspector's button for a fault.
  const original = (kind) => $("faults") && $("faults").querySelector('[data-fault="' + CSS.escape(kind) + '"]');

  // What is done to a server of an ensemble, or to a node, has no button elsewhere.
  const own = (deed) => {
    const b = document.createElement("button");
    b.dataset.fault = deed.kind;
    if (deed.lasts) b.dataset.lasts = deed.span;
    return b;
  };
  const model = (deed) => (deed.own ? own(deed) : original(deed.kind));

  // On a phone the inspector is a sheet over the words, whose buttons are for who is selected. A finger finds messages
  // on the stage.
  const sheet = matchMedia("(max-width: 759.9px) and (min-height: 500.1px)");
  const selected = () => new URLSearchParams(page.program().position()).get("selected");
  const isInSheet = (deed) => root.dataset.page === "lesson" && (deed.opens || !deed.own && deed.who === selected());

  function entry(deed) {
    const as = model(deed);
    const b = document.createElement("button");
    b.type = "button";
    b.title = as.title;
    b.disabled = as.disabled;
    if (!deed.own) b.dataset.deed = deed.kind;
    if (as.querySelector("svg")) b.append(as.querySelector("svg").cloneNode(true));
    b.append(deed.label || as.textContent.trim());
    b.addEventListener("click", () => {
      if (as.disabled) return;
      if (deed.opens) return page.command("menu", deed.opens); // the menu of a message takes this one's place
      $("fault-for").value = $("menu-for").value;
      close(true);
      page.fault(as, deed.who, deed.at);
    });
    return b;
  }

  // What it stands beside is to be seen, and all of it is to be on the screen.
  function place(menu, spot) {
    menu.style.left = menu.style.top = "0px";
    const frame = $("stage").getBoundingClientRect();
    const box = menu.getBoundingClientRect();
    const edge = 8;
    const width = root.clientWidth;
    const height = window.visualViewport ? window.visualViewport.height : innerHeight;
    const left = frame.left + spot.x, right = left + spot.width;
    let x = right + edge;
    if (x + box.width > width - edge) x = left - edge - box.width;
    let y = frame.top + spot.y + spot.height / 2 - box.height / 2;
    if (x < edge) { // neither side has room: below it, or above
      x = (left + right - box.width) / 2;
      y = frame.top + spot.y + spot.height + edge;
      if (y + box.height > height - edge) y = frame.top + spot.y - edge - box.height;
    }
    const within = (at, most) => Math.max(edge, Math.min(at, most - edge));
    menu.style.left = within(x, width - box.width) + "px";
    menu.style.top = within(y, height - box.height) + "px";
  }

  function open(e) {
    const menu = $("menu");
    const spot = e.detail;
    const back = from;
    close(false);
    if (!menu) return;
    const deeds = spot.deeds.filter((d) => d.own ? $("faults") : original(d.kind));
    if (!deeds.length || !spot.byKey && sheet.matches && deeds.every(isInSheet)) return;
    $("menu-title").textContent = spot.title;
    $("menu-deeds").replaceChildren(...deeds.map(entry));
    $("menu-lasts").hidden = !deeds.some((d) => d.lasts);
    $("menu-for").replaceChildren(...[...$("fault-for").options].map((o) => o.cloneNode(true)));
    $("menu-for").value = $("fault-for").value;
    shown = root.dataset.selected;
    from = spot.byKey ? back || document.activeElement : null;
    menu.hidden = false;
    place(menu, spot);
    const first = menu.querySelector("#menu-deeds button:enabled") || $("menu-close");
    if (spot.byKey) first.focus({ preventScroll: true });
  }

  // Keys: within the menu they are the menu's; any other key means the page, and the menu goes.
  page.taps.push((e) => {
    const menu = $("menu");
    if (!menu || menu.hidden) return false;
    if (e.key === "Escape") return close(true);
    const at = e.target.closest ? e.target : document.body;
    if (!menu.contains(at)) {
      close(false);
      return false;
    }
    if (at.closest("select")) return false;
    const by = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (!by) return false;
    const list = [...menu.querySelectorAll("button:enabled")];
    list[(list.indexOf(at) + by + list.length) % list.length].focus();
    return true;
  });

  document.addEventListener("DOMContentLoaded", () => {
    const menu = $("menu");
    if (!menu) return;
    document.addEventListener("zkviz-menu", open);
    $("menu-close").addEventListener("click", () => close(true));
    document.addEventListener("pointerdown", (e) => { if (!menu.contains(e.target)) close(false); }, true);
    menu.addEventListener("focusout", (e) => {
      if (e.relatedTarget && !menu.contains(e.relatedTarget)) close(false);
    });
    window.addEventListener("resize", () => close(false));
    document.addEventListener("scroll", () => close(false)); // of the page, not of a pane in it
    new MutationObserver(() => { if (root.dataset.selected !== shown) close(false); })
      .observe(root, { attributes: true, attributeFilter: ["data-selected"] });
    // What may be done can change while it is open.
    const sync = () => {
      for (const b of menu.querySelectorAll("[data-deed]")) b.disabled = original(b.dataset.deed).disabled;
    };
    if ($("faults")) {
      const attributeFilter = ["disabled"];
      new MutationObserver(sync).observe($("faults"), { attributes: true, attributeFilter, subtree: true });
    }
  });
})();
