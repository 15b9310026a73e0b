// The lab's form: faults as chips, chosen from lists in place of the text fields, which stay without scripts.
(() => {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const page = window.zkvizPage;
  const fill = page.fill;

  // As in engine/event: A to Z, then numbers.
  const letter = (n) => (n >= 1 && n <= 26 ? String.fromCharCode(64 + n) : String(n));
  const kinds = () => [...$("chip-kind").options];
  const mostClients = 1000;

  // words says what a written fault is; one that cannot be read stays as it is written.
  function words(fault) {
    const m = /^(\S+) (?:client-(\d+)|server|node-(\d+)) at (\S+)(?: (?:for|by) (\S+))?$/.exec(fault);
    const kind = m && kinds().find((k) => k.value === m[1] && "node" in k.dataset === Boolean(m[3]));
    if (!kind) return fault;
    const { text, lasts, sets, client, node } = $("fault-chips").dataset;
    const who = m[2] ? fill(client, letter(Number(m[2]))) : m[3] ? fill(node, m[3]) : "";
    const form = !m[5] ? text : kind.dataset.span === "by" ? sets : lasts;
    return fill(form, who, kind.textContent.trim(), m[4], m[5]).trim();
  }

  function chip(fault) {
    const box = $("fault-chips");
    const li = document.createElement("li");
    const value = document.createElement("input");
    Object.assign(value, { type: "hidden", name: "fault", value: fault });
    const remove = document.createElement("button");
    Object.assign(remove, { type: "button", className: "quiet", textContent: "×" });
    remove.setAttribute("aria-label", fill(box.dataset.remove, words(fault)));
    remove.addEventListener("click", () => {
      const next = li.nextElementSibling || li.previousElementSibling;
      li.remove();
      (next ? next.querySelector("button") : $("chip-add")).focus();
    });
    const text = document.createElement("span");
    text.textContent = words(fault);
    li.append(text, value, remove);
    box.querySelector("ul").append(li);
  }

  function add() {
    const kind = $("chip-kind").selectedOptions[0];
    const lasts = "lasts" in kind.dataset;
    const times = lasts ? [$("chip-at"), $("chip-for")] : [$("chip-at")];
    if (!times.every((input) => input.value !== "" && input.reportValidity())) return;
    const who = "server" in kind.dataset ? "server" :
      "node" in kind.dataset ? "node-" + $("chip-node").value : "client-" + $("chip-client").value;
    const length = Number($("chip-for").value);
    if (lasts && length === 0) return;
    chip(kind.value + " " + who + " at " + Number($("chip-at").value) + "s" +
      (lasts ? " " + kind.dataset.span + " " + length + "s" : ""));
  }

  function clients() {
    const list = $("chip-client");
    const was = Number(list.value) || 1;
    const given = parseInt(document.querySelector(".lab-form [name=clients]").value, 10) || 6;
    const n = Math.min(Math.max(given, 1), mostClients);
    list.replaceChildren(...Array.from({ length: n }, (_, i) =>
      new Option(fill($("fault-chips").dataset.client, letter(i + 1)), i + 1)));
    list.value = Math.min(was, n);
  }
  function fit() {
    const kind = $("chip-kind").selectedOptions[0];
    const node = "node" in kind.dataset;
    const sets = kind.dataset.span === "by";
    const span = $("chip-for-label");
    $("chip-client").hidden = "server" in kind.dataset || node;
    $("chip-node").hidden = !node;
    span.hidden = !("lasts" in kind.dataset);
    span.dataset.lasts ||= span.firstElementChild.textContent;
    span.firstElementChild.textContent = sets ? span.dataset.sets : span.dataset.lasts;
    $("chip-for").min = sets ? "-86400" : "0.001";
  }
  // systems offers what can be done in runs of the recipe that is chosen, and what they can be run on.
  function systems() {
    const recipe = document.querySelector(".lab-form [name=recipe]").selectedOptions[0];
    const { where = "zookeeper", nodes = 0, replicas, tables } = recipe ? recipe.dataset : {};
    const database = $("lab-database");
    database.hidden = database.querySelector("select").disabled = tables === undefined;
    for (const k of kinds()) {
      k.hidden = k.disabled = Boolean(where && k.dataset.where && k.dataset.where !== where) ||
        "replicas" in k.dataset && replicas === undefined;
    }
    if ($("chip-kind").selectedOptions[0]?.disabled ?? true) $("chip-kind").value = "pause";
    const list = $("chip-node");
    const was = Math.min(Number(list.value) || 1, Number(nodes));
    list.replaceChildren(...Array.from({ length: Number(nodes) }, (_, i) =>
      new Option(fill($("fault-chips").dataset.node, i + 1), i + 1)));
    list.value = was;
    fit();
  }

  // The link to a task carries no branch and no moment: it would give the solution away.
  page.deeds["share-task"] = async (button) => {
    const note = $("task-note");
    const link = new URL(button.dataset.to, location.href).href;
    note.textContent = await page.clip(link) ? note.dataset.copied : note.dataset.byHand + " " + link;
  };

  document.addEventListener("DOMContentLoaded", () => {
    if (!$("fault-chips")) return;
    const texts = [...document.querySelectorAll("#lab-faults > input[name=fault]")];
    for (const t of texts) {
      t.remove();
      if (t.value.trim()) chip(t.value);
    }
    clients();
    systems();
    document.querySelector(".lab-form [name=recipe]").addEventListener("change", systems);
    document.querySelector(".lab-form [name=clients]").addEventListener("input", clients);
    $("chip-kind").addEventListener("change", fit);
    $("chip-add").addEventListener("click", add);
    for (const id of ["chip-at", "chip-for"]) { // Enter adds the fault; the form is sent by its button
      $(id).addEventListener("keydown", (e) => { if (e.key === "Enter") { e.preventDefault(); add(); } });
    }
  });
})();
