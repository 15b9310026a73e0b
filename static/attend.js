// Whether this tab belongs to a class. If it does, or is at the door of one, the rest of a class comes: classes.js.
// Each tab says it for itself. A teacher's has the class's secret, which is in the address only until it's read here.
(() => {
  "use strict";
  const box = document.getElementById("class");
  const page = window.zkvizPage;
  if (!box || !page || "embed" in document.documentElement.dataset) return;
  const name = "zkviz.class";
  const door = document.querySelector("main[data-class]")?.dataset.class;
  const attends = page.attends = {
    door,
    tab: null, // {name, secret} of a teacher's, {name, follows, …} of a learner's, or null
    // What a stage's address says in addition, at a path below which the class's clients are, inside another server.
    zoo: (path) => path && attends.tab?.away === path && !attends.tab.isOver ? "&class=" + attends.tab.name : "",
    keep(tab) {
      attends.tab = tab;
      try {
        if (tab) sessionStorage.setItem(name, JSON.stringify(tab)); else sessionStorage.removeItem(name);
      } catch { /* it lasts as long as the page */ }
    },
  };
  try { attends.tab = JSON.parse(sessionStorage.getItem(name)); } catch { /* then it is in none */ }

  function secret() {
    const given = door && /^#teach=([\w-]{1,100})$/.exec(location.hash);
    if (!given) return false;
    history.replaceState(null, "", location.pathname + location.search);
    attends.keep({ name: door, secret: given[1] });
    return true;
  }
  // The secret link may be opened where the door is shown already.
  addEventListener("hashchange", () => { if (secret()) location.reload(); });

  // A class begins where the page is.
  document.addEventListener("submit", ({ target: form }) => {
    if (!form.matches(".class-start")) return;
    const at = page.place();
    for (const name of ["page", "step", "query"]) form.elements[name].value = at[name];
  });

  if (!secret() && !attends.tab && !door) return;
  const { style, script, bar } = box.dataset;
  const again = 5000; // ms
  const styled = new Promise((onload) => {
    document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: style, onload }));
  });
  async function join() {
    const reply = await fetch(bar).catch(() => null);
    if (!reply?.ok) return setTimeout(join, again); // a server that is back in a moment, or is busy
    box.innerHTML = await reply.text();
    await styled;
    document.head.append(Object.assign(document.createElement("script"), { src: script }));
  }
  join();
})();
