// Learners' clients: the teacher's page gives and takes them, and a learner's page moves its reader's own one. What the
// page says of it is what the server says, never what was tapped.
(() => {
  "use strict";
  const page = window.zkvizPage;
  const { room, fill } = page;
  const $ = (id) => document.getElementById(id);
  const root = document.documentElement;
  const lock = () => room.said.class?.lock;
  const write = (out, text) => { if (out.textContent !== text) out.textContent = text; }; // else it is read aloud again

  // The teacher's choice. It is there where the Zoo is, and as long as learners have clients.
  const choice = $("class-clients");
  const zoo = document.querySelector("main[data-zoo]")?.dataset.zoo;
  choice.addEventListener("change", () => {
    const path = zoo || lock()?.path;
    room.say({ do: "clients", ...(choice.value && { lock: { path, way: choice.value } }) });
  });
  function showChoice() {
    choice.hidden = !room.isTeacher() || !zoo && !lock();
    choice.value = lock()?.way || "";
  }

  // The learner's pad.
  const [pad, says] = [$("class-pad"), $("class-client")];
  const [take, sleep, net] = ["class-move-lock", "class-move-sleep", "class-move-net"].map($);
  const client = () => room.said.client || { is: "none" };
  const isUnknown = () => !!room.link || !!room.said.apart?.apart && room.said.apart.elsewhere;
  let had = false; // its reader has had a client
  function words({ is, believes, behind, name, before }) {
    const { dataset } = says;
    if (isUnknown()) return dataset.unknown;
    if (is === "none" && had) return dataset.ended;
    if (is === "waits") {
      const who = name || (behind ? fill($("class").dataset.unnamed, behind) : dataset.other);
      return fill(lock().way === "herd" ? dataset.waitsHerd : dataset.waits, who, before);
    }
    const belief = { waits: dataset.believesWaits, holds: dataset.believesHolds }[believes];
    return [dataset[is] || "", belief].filter(Boolean).join(" ");
  }
  function offer(button, move, isOff, label = button.dataset[move]) {
    button.dataset.move = move;
    button.setAttribute("aria-disabled", String(isOff));
    write(button, label);
  }
  function show() {
    showChoice();
    pad.hidden = !lock() || room.isTeacher();
    root.toggleAttribute("data-pad", !pad.hidden);
    if (!lock()) delete room.said.client;
    if (pad.hidden) return;
    const c = client();
    const has = c.believes || c.is;
    had ||= c.is !== "none";
    const isLost = isUnknown(); // nobody hears what is tapped
    const isOut = isLost || ["none", "connects"].includes(c.is);
    says.dataset.is = isLost ? "none" : c.is;
    write(says, words(c));
    if (["asks", "waits"].includes(has)) offer(take, "release", isLost || c.is === "asleep", take.dataset.stop);
    else offer(take, has === "holds" ? "release" : "take", isLost || c.is === "asleep");
    take.classList.toggle("primary", take.dataset.move === "take" || has === "holds");
    offer(sleep, c.is === "asleep" ? "wake" : "sleep", isOut);
    offer(net, c.is === "lost" ? "back" : "lose", isLost || c.is === "none");
    pick();
  }
  for (const button of [take, sleep, net]) {
    button.addEventListener("click", () => {
      if (button.getAttribute("aria-disabled") !== "true") room.say({ do: button.dataset.move });
    });
  }

  // The stage of the Zoo shows the ZooKeeper in which the class's clients are. That may be inside another server, and
  // this one may have become the one.
  const { attends } = page;
  let where = attends.zoo(zoo);
  function look() {
    const { apart } = room.said;
    if (zoo && !room.link && room.said.class && apart) {
      const isAway = apart.elsewhere && lock()?.path === zoo;
      if (isAway !== !!attends.zoo(zoo)) attends.keep({ ...attends.tab, away: isAway ? zoo : "" });
    }
    const is = attends.zoo(zoo);
    if (is !== where) page.reopen();
    where = is;
    const note = $("zoo-away");
    if (note) note.hidden = !where;
  }
  room.on("class apart stop", look);
  look();

  // On the stage of the Zoo, its reader's own client is selected, unless the reader or the teacher has chosen another.
  let picked = ""; // it was
  function pick() {
    const own = client().client;
    const now = root.dataset.selected || "";
    if (!own || !zoo || zoo !== lock()?.path || root.dataset.stage !== "ready" || room.isTeacher()) return;
    const isOther = now ? now !== picked : picked === own && !page.isLed();
    if (now === own) picked = own;
    else if (!isOther) page.program()?.command("select", own); // again, until the stage knows it
  }
  const attributeFilter = ["data-selected", "data-stage", "data-seq"];
  new MutationObserver(pick).observe(root, { attributes: true, attributeFilter });
  room.on("class you client link apart error stop", show);
  show();
})();
