// Compare on a site of files, where no server reads the address: this fills the form from it, and shows the figures
// that the engine measures in a worker. Without parameters, the page has the usual figures already.
(() => {
  "use strict";
  const page = window.zkvizPage;
  const root = document.documentElement;
  const form = document.querySelector(".compare-form");
  const field = (name) => form.querySelector(`[name="${name}"]`);
  const boxes = [...form.querySelectorAll("[name=recipe]")];

  const asked = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(location.search)) {
    if (["recipe", "clients", "servers", "observers"].includes(name) && value.trim()) asked.append(name, value);
  }
  if (!asked.size) return;
  for (const a of document.querySelectorAll("a[hreflang]")) a.search = location.search;

  // The form gets what is asked. What isn't asked is as in the form, but for the servers, which depend on the recipes.
  if (asked.has("recipe")) for (const box of boxes) box.checked = asked.getAll("recipe").includes(box.value);
  else for (const box of boxes) if (box.checked) asked.append("recipe", box.value);
  if (asked.has("clients")) field("clients").value = asked.get("clients");
  else asked.set("clients", field("clients").value);
  field("servers").value = asked.get("servers") || "";
  if (asked.has("observers")) {
    form.append(Object.assign(document.createElement("input"), {
      type: "hidden", name: "observers", value: asked.get("observers"),
    }));
  }
  function among(servers) {
    const even = document.getElementById("even");
    field("servers").value = servers;
    even.hidden = servers % 2 !== 0;
    even.firstChild.textContent = page.fill(even.firstChild.textContent, servers, servers - 1);
  }

  function show(figures) {
    while (form.nextSibling) form.nextSibling.remove();
    form.insertAdjacentHTML("afterend", figures);
    root.dataset.runs = document.querySelectorAll(".costs th[scope=row]").length;
  }
  function refuse(why) {
    const trouble = Object.assign(document.createElement("p"), { className: "trouble", textContent: why });
    trouble.setAttribute("role", "alert");
    form.before(trouble);
  }

  for (const usual of document.querySelectorAll(".plot, .plots, .scrolled")) usual.remove();
  root.dataset.runs = 0;
  const bar = document.getElementById("measuring");
  const [text, button] = bar.children;
  bar.hidden = false;
  const stop = page.ask(form.dataset, "compare", String(asked), (kind, said) => {
    if (kind === "progress") text.textContent = said;
    else if (kind === "servers") among(Number(said));
    else if (kind === "figures") show(said);
    else if (kind === "refused") refuse(said);
    else bar.hidden = true;
  });
  button.addEventListener("click", () => {
    stop();
    button.remove();
    text.textContent = bar.dataset.stopped;
  });
})();
