// Repairs: what is chosen goes into the gap, and the server tries the program that results. What is worth testing is
// in Go.
(() => {
  "use strict";
  const all = (selector, from) => [...from.querySelectorAll(selector)];
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const columns = 50;
  const shownIn = 1500; // ms, for all schedules
  let asked = null; // what is under way: it ends when the reader goes on, or asks for something else

  const chosen = (box) => box.querySelector("input:checked");

  function choose(box) {
    if (asked) asked.abort();
    const patch = chosen(box).value;
    for (const lines of all(".gap > *", box)) lines.toggleAttribute("data-shown", lines.dataset.patch === patch);
    box.querySelector("[data-repair]").disabled = false;
    draw(box, 0);
    say(box, "");
  }

  // The first schedules, a dot for each. The last one may have broken something.
  function draw(box, tried, broke) {
    const dots = (from, to, mark) => {
      let d = "";
      for (let i = from; i < to; i++) d += `M${i % columns + .5} ${Math.floor(i / columns) + .5}${mark}`;
      return d;
    };
    const svg = box.querySelector(".schedules");
    const held = broke ? tried - 1 : tried;
    svg.querySelector(".held").setAttribute("d", dots(0, held, "h0"));
    svg.querySelector(".broke").setAttribute("d", broke ? dots(held, tried, "m-.8 -.8l1.6 1.6m-1.6 0l1.6 -1.6") : "");
  }

  function say(box, words, found) {
    const status = box.querySelector(".finding");
    status.textContent = words;
    status.dataset.state = found ? (found.held ? "held" : "broke") : "";
    for (const choice of all(".choice", box)) delete choice.dataset.state;
    if (!found) return;
    const choice = chosen(box).closest(".choice");
    choice.dataset.state = found.held ? "right" : "wrong";
    if (found.link) {
      const watch = document.createElement("a");
      watch.href = status.dataset.to + new URL(found.link, location.href).search;
      watch.textContent = status.dataset.watch;
      status.append(" ", watch);
    }
    const why = document.createElement("span");
    why.textContent = choice.dataset.why;
    status.append(why);
    status.scrollIntoView({ block: "nearest" });
  }

  const count = (box, tried, of) => {
    const number = new Intl.NumberFormat(document.documentElement.lang);
    const words = box.querySelector(".finding").dataset.count;
    box.querySelector(".tried").textContent =
      words.replace("{0}", number.format(tried)).replace("{1}", number.format(of));
  };

  // It shows the schedules one after the other, as they were tried.
  function show(box, found, signal) {
    const lasts = still.matches ? 0 : Math.max(300, shownIn * found.tried / found.of);
    const begun = performance.now();
    const tick = (now) => {
      if (signal.aborted) return;
      const part = lasts ? Math.min(1, Math.max(0, now - begun) / lasts) : 1;
      const tried = Math.floor(found.tried * part);
      draw(box, tried, part === 1 && !found.held);
      count(box, tried, found.of);
      if (part < 1) requestAnimationFrame(tick);
      else say(box, found.words, found);
    };
    requestAnimationFrame(tick);
  }

  async function attempt(box) {
    if (asked) asked.abort();
    asked = new AbortController();
    const { signal } = asked;
    const status = box.querySelector(".finding");
    say(box, status.dataset.busy);
    draw(box, 0);
    try {
      const reply = await fetch(chosen(box).dataset.from, { signal });
      if (!reply.ok) throw new Error((await reply.text()).slice(0, 200).trim() || reply.statusText);
      show(box, await reply.json(), signal);
    } catch (e) {
      if (!signal.aborted) say(box, status.dataset.failed.replace("{0}", e.message));
    }
  }

  document.addEventListener("change", (e) => { if (e.target.closest(".repair")) choose(e.target.closest(".repair")); });
  document.addEventListener("click", (e) => {
    const button = e.target.closest("[data-repair]");
    if (button) attempt(button.closest(".repair"));
  });
  addEventListener("pagehide", () => { if (asked) asked.abort(); });
})();
