// The page of a cluster's locks: it asks for itself again and again, and changes what has changed. What has the focus
// keeps it, rows stay where they are while somebody points at them, and only new troubles are announced.
(() => {
  "use strict";
  if (document.documentElement.dataset.page !== "live-locks") return;
  const every = 2000; // ms
  const table = document.querySelector(".held-table tbody");
  const news = document.getElementById("lock-news");
  if (!table) return;

  const alerts = (row) => [...row.querySelectorAll(".alerts li")].map((li) => li.textContent);
  // kind of an alert: its words without the numbers, which change all the time.
  const kind = (text) => text.replace(/[\d.]+\s*(ms|s|min|h|d)?\b/g, "");
  const rows = (body) => new Map([...body.rows].map((row) => [row.dataset.path, row]));
  const known = new Set([...table.rows].flatMap((row) => alerts(row).map((a) => row.dataset.path + "\n" + kind(a))));

  // change has a row say what a newer one says. The link stays the same element.
  function change(row, newer) {
    [...newer.cells].forEach((cell, i) => {
      const old = row.cells[i];
      if (old.innerHTML === cell.innerHTML) return;
      const link = old.querySelector("a");
      old.replaceChildren(...[...cell.childNodes].map((node) => (link && node.nodeName === "A" ? link : node)));
    });
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
      for (const text of alerts(newer)) {
        const id = path + "\n" + kind(text);
        if (!known.has(id)) fresh.push(window.zkvizPage.fill(news.dataset.news, path, text));
        known.add(id);
      }
    }
    for (const id of known) {
      const row = then.get(id.slice(0, id.indexOf("\n")));
      if (!row || !alerts(row).some((a) => id.endsWith("\n" + kind(a)))) known.delete(id);
    }
    order(body);
    if (fresh.length > 0) news.textContent = fresh.slice(0, 3).join(" ");
  }

  async function look() {
    if (document.hidden) return;
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const body = page.querySelector(".held-table tbody");
    if (!body) return;
    show(body);
    const state = page.getElementById("lock-state");
    document.getElementById("lock-state").textContent = state.textContent.trim();
    const none = document.getElementById("lock-none");
    if (none && table.rows.length > 0) none.remove();
  }

  async function follow() {
    try {
      await look();
    } catch {
      document.getElementById("lock-state").textContent = news.dataset.stale;
    }
    setTimeout(follow, every);
  }
  setTimeout(follow, every);

  // The arrows go from one row's link to the next.
  document.addEventListener("keydown", (e) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (!step || e.altKey || e.ctrlKey || e.metaKey || e.shiftKey || /^(INPUT|SELECT)$/.test(e.target.tagName)) return;
    const links = [...table.querySelectorAll(".held-what a")];
    const to = links[links.indexOf(document.activeElement) + step];
    if (!to || (step < 0 && !links.includes(document.activeElement))) return;
    e.preventDefault();
    to.focus();
  });
})();
