// The door of a class: learners come in, with a name or without, and its teacher has the address, the secret link, the
// results and the end.
(() => {
  "use strict";
  const page = window.zkvizPage;
  const { attends, room, fill } = page;
  const $ = (id) => document.getElementById(id);
  // Its results are there for an hour after the class.
  const over = document.querySelector("main[data-over]")?.dataset.noClass;
  if (over && room.name() === over && room.isTeacher()) {
    $("class-teach").hidden = false;
    $("class-results").elements.secret.value = attends.tab.secret;
  }
  const { door } = attends;
  if (!door) return;
  const isMine = () => room.name() === door;

  function show() {
    const leads = isMine() && room.isTeacher();
    $("class-learn").hidden = leads;
    $("class-teach").hidden = !leads;
    const { class: c, place } = room.said;
    if (!leads || !c) return;
    const here = $("class-here");
    here.textContent = fill(here.dataset.says, c.here, c.learners);
    for (const a of document.querySelectorAll("#class-others a")) a.hash = "teach=" + attends.tab.secret;
    if (place) $("class-from").href = page.follow(place) || $("class-from").href;
    $("class-results").elements.secret.value = attends.tab.secret;
  }

  // Learners. One whose name the server refuses comes back here.
  const [form, note] = [$("class-join"), $("class-join-note")];
  form.elements.name.value = kept.read("class-keys")[door]?.name || "";
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    note.textContent = "";
    room.stop("");
    attends.keep({ name: door, nick: form.elements.name.value.trim(), follows: true });
    room.start();
  });
  room.on("error", ({ do: what, why }) => { if (["join", "rename"].includes(what)) note.textContent = why; });

  // The teacher.
  const secretLink = () => location.href.split("#")[0] + "#teach=" + attends.tab.secret;
  $("class-secret").addEventListener("click", async ({ target }) => {
    const copied = await page.clip(secretLink());
    const field = $("class-secret-link");
    field.value = secretLink();
    field.hidden = copied;
    if (!copied) field.select();
    $("class-secret-note").textContent = copied ? target.dataset.copied : target.dataset.byHand;
  });
  $("class-from").addEventListener("click", () => attends.keep({ ...attends.tab, goesOn: true }));
  let sure = false;
  $("class-end").addEventListener("click", ({ target }) => {
    if (sure) return room.say({ do: "end" });
    sure = true;
    target.textContent = target.dataset.sure;
  });
  room.on("class you place link", show);
  room.on("link", (state) => { if (state === "over") location.reload(); }); // what is left then is the results
  show();
})();
