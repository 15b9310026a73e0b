// The story of what the stage shows: a strip of sheets, each a picture of a few events. Only sheets in view and their
// neighbours are asked for. So what it costs doesn't depend on the log's length, and the browser scrolls pictures. What
// led to the moment at which the stage stands is lit. The server draws the sheets; if it doesn't have the log, a
// program in a worker of the page's does.
(() => {
  "use strict";
  const root = document.documentElement;
  const page = window.zkvizPage;
  const $ = (id) => document.getElementById(id);
  const [pane, roll, strip, now] = ["story-pane", "story-roll", "story-strip", "story-now"].map($);
  const upright = matchMedia("(max-width: 759.9px) and (min-height: 500.1px)"); // time runs down
  const tall = 720; // px of a sheet there
  const near = 14; // px within which a click means an event
  const most = 24; // sheets that are kept
  const everyMS = 1000; // a log that grows is asked for again this often, at most

  let of = ""; // the run and branch, and the sheets' width
  let sheets = new Map(); // by number: {got, key, box}
  let count = 1;
  let per = 1; // events of a sheet
  let lanes = 0;
  let seq = -1; // the event that was shown last
  let unseen = true; // its sheet wasn't there yet
  let long = 1; // the sheets' width, or height
  let went = -1; // where the script has scrolled to
  let away = false; // the reader has scrolled away from where the stage plays
  let chosen = 0; // by the reader, in the story
  let asking = false;
  let failed = ""; // the key of the sheet that couldn't be had

  const down = () => upright.matches;
  const size = () => (down() ? tall : Math.max(roll.clientWidth, 240));
  const at = () => (down() ? roll.scrollTop : roll.scrollLeft);
  const view = () => (down() ? roll.clientHeight : roll.clientWidth);
  const go = (to) => roll.scrollTo({ [down() ? "top" : "left"]: to, behavior: "instant" });
  const clip = (k) => Math.min(Math.max(k, 0), count - 1);
  const here = () => clip(Math.floor((at() + view() / 2) / size()));
  const sheetOf = (event) => clip(Math.floor((event - 1) / per));
  const shown = () => Number(root.dataset.seq) || 0;

  // lit is the event whose cause is lit: where the stage stands, but for the end of what nobody has chosen.
  function lit() {
    const stands = root.dataset.playing !== "true" && (root.dataset.ended !== "true" || chosen === shown());
    return stands ? shown() : 0;
  }
  const query = (k, theme = page.theme()) => new URLSearchParams({
    sheet: k, width: Math.round(down() ? roll.clientWidth : size()),
    height: down() ? tall : Math.max(roll.clientHeight, 240), down: down() ? "1" : "", theme, lit: lit(),
  }).toString();

  // One question at a time: the rest waits, and may not be wanted by then.
  let last = Promise.resolve();
  function ask(text) {
    last = last.catch(() => {}).then(async () => {
      const [run, branch] = of.split(" ");
      if (page.program().save()) return drawn(run + " " + branch, text);
      quit();
      const reply = await fetch(pane.dataset.from + "?" + new URLSearchParams({ run, branch }) + "&" + text);
      if (!reply.ok) throw new Error((await reply.text()).slice(0, 200).trim() || reply.statusText);
      return reply.json();
    });
    return last;
  }

  // The program in a worker, which has the log of one run and branch: wasm/story.
  let drawer = null; // {post, end}
  let words; // for its answers
  let has = ""; // whose log it has read
  let questions = 0;
  let waits = null; // {id, done, failed} of the question under way

  async function drawn(log, text) {
    if (!drawer) words = await answer(start);
    if (has !== log) {
      await answer(read);
      has = log;
    }
    return JSON.parse(await answer((id) => drawer.post({ kind: "sheet", id, data: text })));
  }
  function answer(question) {
    return new Promise((done, failed) => {
      waits = { id: ++questions, done, failed };
      question(waits.id);
    });
  }
  function start() {
    drawer = page.start(pane.dataset, (kind, data, about) => {
      if (kind === "failed") quit(data);
      else if (kind === "ready" ? waits : waits?.id === about) {
        if (kind === "refused") waits.failed(new Error(data));
        else waits.done(data);
      }
    });
  }
  // read has the program read the log, of which the stage has the file made.
  function read(id) {
    has = "";
    const takes = {
      begin: () => drawer.post({ kind: "log", id, words }),
      piece: (buffer) => drawer.post({ kind: "piece", data: buffer }, [buffer]),
      saved: () => drawer.post({ kind: "end" }),
      failed: (why) => waits.failed(new Error(why)),
    };
    page.program().save((kind, data) => {
      const over = waits?.id !== id; // it has enough, or nobody waits any more
      if (!over) takes[kind](data);
      return over;
    }, true);
  }
  function quit(why = "") {
    drawer?.end();
    [drawer, has] = [null, ""];
    waits?.failed(new Error(why));
  }

  // fill asks for what is wanted most, until all that is in view, and beside it, is there.
  async function fill() {
    if (asking || pane.hidden || root.dataset.stage !== "ready" || /^(null)?( |$)/.test(of)) return;
    const middle = here();
    const wanted = [middle, middle + 1, middle - 1, middle + 2].filter((k) => k >= 0 && k < count)
      .map((k) => [k, query(k)]).find(([k, key]) => sheets.get(k)?.key !== key);
    if (!wanted || wanted[1] === failed) return;
    const [k, key] = wanted;
    const run = of;
    asking = true;
    pane.dataset.busy = "true";
    try {
      const got = await ask(key);
      if (run === of) take(k, key, got);
      failed = "";
      note("");
    } catch (e) {
      failed = key;
      if (e.message) note(page.fill(pane.dataset.failed, e.message)); // else nobody waits any more
    }
    asking = false;
    delete pane.dataset.busy;
    fill();
  }
  const note = (text) => { $("story-note").textContent = text; };

  function take(k, key, got) {
    if (got.lanes !== lanes) for (const s of sheets.values()) s.key = ""; // the others show fewer
    [count, per, lanes] = [got.sheets, got.per, got.lanes];
    if (got.sheet !== k) { key = query(got.sheet); k = got.sheet; } // the log is shorter than that
    const kept = sheets.get(k);
    sheets.delete(k);
    sheets.set(k, { got, key, box: kept?.box });
    for (const [old, s] of sheets) {
      if (sheets.size <= most) break;
      s.box?.remove();
      sheets.delete(old);
    }
    place(k);
    if (seq !== shown() || sheetOf(seq) === k) moment();
  }

  const picture = (svg) => "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);

  // place puts the sheets in view on the strip, and takes the others off. The sheet fresh has another picture.
  function place(fresh = -1) {
    const middle = here();
    strip.style.width = down() ? "100%" : count * long + "px";
    strip.style.height = (down() ? count * long : sheets.get(middle)?.got.height || 0) + "px";
    for (const [k, s] of sheets) {
      if (Math.abs(k - middle) > 2) {
        s.box?.remove();
        s.box = undefined;
        continue;
      }
      const is = !s.box;
      if (is) {
        s.box = document.createElement("img");
        s.box.className = "story-sheet";
      }
      if (is || k === fresh) Object.assign(s.box, { src: picture(s.got.svg), alt: s.got.says });
      s.box.style.transform = down() ? `translateY(${k * long}px)` : `translateX(${k * long}px)`;
      if (is) strip.append(s.box);
    }
    tell(middle);
  }

  // tell says in words what the sheet in the middle of the view shows.
  let told = null;
  function tell(k) {
    pane.querySelector("[data-do=story-back]").disabled = k === 0;
    pane.querySelector("[data-do=story-on]").disabled = k === count - 1;
    const got = sheets.get(k)?.got;
    pane.dataset.shows = sheets.get(k)?.key || "";
    $("story-says").textContent = got ? got.says : pane.dataset.drawing;
    if (!got || got === told) return;
    told = got;
    $("story-paper").src = picture(got.svg);
    $("story-told").replaceChildren(...got.turns.map(([event, text]) => {
      const item = document.createElement("li");
      const line = document.createElement(event ? "button" : "span");
      if (event) Object.assign(line, { type: "button", className: "quiet" }).dataset.seq = event;
      line.textContent = text;
      item.append(line);
      return item;
    }));
  }

  // along returns where a moment is on a sheet, and when inverts it.
  function along({ pieces }, ms) {
    const [from, to, a, b] = pieces.find((x) => x[1] >= ms) || pieces[pieces.length - 1];
    return a + (b - a) * Math.min(Math.max((ms - from) / (to - from || 1), 0), 1);
  }
  function when({ pieces }, px) {
    const [from, to, a, b] = pieces.find((x) => x[3] >= px) || pieces[pieces.length - 1];
    return from + (to - from) * Math.min(Math.max((px - a) / (b - a || 1), 0), 1);
  }

  // scrolled notices whether the reader has scrolled, which may be before the browser says so.
  function scrolled() { away ||= Math.abs(at() - went) > 1; }

  // moment shows where the stage is, and brings it into view if it has moved.
  function moment() {
    const k = sheetOf(shown());
    scrolled();
    const moved = unseen || seq !== shown();
    seq = shown();
    const got = sheets.get(k)?.got;
    unseen = !got;
    now.hidden = !got;
    const to = k * size() + (got ? along(got, Number(root.dataset.atMs)) : 0);
    now.style.transform = down() ? `translateY(${to}px)` : `translateX(${to}px)`;
    const inView = to >= at() && to <= at() + view();
    away = away && !inView;
    if (!moved || inView || away && root.dataset.playing === "true") return;
    go(down() ? to - view() / 2 : k * size());
    went = at();
  }

  // follow looks what has changed on the stage.
  let due = false;
  function follow() {
    if (due || pane.hidden) return;
    due = true;
    requestAnimationFrame(() => {
      due = false;
      if (root.dataset.stage !== "ready") quit(); // the stage begins anew, and hands out no more
      const position = new URLSearchParams(page.program()?.position());
      const log = [position.get("run"), position.get("branch"), down()].join(" ");
      const run = [log, roll.clientWidth].join(" ");
      const anew = run !== of;
      const held = away && of.startsWith(log + " ") ? at() / long : -1; // who has scrolled away stays there
      if (anew) {
        for (const s of sheets.values()) s.box?.remove();
        [of, sheets, seq, chosen, failed, told, long] = [run, new Map(), -1, 0, "", null, size()];
        if (held < 0) [count, away] = [1, false];
      }
      place();
      if (anew && held >= 0) go(held * long);
      if (anew) went = at();
      moment();
      fill();
    });
  }

  // A log that grows has more in its last sheet.
  let later = 0;
  function grew() {
    if (later || pane.hidden) return;
    later = setTimeout(() => {
      later = 0;
      const end = sheets.get(count - 1);
      if (end) end.key = "";
      failed = "";
      follow();
    }, everyMS);
  }

  // A click means the nearest event, or else that moment.
  roll.addEventListener("click", (e) => {
    const hit = [...sheets].find(([, s]) => s.box === e.target);
    if (!hit) return;
    const { got } = hit[1];
    const r = e.target.getBoundingClientRect();
    const [x, y] = [e.clientX - r.left, e.clientY - r.top];
    const far = ([, x0, y0, x1, y1]) => {
      const long = (x1 - x0) ** 2 + (y1 - y0) ** 2;
      const part = long && Math.min(Math.max(((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / long, 0), 1);
      return Math.hypot(x - x0 - part * (x1 - x0), y - y0 - part * (y1 - y0));
    };
    const [least, spot] = got.spots.reduce((best, s) => (far(s) <= best[0] ? [far(s), s] : best), [near, null]);
    chosen = spot && least <= near ? spot[0] : 0;
    if (chosen) page.command("goto-event", chosen);
    else page.command("seek", when(got, down() ? y : x));
  });
  $("story-told").addEventListener("click", (e) => { chosen = Number(e.target.dataset.seq) || chosen; });
  roll.addEventListener("keydown", () => { chosen = 0; });
  roll.addEventListener("scroll", () => { scrolled(); follow(); }, { passive: true });
  new ResizeObserver(follow).observe(roll);
  new MutationObserver(follow).observe(root, {
    attributes: true,
    attributeFilter: ["data-seq", "data-at-ms", "data-playing", "data-branch", "data-stage", "data-theme", "data-file"],
  });
  new MutationObserver(grew).observe($("timeline"), { attributes: true, attributeFilter: ["data-end-ms"] });

  // What opens and closes a file stands in the log's head, which the story hides: it comes along.
  let lent = []; // each with its place there
  function lend(open) {
    for (const [part, home, next] of lent.reverse()) home.insertBefore(part, next);
    const parts = open ? [...document.querySelectorAll(".open-file, .open-bar")] : [];
    lent = parts.map((part) => [part, part.parentNode, part.nextSibling]);
    pane.querySelector(".log-head > [data-do=story]").before(...lent.map(([part]) => part));
  }

  let before = null; // what had the focus
  function show(open) {
    const within = pane.contains(document.activeElement);
    pane.hidden = !open;
    lend(open);
    if (open) root.dataset.story = "open"; else delete root.dataset.story;
    for (const b of document.querySelectorAll(".time [data-do=story]")) b.setAttribute("aria-expanded", String(open));
    if (!open) {
      quit();
      return within && before?.focus();
    }
    before = document.activeElement;
    roll.focus({ preventScroll: true });
    pane.scrollIntoView({ block: "nearest" });
    failed = "";
    follow();
  }
  Object.assign(page.deeds, {
    story: () => show(pane.hidden),
    "story-back": () => go((here() - 1) * size()),
    "story-on": () => go((here() + 1) * size()),
    "story-svg": () => {
      const got = sheets.get(here())?.got;
      if (got) page.download(new Blob([got.svg], { type: "image/svg+xml" }), page.file("-story.svg"));
    },
    "story-print": async () => { // in light colours
      const paper = $("story-paper");
      try {
        paper.src = picture((await ask(query(here(), "light"))).svg);
        await paper.decode();
        window.print();
      } catch (e) {
        note(page.fill(pane.dataset.failed, e.message));
      }
    },
  });
  document.addEventListener("zkviz-file", () => { // another may have the same name
    [of, has] = ["", ""];
    follow();
  });
  page.taps.push((e) => e.key === "Escape" && !pane.hidden && pane.contains(e.target) && (show(false), true));
  // Another pane takes its place.
  new MutationObserver(() => { if (!pane.hidden) show(false); })
    .observe(document.querySelector(".bench"), { attributes: true, attributeFilter: ["data-tab"] });
})();
