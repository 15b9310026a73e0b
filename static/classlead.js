// What a teacher's page has of its class: a dot for each learner, and the questions that it asks.
(() => {
  "use strict";
  const page = window.zkvizPage;
  const { room, fill } = page;
  const $ = (id) => document.getElementById(id);
  const root = document.documentElement;
  const dots = $("class-dots");

  // A dot says in its form where a learner is, and whether they have answered: in its words too, for a teacher who
  // points at it, goes to it by an arrow key, or hears it. They are changed where something has changed: there may be a
  // thousand.
  const places = { h: "here", a: "away", g: "gone" };
  const [few, some] = [40, 200]; // how many are drawn large, and not very small
  const nameOf = (number) => room.names[number] || fill($("class").dataset.unnamed, number);
  function say(dot, number, letter) {
    const where = places[letter.toLowerCase()];
    const answered = letter !== letter.toLowerCase();
    const words = fill(dots.dataset[where], nameOf(number));
    const text = answered ? fill(dots.dataset.answered, words) : words;
    Object.assign(dot.dataset, { where, answered });
    if (dot.title === text) return;
    dot.title = text;
    dot.firstChild.textContent = text;
  }
  let shown = "";
  function showDots() {
    if (!room.isTeacher() || !room.said.dots) return;
    const letters = room.said.dots.dots;
    while (dots.children.length < letters.length) {
      const dot = document.createElement("li");
      dot.append(Object.assign(document.createElement("span"), { className: "hidden" }));
      dots.append(dot);
    }
    [...letters].forEach((letter, i) => { if (letter !== shown[i]) say(dots.children[i], i + 1, letter); });
    shown = letters;
    dots.dataset.size = letters.length <= few ? "large" : letters.length <= some ? "small" : "tiny";
    dots.hidden = !letters;
    if (at >= 0) point(at);
  }
  function showNames(m) {
    for (const number of Object.keys(m.names)) {
      if (dots.children[number - 1]) say(dots.children[number - 1], Number(number), shown[number - 1]);
    }
    if (at >= 0) point(at);
  }
  room.on("dots", showDots);
  room.on("names", showNames);

  // By arrow keys one goes from dot to dot, and reads who it is.
  dots.tabIndex = 0;
  const named = Object.assign(document.createElement("p"), { className: "class-named", hidden: true });
  named.setAttribute("role", "status");
  dots.after(named);
  let at = -1;
  function point(to) {
    dots.children[at]?.removeAttribute("data-at");
    at = Math.min(dots.children.length - 1, Math.max(0, to));
    const dot = dots.children[at];
    named.hidden = !dot;
    if (!dot) return;
    dot.dataset.at = "true";
    dot.scrollIntoView({ block: "nearest" });
    if (named.textContent !== dot.title) named.textContent = dot.title;
  }
  const ways = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  page.taps.push((e) => {
    if (e.target !== dots || !ways[e.key]) return false;
    point(at + ways[e.key]);
    return true;
  });
  dots.addEventListener("focus", () => { if (dots.matches(":focus-visible")) point(Math.max(0, at)); });
  dots.addEventListener("blur", () => {
    dots.children[at]?.removeAttribute("data-at");
    at = -1;
    named.hidden = true;
  });

  // The step's question, if it has one, and what may be asked now.
  const step = () => page.steps?.current();
  const askHere = () => (window.kept.lesson ? step()?.querySelector(".ask[data-question]") : null);
  const contest = () => (root.dataset.stage === "ready" ? page.program()?.next?.() : "") || "";
  function offer() {
    if (!room.isTeacher()) return;
    const free = !room.question();
    $("class-ask").hidden = !free || !askHere();
    $("class-own-open").hidden = !free;
    $("class-next").hidden = !free || root.dataset.stage !== "ready" || !page.program()?.next;
  }
  room.on("class you", offer);
  const attributeFilter = ["data-step", "data-stage", "data-branch"];
  new MutationObserver(offer).observe(root, { attributes: true, attributeFilter });
  if ($("steps")) new MutationObserver(offer)
    .observe($("steps"), { attributes: true, attributeFilter: ["data-here"], subtree: true });
  const pose = (question) => room.say({ do: "pose", question });

  $("class-call").addEventListener("click", () => room.say({ do: "call" }));
  $("class-ask").addEventListener("click", () => {
    const ask = askHere();
    if (!ask) return;
    const choices = [...ask.querySelectorAll(".choice")];
    const right = choices.findIndex((choice) => choice.dataset.right === "true");
    pose({ id: window.kept.lesson + "/" + ask.dataset.question, choices: choices.length, right });
  });

  // A question of the teacher's own.
  const own = $("class-own");
  const form = $("class-own-form");
  $("class-own-open").addEventListener("click", () => {
    form.reset();
    own.showModal();
  });
  form.addEventListener("submit", (e) => {
    if (e.submitter?.id !== "class-own-ask") return;
    const texts = [...form.querySelectorAll("[name=choice]")].map((input) => input.value.trim());
    const words = texts.filter(Boolean);
    const chosen = texts[form.elements.right.value]; // undefined if there is no right one
    const right = chosen ? words.indexOf(chosen) : -1;
    pose({ text: form.elements.text.value.trim(), words, choices: words.length, right });
  });

  // What happens next? The stage knows who waits, and in a run that doesn't happen now, who comes next: "client-2
  // client-3;client-2;57", with the event at which that is seen. The run answers when the answer is shown.
  const most = 6; // of those who wait; somebody else and nobody are choices as well
  const letter = (n) => (n >= 1 && n <= 26 ? String.fromCharCode(64 + Number(n)) : String(n)); // as in engine/event
  let upcoming = null; // {number, branch, from, to}
  $("class-next").addEventListener("click", () => {
    if (root.dataset.playing === "true") page.command("play-pause");
    const [waiting, next, seq] = contest().split(";");
    if (seq === undefined) return;
    const { asks, client, other, nobody } = $("class-next").dataset;
    const clients = waiting.split(" ").filter(Boolean).slice(0, most);
    const words = clients.map((name) => fill(client, letter(name.replace("client-", ""))));
    words.push(other, nobody);
    const isKnown = root.dataset.host !== "live";
    const among = clients.indexOf(next);
    const right = !isKnown ? -1 : !next ? words.length - 1 : among < 0 ? words.length - 2 : among;
    if (!pose({ text: asks, words, choices: words.length, right })) return;
    upcoming = { branch: root.dataset.branch, from: root.dataset.seq, to: isKnown ? seq : "0" };
  });
  page.revealed = () => {
    const { branch, from, to } = upcoming || {};
    upcoming = null;
    if (branch !== root.dataset.branch || from !== root.dataset.seq) return; // the teacher has gone on
    if (to !== "0") page.command("replay", Math.max(1, from) + "-" + to);
    else page.command(root.dataset.host === "live" ? "play-pause" : "end");
  };
  room.on("class", () => { if (!room.question()) upcoming = null; });

  // A question that was answered is put away when the teacher goes on.
  if ($("steps")) new MutationObserver(() => {
    const q = room.question();
    if (room.isTeacher() && q?.revealed && q.id && !page.asked()) room.say({ do: "leave" });
  }).observe($("steps"), { attributes: true, attributeFilter: ["data-here"], subtree: true });

  // Presenting, others read how to come in.
  const address = new URL($("class").dataset.to + room.name(), location.href);
  $("class-join-at").textContent = address.host + address.pathname;
})();
