// The board: who has done the step's task with the fewest actions. A learner's page tells what its reader has done, and
// a teacher's plays a solution, for all that follow.
(() => {
  "use strict";
  const page = window.zkvizPage;
  const { attends, room, fill } = page;
  const $ = (id) => document.getElementById(id);
  const root = document.documentElement;
  const [board, opens] = [$("class-board"), $("class-board-open")];
  const table = board.querySelector("table");

  // A task's name: a lesson's step, or what a link to the Lab's task has. One that is too long goes without a board.
  const longest = 200; // bytes, as in engine/run/class
  function task() {
    if (!page.steps?.current()?.querySelector(".challenge")) return "";
    const link = document.querySelector("[data-do=share-task]")?.dataset.to;
    const name = window.kept.lesson ? window.kept.lesson + "/" + page.steps.current().id
      : link ? "lab" + new URL(link, location.href).search : "";
    return new TextEncoder().encode(name).length <= longest ? name : "";
  }
  const faults = () => new URLSearchParams(page.program()?.position()).getAll("fault");

  // What was told may not have come through, so it is told again after a lost connection.
  const told = new Map();
  function tell() {
    const { taskState: state, taskActions: count } = root.dataset;
    if (room.isTeacher() || state !== "done" || attends.tab?.follows !== false || !task()) return;
    const deed = { task: task(), faults: faults(), count: Number(count) };
    const before = told.get(deed.task);
    if (!deed.count || before?.count <= deed.count) return;
    told.set(deed.task, deed);
    room.say({ do: "tell", deed });
  }
  new MutationObserver(tell)
    .observe(root, { attributes: true, attributeFilter: ["data-task-state", "data-task-actions", "data-task"] });
  room.on("link apart again", () => {
    if (room.link || room.said.apart?.apart) return;
    for (const deed of told.values()) room.say({ do: "tell", deed });
  });

  // A row that can be played leads to where its first action is, a moment before.
  const before = 1; // s
  const units = { h: 3600, m: 60, s: 1, ms: 0.001, "µs": 1e-6, us: 1e-6, ns: 1e-9 }; // as Go writes times
  const seconds = (text) => [...text.matchAll(/([\d.]+)(h|ms|m|s|µs|us|ns)/g)]
    .reduce((sum, [, n, unit]) => sum + n * units[unit], 0);
  function play(row) {
    const place = page.place?.();
    const [, at] = / at (\S+)/.exec(row.faults[0]) || [];
    if (!place || !at) return;
    const query = new URLSearchParams(place.query);
    for (const name of ["fault", "at", "event", "select", "step", "tells"]) query.delete(name);
    for (const fault of row.faults) query.append("fault", fault);
    query.set("at", Math.max(0, seconds(at) - before) + "s");
    page.follow({ ...place, query: String(query), playing: true, speed: 1 });
  }

  const cell = (tag, words) => Object.assign(document.createElement(tag), { textContent: words });
  const nameOf = ({ who, name }) => name || fill($("class").dataset.unnamed, who);
  function line(row) {
    const out = document.createElement("tr");
    const who = cell("th", nameOf(row));
    who.scope = "row";
    if (row.who === room.said.you?.number) out.dataset.mine = "true";
    out.append(who, cell("td", row.count), cell("td", fill(table.dataset.after, Math.ceil(row.after_s / 60))));
    const last = cell("td", "");
    if (room.isTeacher() && row.faults?.length) {
      const button = cell("button", "▶");
      button.type = "button";
      button.setAttribute("aria-label", fill(table.dataset.play, nameOf(row)));
      button.addEventListener("click", () => play(row));
      last.append(button);
    }
    out.append(last);
    return out;
  }
  let isOpen = false;
  let drawn = null;
  function show() {
    const now = room.boards[task()];
    opens.hidden = !now?.rows.length;
    opens.setAttribute("aria-expanded", String(isOpen && !opens.hidden));
    board.hidden = opens.hidden || !isOpen;
    if (board.hidden || drawn === now) return;
    drawn = now;
    table.tBodies[0].replaceChildren(...now.rows.map(line));
    $("class-board-done").textContent = fill($("class-board-done").dataset.says, now.done);
  }
  room.on("board class", show);
  if ($("steps")) new MutationObserver(show)
    .observe($("steps"), { attributes: true, attributeFilter: ["data-here"], subtree: true });
  const turn = (to) => { isOpen = to; show(); };
  opens.addEventListener("click", () => turn(board.hidden));
  $("class-board-close").addEventListener("click", () => {
    turn(false);
    opens.focus();
  });
})();
