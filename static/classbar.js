// The bar of a class on each of its pages, and following: a learner's page goes where the teacher's goes until its
// reader acts, and back again with one key. A teacher's page leads, unless another one of the teacher's does.
(() => {
  "use strict";
  const page = window.zkvizPage;
  const { attends, room } = page;
  const $ = (id) => document.getElementById(id);
  const root = document.documentElement;
  const [box, link] = [$("class"), $("class-link")];
  const atDoor = !!attends.door;
  // Plans and answers are the teacher's alone: no page follows there, and such a page follows none.
  const isPrivate = () => room.isTeacher() && (atDoor || ["teach", "answers"].includes(root.dataset.page));

  // Where this tab's class has brought it. Who is somewhere else has gone there on their own.
  const here = () => page.place?.()?.page || location.pathname;
  const keep = (more) => { if (attends.tab) attends.keep({ ...attends.tab, ...more }); };
  const { belongs } = room;
  const follows = () => !!attends.tab && attends.tab.follows !== false;

  page.isLed = () => belongs() && follows() && !room.isTeacher();
  function letGo() {
    if (room.isTeacher() || !follows()) return;
    keep({ follows: false });
    room.say({ do: "here", follows: false });
    show();
  }
  function back() {
    if (room.isTeacher() || follows()) return;
    keep({ follows: true });
    room.say({ do: "here", follows: true });
    show();
    go();
  }

  // A page is left only if nothing is open on it that its reader would lose.
  const fields = "textarea, input:not([type=radio], [type=checkbox], [type=range])";
  function isBusy() {
    const at = document.activeElement;
    return !atDoor && (document.querySelector("dialog[open]") || at?.matches(fields) && at.value !== "");
  }
  // go shows where the teacher is.
  let leaving = ""; // the page that comes next
  let waits = false; // until the reader is done with what is open
  function go() {
    const { place } = room.said;
    if (!place || !follows() || isPrivate() || room.isTeacher() && leads) return;
    const to = page.follow(place);
    waits = !!to && !!isBusy();
    show();
    if (!to || waits || leaving === place.page) return;
    leaving = place.page;
    setTimeout(() => { leaving = ""; }, 5000); // it may not come
    keep({ going: Date.now() });
    location.assign(to);
  }
  for (const sign of ["focusout", "close"]) {
    document.addEventListener(sign, () => setTimeout(() => { if (waits) go(); }), true);
  }
  room.on("place", (place) => { if (!isOwn(place)) go(); });
  new MutationObserver(() => { if (root.dataset.stage === "ready") go(); })
    .observe(root, { attributes: true, attributeFilter: ["data-stage"] });

  // A teacher's page leads from where it is. If another one does, it follows that until somebody acts on it.
  let leads = !atDoor;
  let first = true; // the next place is where the class was before this page came
  let returns = null; // the place of the class that this page goes back to before it leads: it was loaded again
  let sent = []; // what it has said, and hasn't come back yet: the server may leave some out, but not the last
  let last = ""; // where the class is, as far as it knows
  const keyOf = ({ page, step, query, playing, speed }) =>
    JSON.stringify([page, step || "", query || "", !!playing, speed || 0]);
  function lead(place) {
    if (!room.isTeacher() || !leads || isPrivate() || /^\/class(\/|$)/.test(place.page) || isReturning(place)) return;
    const key = keyOf(place);
    if (key === last || !room.say({ do: "lead", place })) return;
    sent.push(last = key);
  }
  // isOwn reports whether a place is what this page has said itself.
  function isOwn(place) {
    if (!room.isTeacher()) return false;
    const own = sent.indexOf(keyOf(place));
    sent = sent.slice(own + 1);
    if (own < 0 || !sent.length) last = keyOf(place);
    if (first && leads) {
      first = false;
      if (goesOn && place.page === here()) {
        returns = place;
        page.follow(place);
        setTimeout(() => { returns = null; }, slow);
      }
      goesOn = false;
      lead(page.place());
      return true;
    }
    first = false;
    leads &&= own >= 0;
    return own >= 0;
  }
  // A page that is loaded again, or opened from the door, goes on where the class is.
  const slow = 60000; // ms that a page may take to come
  let goesOn = !!attends.tab?.goesOn || performance.getEntriesByType("navigation")[0]?.type === "reload";
  const faultsOf = ({ query }) => String(new URLSearchParams(query).getAll("fault"));
  function isReturning(place) {
    if (!returns || root.dataset.stage === "failed") return false;
    const is = place.step === returns.step && !place.query === !returns.query && faultsOf(place) === faultsOf(returns);
    if (is) returns = null;
    return !is;
  }
  room.on("link", (state) => {
    if (state !== "lost") return;
    first = true;
    sent = [];
  });
  function takeLead() {
    leads = true;
    show();
    lead(page.place());
  }
  page.onplace?.(lead);
  page.onown?.(() => {
    returns = null;
    if (!room.isTeacher()) return letGo();
    if (!leads && !isPrivate()) takeLead();
  });

  // Calls are counted: who wasn't there, or whose page was on its way, comes back all the same.
  let called = false;
  room.on("class", (m) => {
    const was = attends.tab?.calls;
    if (was === m.calls) return;
    keep({ calls: m.calls });
    called = was < m.calls && !follows();
    if (called) back();
  });

  // What the bar says.
  const { fill } = page;
  const write = (out, text) => { if (out.textContent !== text) out.textContent = text; }; // else it is read aloud again
  let trouble = ""; // why something was refused
  let calms = 0;
  page.complain = (why) => {
    trouble = why;
    show();
    clearTimeout(calms);
    calms = setTimeout(() => { trouble = ""; show(); }, 8000);
  };
  room.on("error", ({ why }) => page.complain(why));
  // What is amiss, if anything is: on a phone that has a line of its own.
  function amiss() {
    if (room.link) return room.link;
    if (trouble) return "refused";
    return room.said.apart?.apart ? "apart" : "";
  }
  function status(state) {
    const says = link.dataset;
    const q = room.question();
    if (state) return says[state] || trouble || room.why;
    if (isPrivate()) return atDoor ? "" : says.private;
    if (room.isTeacher()) return leads ? "" : says.led;
    if (waits) return says.elsewhere;
    if (q?.open && q.id && !page.asked()) return says.asked;
    if (!follows()) return says.alone;
    return called ? says.called : "";
  }
  function show() {
    const { said } = room;
    const isOver = room.isOver();
    box.hidden = !belongs() && !isOver;
    root.toggleAttribute("data-class", !box.hidden);
    const state = amiss();
    write(link, status(state));
    link.dataset.state = state;
    if (isOver) return over();
    const name = $("class-name");
    name.href = box.dataset.to + room.name();
    write(name, fill(name.dataset.says, room.name()));
    const count = $("class-count");
    write(count, said.class ? fill(count.dataset.says, said.class.here, said.class.learners) : "");
    const answered = $("class-answered");
    const q = room.isTeacher() && room.question();
    write(answered, q ? fill(answered.dataset.says, q.answers, said.class.learners) : "");
    $("class-lead").hidden = !room.isTeacher();
    const button = $("class-follow");
    button.hidden = isPrivate() || room.isTeacher() && leads || !said.place;
    write(button, button.dataset[room.isTeacher() ? "lead" : follows() ? "letGo" : "back"]);
    button.classList.toggle("primary", room.isTeacher() || !follows());
  }
  // Of a class that is over, its end is left to say.
  function over() {
    const left = room.isTeacher() ? "#class-link, #class-leave, #class-name" : "#class-link, #class-leave";
    for (const part of box.querySelectorAll(".class-row > :not(" + left + "), .class-panel")) part.hidden = true;
  }
  room.show = show;
  room.on("class you place link apart", show);

  function follow() {
    called = false;
    if (room.isTeacher()) takeLead();
    else if (follows()) letGo();
    else back();
  }
  $("class-follow").addEventListener("click", follow);
  page.keys.g = () => { if (!box.hidden && !$("class-follow").hidden) follow(); };
  $("class-leave").addEventListener("click", () => {
    if (room.isOver()) {
      box.hidden = true;
      return root.removeAttribute("data-class");
    }
    // Only the secret link makes a teacher of this page again.
    if (room.isTeacher() && trouble !== link.dataset.leave) return page.complain(link.dataset.leave);
    room.stop("");
    show();
    page.answers?.restore();
  });

  // A learner who has come here by a link, or back, has let go.
  const { tab } = attends;
  if (tab && !room.isTeacher()) {
    const isSent = Date.now() - tab.going < slow || !tab.at || tab.at === here();
    keep({ going: undefined, at: here(), ...(isSent ? {} : { follows: false }) });
  }
  show();
  if (tab?.goesOn) keep({ goesOn: undefined });
  room.start();
})();
