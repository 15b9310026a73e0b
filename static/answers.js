// Questions: the answers are in the page, computed by the server from the run. What the reader has chosen is kept in
// the browser, and how the first tries went, for the reader alone.
(() => {
  "use strict";
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const page = window.zkvizPage;
  const asks = all(".ask[data-question]"); // a repair has choices of another kind
  if (!asks.length) return;
  // In a review, which asks again, nothing is kept.
  const nameOf = (ask) => kept.lesson + "/" + ask.dataset.question;
  let given = kept.lesson ? kept.answers() : {};

  // A class that is asked a question has its answer kept back until the teacher shows it: classask.js says so.
  const held = (ask) => page.holds?.(nameOf(ask));

  function show(ask, input) {
    const choice = input.closest(".choice");
    for (const c of all(".choice", ask)) delete c.dataset.state;
    const out = ask.querySelector(".answer");
    if (held(ask)) {
      delete out.dataset.state;
      out.textContent = held(ask);
      return out;
    }
    choice.dataset.state = choice.dataset.right === "true" ? "right" : "wrong";
    const word = choice.dataset.state === "right" ? out.dataset.rightWord : out.dataset.wrongWord;
    out.textContent = word + " " + choice.dataset.why;
    out.dataset.state = choice.dataset.state;
    return out;
  }

  function answer(input) {
    const ask = input.closest(".ask");
    input.checked = true;
    const out = show(ask, input);
    if (!kept.lesson || held(ask)) return;
    given = kept.answers(); // another tab may have written
    const before = given[nameOf(ask)] || { first: out.dataset.state === "right", day: kept.today(), times: 0 };
    given[nameOf(ask)] = { ...before, chosen: input.value };
    kept.write("answers", given);
    count();
    out.scrollIntoView({ block: "nearest" });
  }

  // How the first tries went stands at the end of the lesson, once there is one.
  function count() {
    const tally = document.querySelector(".tally");
    if (!tally) return;
    const done = asks.map((ask) => given[nameOf(ask)]).filter(Boolean);
    tally.hidden = done.length === 0;
    const text = tally.querySelector("p");
    const right = done.filter((one) => one.first === true).length;
    const open = asks.length - done.length;
    const words = open ? text.dataset.some : text.dataset.all;
    text.textContent = words.replace("{0}", right).replace("{1}", asks.length).replace("{2}", open);
  }

  function restore() {
    for (const ask of asks) {
      clear(ask);
      const chosen = given[nameOf(ask)]?.chosen;
      const input = all("input", ask).find((i) => i.value === chosen);
      if (!input) continue;
      input.checked = true;
      show(ask, input);
    }
    count();
  }

  function clear(ask) {
    for (const input of all("input", ask)) input.checked = false;
    for (const c of all(".choice", ask)) delete c.dataset.state;
    const out = ask.querySelector(".answer");
    out.textContent = "";
    delete out.dataset.state;
  }

  function forget() {
    given = kept.answers();
    for (const ask of asks) {
      delete given[nameOf(ask)];
      clear(ask);
    }
    kept.write("answers", given);
    count();
  }

  // For an audience the answer of a step is revealed once: nobody has answered, so nothing is kept. A teacher's class
  // gets it too.
  function reveal(ask) {
    const right = ask?.querySelector("[data-right] input");
    if (!right) return false;
    right.checked = true;
    show(ask, right).scrollIntoView({ block: "nearest" });
    return true;
  }
  page.deeds.reveal = (step) => {
    const ask = step && all(".ask", step).find((one) => asks.includes(one) && !one.querySelector("[data-state]"));
    return ask && held(ask) ? page.reveal() : reveal(ask);
  };
  page.answers = {
    named: (name) => asks.find((ask) => nameOf(ask) === name), clear, restore, reveal, answer, forget,
    show(input) {
      input.checked = true;
      show(input.closest(".ask"), input);
    },
  };

  // An arrow key leads to the next choice, and the space bar chooses it: what one passes on the way is no answer.
  const ways = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
  document.addEventListener("keydown", (e) => {
    if (!ways[e.key] || e.ctrlKey || e.altKey || e.metaKey || !e.target.matches(".ask[data-question] input")) return;
    e.preventDefault();
    const choices = all("input", e.target.closest(".ask"));
    choices.at((choices.indexOf(e.target) + ways[e.key]) % choices.length).focus();
  });
  document.addEventListener("change", (e) => { if (e.target.matches(".ask[data-question] input")) answer(e.target); });
  document.addEventListener("click", (e) => { if (e.target.closest("[data-forget]")) forget(); });
  restore();
})();
