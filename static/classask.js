// The question that a class is asked. A lesson's is answered where it stands, in its step, and a teacher's own in a
// panel. What is right, and how many chose what, is shown when the teacher shows it to all.
(() => {
  "use strict";
  const page = window.zkvizPage;
  const { room, fill } = page;
  const $ = (id) => document.getElementById(id);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const panel = $("class-question");
  const [text, choices, bars, answers] = ["class-question-text", "class-choices", "class-bars", "class-answers"].map($);
  const make = (tag, className, textContent = "") =>
    Object.assign(document.createElement(tag), { className, textContent });
  const write = (out, words) => { if (out.textContent !== words) out.textContent = words; };

  // see has something in sight, from its beginning if there may be no room for all of it.
  const see = (part) => part.scrollIntoView({ block: part.offsetHeight > innerHeight / 2.5 ? "start" : "nearest" });

  // The step's question that is asked, if it's on this page.
  const askOf = (q) => q?.id && page.answers?.named(q.id);
  const isSeen = (ask) => !!ask && ask.getClientRects().length > 0;
  page.asked = () => isSeen(askOf(room.question()));

  // What answers.js says in place of an answer that is kept back; "" if it may say it.
  page.holds = (name) => {
    const q = room.question();
    return !q || q.id !== name || q.revealed ? "" : stateOf(q);
  };
  let late = 0; // the question to which an answer was refused
  const isLate = (q) => late === q.number && !q.open && mine(q) === undefined;
  const stateOf = (q) => choices.dataset[isLate(q) ? "late" : !q.open ? "closed" : counts(q) ? "given" : "waits"];

  // An answer is said again, after a lost connection or as long as the servers can't decide, until it counts or can't
  // any more.
  let chosen = null; // {number, choice} of this page's reader
  const isChosen = (q) => !!chosen && chosen.number === q?.number;
  const mine = (q) => (isChosen(q) ? chosen.choice : room.said.you?.choice);
  const counts = (q) => !isChosen(q) || room.said.you?.choice === chosen.choice;
  function answer(choice) {
    const q = room.question();
    if (!q?.open || room.isTeacher()) return;
    chosen = { number: q.number, choice };
    room.say({ do: "answer", ...chosen });
    show();
  }
  function sayAgain() {
    const q = room.question();
    if (!isChosen(q) || counts(q)) return;
    if (q.open) room.say({ do: "answer", ...chosen });
    else drop(choices.dataset.late);
  }
  // drop has the page show what counts, and says why its reader's answer doesn't.
  function drop(why) {
    late = chosen.number;
    chosen = null;
    page.complain(why);
    show();
  }
  document.addEventListener("change", ({ target }) => {
    const ask = askOf(room.question());
    if (ask?.contains(target)) answer(all("input", ask).indexOf(target));
  });

  // How many chose what: a bar for each choice, as long as its part of all answers.
  function bar(q, i) {
    const out = make("span", "class-bar");
    const part = make("span", "class-part");
    part.style.inlineSize = 100 * q.counts[i] / Math.max(1, q.answers) + "%";
    out.append(part, make("span", "class-n", q.counts[i]));
    return out;
  }
  function clear(ask) {
    for (const one of all(".class-bar, .class-why", ask)) one.remove();
  }

  // A lesson's question, in its step.
  let shown = ""; // what is shown of which question there
  function inStep(q, ask) {
    const now = JSON.stringify([q.number, q.revealed, q.open, mine(q), counts(q), q.revealed && q.counts]);
    if (shown === now) return;
    const [number, revealed] = shown ? JSON.parse(shown) : [];
    shown = now;
    if (number !== q.number) page.answers.clear(ask);
    const input = all("input", ask)[mine(q)];
    if (input && !q.revealed) page.answers.show(input);
    if (!q.revealed) {
      if (number !== q.number) see(ask);
      return;
    }
    if (!revealed) {
      if (input) page.answers.answer(input);
      else page.answers.reveal(ask);
    }
    clear(ask);
    all(".choice", ask).forEach((choice, i) => {
      if (choice.dataset.right === "true") choice.dataset.state = "right";
      choice.append(bar(q, i));
      choice.after(make("p", "class-why", choice.dataset.why));
    });
    if (!revealed) see(ask);
  }

  // The words of a question: a lesson's stand on its page.
  const wordsOf = (q) =>
    q.words || all(".choice > span:first-of-type", askOf(q) || panel).map((one) => one.textContent);
  const textOf = (q) => q.text || askOf(q)?.querySelector("legend").textContent || "";

  // A teacher's own one, in the panel.
  let asked = 0;
  function inPanel(q) {
    if (asked !== q.number) {
      asked = q.number;
      setTimeout(() => see(panel));
      choices.replaceChildren(...q.words.map((words, i) => {
        const button = make("button", "class-choice");
        button.type = "button";
        button.append(make("span", "", words), make("span", "mark"));
        button.addEventListener("click", () => answer(i));
        return button;
      }));
      panel.scrollTop = 0;
    }
    [...choices.children].forEach((button, i) => {
      button.setAttribute("aria-pressed", String(mine(q) === i));
      button.setAttribute("aria-disabled", String(!q.open || room.isTeacher()));
    });
    choices.hidden = q.revealed;
  }
  function distribution(q) {
    bars.hidden = !q.revealed || !!askOf(q);
    if (bars.hidden) return;
    bars.replaceChildren(...wordsOf(q).map((words, i) => {
      const item = document.createElement("li");
      const isRight = i === q.right;
      const name = isRight ? fill(bars.dataset.right, words) : words;
      const line = make("span", "class-line");
      line.append(make("span", "", name), make("span", "mark"));
      if (i === mine(q)) item.dataset.mine = "true";
      if (q.right >= 0) item.dataset.state = isRight ? "right" : "other";
      const drawn = bar(q, i);
      drawn.setAttribute("aria-hidden", "true");
      item.append(line, make("span", "hidden", fill(bars.dataset.says, "", q.counts[i], q.answers)), drawn);
      return item;
    }));
  }

  function status(q) {
    const { right, wrong } = choices.dataset;
    if (q.revealed && !isLate(q)) {
      const known = q.right >= 0 && mine(q) !== undefined && !room.isTeacher() && !q.id;
      return known ? (mine(q) === q.right ? right : wrong) : "";
    }
    return q.open && (mine(q) === undefined || room.isTeacher() || q.id) ? "" : stateOf(q);
  }
  let last = ""; // the lesson's question that was shown last
  function show() {
    const q = room.question();
    const ask = askOf(q);
    if (last && last !== q?.id) {
      const before = page.answers?.named(last);
      if (before) clear(before);
      shown = "";
    }
    last = q?.id || "";
    panel.hidden = !q || !!q.id && !room.isTeacher();
    if (!q) return;
    if (ask) inStep(q, ask);
    if (panel.hidden) return;
    panel.dataset.of = q.id ? "step" : "own";
    write(text, textOf(q));
    choices.hidden = !!q.id;
    if (!q.id) inPanel(q);
    distribution(q);
    const { class: c } = room.said;
    write(answers, [fill(answers.dataset.says, q.answers, c.learners), status(q)].filter(Boolean).join(" · "));
    $("class-question-lead").hidden = !room.isTeacher();
    $("class-close").hidden = !q.open;
    $("class-reveal").hidden = q.revealed;
  }
  room.on("class you", show);
  room.on("you", sayAgain);
  room.on("apart", ({ apart }) => { if (!apart) sayAgain(); });
  room.on("again", sayAgain);
  room.on("error", ({ do: what, again, why }) => {
    if (what === "answer" && !again && !counts(room.question())) drop(why);
  });
  room.on("link", () => { if (room.link !== "lost") show(); });
  // The step that a question is in may come to be shown only now.
  const steps = $("steps");
  if (steps) new MutationObserver(() => { show(); room.show(); })
    .observe(steps, { attributes: true, attributeFilter: ["data-here"], subtree: true });

  panel.addEventListener("submit", (e) => e.preventDefault());
  $("class-close").addEventListener("click", () => room.say({ do: "close" }));
  $("class-reveal").addEventListener("click", () => page.reveal());
  $("class-put-away").addEventListener("click", () => room.say({ do: "leave" }));
  page.reveal = () => {
    const does = room.isTeacher() && room.say({ do: "reveal" });
    if (does) page.revealed();
    return does;
  };
  // With a remote control the answer comes before the next step, as it does of a lesson's question.
  const { reveal } = page.deeds;
  page.deeds.reveal = (step) => {
    const q = room.question();
    return q && !q.id && !q.revealed && room.isTeacher() ? page.reveal() : reveal?.(step);
  };
})();
