// The page of a cluster's locks: it asks for itself again and again, and changes what has changed. What has the focus
// keeps it, rows stay where they are while somebody points at them, and only new troubles are announced.
(() => {
  "use strict";
  if (document.documentElement.dataset.page !== "live-locks") return;
  const every = 2000; // ms
  // often enough that the server goes on reading, and doesn't forget what was read, while nobody sees the page
  const everyHidden = 20000;
  const table = document.querySelector(".held-table tbody");
  const news = document.getElementById("lock-news");
  if (!table) return;

  const alerts = (row) => [...row.querySelectorAll(".alerts li")].map((li) => li.textContent);
  // kind of an alert: its words without the numbers, which change all the time.
  const kind = (text) => text.replace(/[\d.]+\s*(ms|s|min|h|d)?\b/g, "");
  const rows = (body) => new Map([...body.rows].map((row) => [row.dataset.path, row]));
  const known = new Set([...table.rows].flatMap((row) => alerts(row).map((a) => row.dataset.path + "\n" + kind(a))));

  // change has a row say what a newer one says. A link stays the same element, wherever it leads by now, and where it
  // is: one that is taken out loses the focus.
  function change(row, newer) {
    [...newer.cells].forEach((cell, i) => {
      const old = row.cells[i];
      const fold = old.querySelector("details");
      const queue = cell.querySelector("details");
      if (fold && queue) queue.open = fold.open; // the reader's choice stays
      if (old.innerHTML === cell.innerHTML) return;
      if (fold && queue) unfold(fold, queue);
      else {
        const links = [...old.querySelectorAll("a")];
        const at = Math.max(links.indexOf(document.activeElement), 0);
        swap(old, cell, links[at], cell.querySelectorAll("a")[at]);
      }
    });
  }

  // unfold has a queue say what a newer one says. What opens it stays the same element.
  function unfold(fold, queue) {
    const [head, body] = fold.children;
    const [title, list] = queue.children;
    head.replaceChildren(...title.childNodes);
    const link = body.querySelector("a");
    const fresh = list.querySelector("a");
    swap(body, list, link && link.parentElement, fresh && fresh.parentElement);
  }

  // swap has a part of the page say what a newer one says, and keeps a child of it, with its link.
  function swap(old, now, kept, fresh) {
    if (!kept || !fresh) {
      old.replaceChildren(...now.childNodes);
      return;
    }
    const link = kept.closest("a") || kept.querySelector("a");
    const leads = fresh.closest("a") || fresh.querySelector("a");
    link.setAttribute("href", leads.getAttribute("href"));
    link.replaceChildren(...leads.childNodes);
    const nodes = [...now.childNodes];
    const here = nodes.indexOf(fresh);
    for (const node of [...old.childNodes]) if (node !== kept) node.remove();
    kept.before(...nodes.slice(0, here));
    kept.after(...nodes.slice(here + 1));
  }

  // order puts the rows into their new order, unless somebody is at one of them.
  function order(body) {
    if (table.matches(":hover") || table.contains(document.activeElement)) return;
    const now = rows(table);
    [...body.rows].forEach((row, i) => {
      const at = now.get(row.dataset.path);
      if (at && table.rows[i] !== at) table.insertBefore(at, table.rows[i] || null);
    });
  }

  function show(body) {
    const now = rows(table);
    const then = rows(body);
    for (const [path, row] of now) {
      if (!then.has(path) && !row.contains(document.activeElement)) row.remove();
    }
    const fresh = [];
    for (const [path, newer] of then) {
      const row = now.get(path);
      if (row) change(row, newer);
      else table.append(newer.cloneNode(true));
      if ("old" in newer.dataset) continue; // what was so before is no news
      for (const text of alerts(newer)) {
        const id = path + "\n" + kind(text);
        if (!known.has(id)) fresh.push(window.zkvizPage.fill(news.dataset.news, path, text));
        known.add(id);
      }
    }
    for (const id of known) {
      const row = then.get(id.slice(0, id.indexOf("\n")));
      if (row && "old" in row.dataset) continue;
      if (!row || !alerts(row).some((a) => id.endsWith("\n" + kind(a)))) known.delete(id);
    }
    order(body);
    if (fresh.length > 0) news.textContent = fresh.slice(0, 3).join(" ");
  }

  // shown is when what stands here was so, and patience for how long the server may take to say what is so now, in ms.
  let shown = new Date();
  const patience = 30000;

  async function look() {
    const unseen = document.hidden;
    const address = new URL(location.href);
    if (unseen) address.searchParams.delete("herds"); // servers aren't asked for nobody
    const answer = await fetch(address, { headers: { Accept: "text/html" }, signal: AbortSignal.timeout(patience) });
    if (!answer.ok) throw new Error(answer.statusText);
    if (unseen) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const body = page.querySelector(".held-table tbody");
    if (!body) throw new Error("no list");
    shown = new Date();
    show(body);
    for (const id of ["lock-state", "ensemble-line", "ensemble-servers"]) {
      const state = page.getElementById(id);
      const old = document.getElementById(id);
      if (state && old && old.innerHTML !== state.innerHTML) old.replaceChildren(...state.childNodes);
    }
    table.parentElement.hidden = body.parentElement.hidden && table.rows.length === 0;
  }

  async function follow() {
    try {
      await look();
    } catch {
      const at = document.createElement("p");
      at.className = "trouble stale";
      at.textContent = window.zkvizPage.fill(news.dataset.stale, shown.toLocaleTimeString());
      document.getElementById("lock-state").replaceChildren(at);
    }
    again();
  }
  let timer = 0;
  function again() {
    clearTimeout(timer);
    timer = setTimeout(follow, document.hidden ? everyHidden : every);
  }
  document.addEventListener("visibilitychange", again);
  again();

  // Up and down go from one row's link to the next; right and left, to its last handover and back.
  const lines = { ArrowDown: 1, ArrowUp: -1 };
  const sides = { ArrowRight: 1, ArrowLeft: -1 };
  function next(key, here) {
    const row = here && here.closest("tr");
    if (sides[key]) {
      const links = row ? [...row.querySelectorAll("a")].filter((a) => !a.closest("details")) : [];
      return links[links.indexOf(here) + sides[key]];
    }
    if (!row) return lines[key] > 0 && table.querySelector("a");
    const to = table.rows[row.sectionRowIndex + lines[key]];
    const column = here.closest("td").cellIndex;
    return to && (to.cells[column].querySelector("a") || to.querySelector("a"));
  }
  document.addEventListener("keydown", (e) => {
    if (!(e.key in lines || e.key in sides) || e.altKey || e.ctrlKey || e.metaKey || e.shiftKey) return;
    if (/^(INPUT|SELECT)$/.test(e.target.tagName)) return;
    const to = next(e.key, table.contains(e.target) ? e.target.closest("a") : null);
    if (!to) return;
    e.preventDefault();
    to.focus();
  });
})();
