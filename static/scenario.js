// The Lab of a site of files, where no server reads the address: this fills the form and the stage's address from it.
// The page's worker runs the scenario, and says what is wrong with it. It runs before page.js, which takes the form as
// it is.
(() => {
  "use strict";
  const root = document.documentElement;
  const $ = (id) => document.getElementById(id);
  const form = document.querySelector(".lab-form");
  const says = form.dataset;
  const field = (name) => form.querySelector(`[name="${name}"]`);
  const fill = (text, ...args) => text.replace(/\{(\d)\}/g, (_, i) => args[i]);
  const beside = ["beside", "beside-seed"];
  const [parameters, moment, task, frame] = [says.parameters, says.moment, says.task, says.frame]
    .map((names) => names.split(" "));
  const given = new URLSearchParams([...new URLSearchParams(location.search)]
    .filter(([name, value]) => value.trim() && !frame.includes(name)));

  const page = [...field("recipe").options].find((o) => o.value === given.get("recipe"));
  if (page && !page.defaultSelected) { // another recipe has another page
    location.replace(page.dataset.address + location.search + location.hash);
    return;
  }
  if (!given.has("recipe")) given.set("recipe", field("recipe").value);
  for (const a of document.querySelectorAll("a[hreflang]")) a.search = location.search;

  function hide(name, value) {
    form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  }
  // put writes a parameter into the form, into hidden fields if it has none to be seen.
  function put(name, values) {
    if (name === "recipe") return;
    if (name === "fault") {
      const last = [...form.querySelectorAll("[name=fault]")].pop();
      for (const value of values) last.before(Object.assign(last.cloneNode(), { value }));
      return;
    }
    const at = field(name);
    if (name === "beside" && ![...at.options].some((o) => o.value === values[0])) {
      at.options[0].after(new Option(says.other, values[0]));
    }
    if (at) at.value = values[0];
    for (const value of values.slice(at ? 1 : 0)) hide(name, value);
    const folded = at?.closest("details");
    if (folded) folded.open = true;
  }
  for (const name of new Set(given.keys())) {
    if ([...parameters, ...beside, ...task].includes(name)) put(name, given.getAll(name));
  }
  const even = $("even").firstChild;
  const noted = even.textContent;
  function fit() { // one server gets nothing wrong, and an even number is worth a note
    const flaw = field("flaw");
    const servers = Number(field("servers").value.trim() || field("servers").placeholder);
    flaw.disabled = flaw.closest("label").hidden = servers === 1;
    $("even").hidden = servers < 1 || servers % 2 !== 0;
    even.textContent = fill(noted, servers, servers - 1);
  }
  field("servers").addEventListener("input", fit);
  fit();

  // The stage's address. Of a moment's link it leaves out what this version doesn't know; else the worker refuses it.
  const poster = $("poster");
  const address = new URL(poster.dataset.address, location.href);
  const usual = new URLSearchParams(address.searchParams.get("query"));
  function stageOf() {
    const bytes = location.search.length - 1;
    if (bytes > says.longest) return { query: "recipe=" + field("recipe").value, bytes };
    const scenario = new URLSearchParams();
    const rest = [];
    const linked = given.has("at") || given.has("event");
    for (const [name, value] of given) {
      if (moment.includes(name)) rest.push([name, value]);
      else if (linked && !parameters.includes(name) && !task.includes(name)) rest.push(["unknown", name]);
      else if (!task.includes(name)) scenario.append(name, value);
    }
    return [["query", scenario], ["lab", "link"], ...rest];
  }
  address.search = new URLSearchParams(stageOf());
  poster.dataset.address = address.href;

  // What the worker has made of it.
  const filled = new Map(["clients", "rounds", "seed", "hold", "servers", "latency", "session-timeout"].map((name) =>
    [field(name), field(name).value]));
  document.addEventListener("zkviz-run", ({ detail }) => {
    if (root.dataset.page !== "lab") return; // its task can't be
    const scenario = new URLSearchParams(detail.query);
    for (const [at, was] of filled) { // not what the reader has changed since, nor what is as usual
      if (at.value === was && (was || at.name === "hold")) at.value = scenario.get(at.name);
    }
    const timeout = document.querySelector("#faults > .small");
    timeout.textContent = fill(says.timeout, detail.timeout);
    $("fault-for").value = detail.lasts + "s";
    $("chip-for").value = detail.lasts;
    offer(scenario);
  }, { once: true });

  // offer makes the runs that can stand beside differ from this one by what they differ by from the page's own.
  function offer(scenario) {
    const other = (written) => {
      const from = new URLSearchParams(written);
      const to = new URLSearchParams(scenario);
      for (const name of parameters) {
        if (String(from.getAll(name)) === String(usual.getAll(name))) continue;
        to.delete(name);
        if (name === "seed") to.set(name, BigInt.asUintN(64, BigInt(scenario.get(name)) + 1n));
        else for (const value of from.getAll(name)) to.append(name, value);
      }
      return String(to);
    };
    for (const o of $("beside").options) if (o.value) o.value = other(o.value);
    for (const b of document.querySelectorAll("[data-command=beside][data-arg]")) b.dataset.arg = other(b.dataset.arg);
  }

  // A scenario that can't run leaves its form, and why, also in another site's frame.
  function refuse(why) {
    if (root.dataset.page !== "lab") return; // once is enough
    root.dataset.page = "lab-form";
    delete root.dataset.bench;
    delete root.dataset.embed;
    const section = form.parentElement;
    section.parentElement.className = "prose";
    for (const part of section.parentElement.children) part.hidden = part !== section;
    for (const part of section.querySelectorAll(":scope > :is(p, .step)")) part.hidden = true;
    for (const at of filled.keys()) if (!given.has(at.name)) at.value = "";
    $("title").textContent = says.title;
    const trouble = Object.assign(document.createElement("p"), { className: "trouble" });
    trouble.setAttribute("role", "alert");
    trouble.textContent = why[0].toUpperCase() + why.slice(1) + ".";
    form.before(trouble);
  }
  document.addEventListener("zkviz-refused", ({ detail }) => refuse(detail.why), { once: true });

  // A task that came with the link.
  const plain = (name) => (given.get(name) || "").replace(/\s+/g, " ").replace(/\p{C}/gu, "").trim();
  function wrong() {
    for (const name of ["title", "text"]) {
      const n = [...(given.get(name) || "")].length;
      const most = Number(says[name + "Max"]);
      if (n > most) return fill(name === "title" ? says.badTitle : says.badText, n);
    }
    const rule = given.get("rule");
    if (!rule) return "";
    if (!$("lab-task") || ![...field("rule").options].some((o) => o.value === rule)) {
      return fill(says.badRule, `"${rule}"`, `"${given.get("recipe")}"`);
    }
    const par = given.get("par") || "1";
    return /^\d+$/.test(par) && par >= 1 && par <= Number(says.parMax) ? "" : fill(says.badPar, `"${par}"`);
  }
  function show() {
    const rule = given.get("rule");
    const par = Number(given.get("par") || 1);
    document.querySelector(".subnav").after($("lab-task").content.cloneNode(true));
    const step = document.querySelector(".step");
    if (plain("title")) step.querySelector(".step-title").textContent = plain("title");
    if (plain("text")) step.querySelector(".words p").textContent = plain("text");
    const challenge = step.querySelector(".challenge");
    challenge.dataset.task = `lab ${rule} 1 ${par}`;
    challenge.querySelector(".task").textContent =
      fill(says.goal, [...field("rule").options].find((o) => o.value === rule).textContent);
    challenge.querySelector(":scope > .small").firstChild.textContent = fill(says.par, par) + " ";
    const own = new URLSearchParams([...given].filter(([name]) =>
      !moment.includes(name) || beside.includes(name) || name === "in-step"));
    step.querySelector("[data-do=share-task]").dataset.to = form.getAttribute("action") + "?" + own;
  }
  const why = wrong();
  if (why) document.addEventListener("DOMContentLoaded", () => refuse(why));
  else if (given.has("rule")) show();
})();
