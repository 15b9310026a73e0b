// The herd: runs of many clients beside each other, a dot for each client, played from the moments that
// engine/run/compare tells. What is drawn follows from the moments so far, so that the play can go anywhere. A lesson
// loads this for its buttons; the first page plays it small.
(() => {
  "use strict";
  const root = document.documentElement;
  const page = window.zkvizPage;
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const number = new Intl.NumberFormat(root.lang);
  const [away, waits, inside, gone] = [0, 1, 2, 3];
  const glow = 350; // ms that a wakeup is seen
  const atMost = 100; // ms between two frames: who comes back to the page goes on where they left

  // A moment as it is told, "-1 *2 2-99": what happens to whom, who gets in after that, and who is woken.
  function momentOf(text) {
    const [begins, ...rest] = text.split(" ");
    const m = { comes: begins[0] === "+", who: begins.slice(1) - 1, gets: [], used: 0, woken: [] };
    for (const part of rest) {
      if (/^\d/.test(part)) {
        const [from, to = from] = part.split("-");
        m.woken.push([from - 1, to - 1]);
      } else {
        m.gets.push(part.slice(1) - 1);
        m.used += part[0] === "*";
      }
    }
    return m;
  }

  // A run, and what its first moments have led to.
  function runOf({ recipe, clients, moments }) {
    const run = {
      recipe, clients, moments: moments.map(momentOf),
      state: new Uint8Array(clients), times: new Uint32Array(clients), last: new Float64Array(clients),
    };
    rewind(run);
    return run;
  }
  function rewind(run) {
    Object.assign(run, { next: 0, woken: 0, used: 0 });
    run.state.fill(away);
    run.times.fill(0);
    run.last.fill(-Infinity);
  }
  // Goes to a moment. begins says when each begins.
  function go(run, to, begins) {
    if (to < run.next) rewind(run);
    for (; run.next < Math.min(to, run.moments.length); run.next++) {
      const m = run.moments[run.next];
      run.state[m.who] = m.comes ? waits : gone;
      for (const [from, last] of m.woken) {
        for (let i = from; i <= last; i++) {
          run.times[i]++;
          run.last[i] = begins[run.next];
        }
        run.woken += last - from + 1;
      }
      for (const i of m.gets) run.state[i] = inside;
      run.used += m.used;
    }
  }

  // When each moment begins, in ms, and when all is over: all come in a short time; then the first who leave and the
  // last do it slowly, and all others fly.
  function timesOf(moments) {
    const leave = moments.filter((m) => !m.comes).length || 1;
    const [quick, least] = [1500 / (moments.length - leave || 1), 4000 / leave];
    const slow = (n) => 450 * Math.exp(-n / 3);
    let [at, left] = [0, 0];
    const begins = moments.map(({ comes }) => {
      const begin = at;
      at += comes ? quick : Math.max(least, slow(left), slow(leave - ++left));
      return begin;
    });
    return [...begins, at + glow];
  }

  // A canvas knows no variables of the style sheet: the key below it has the colours.
  const kinds = ["away", "waits", "woken", "inside", "gone"];
  const coloursOf = (box) => Object.fromEntries(kinds.map((name) =>
    [name, getComputedStyle(box.querySelector("[data-kind=" + name + "]")).color]));

  function paint(canvas, run, now, most, colours) {
    const ratio = devicePixelRatio;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((n) => Math.round(n * ratio));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const to = canvas.getContext("2d");
    to.clearRect(0, 0, width, height);
    const n = run.clients;
    const cellOf = (k) => Math.min(width / k, height / Math.ceil(n / k));
    const worth = (k) => cellOf(k) * (n % k ? .9 : 1); // full rows are worth a little size
    let across = 1;
    for (let k = 2; k <= n; k++) if (worth(k) > worth(across)) across = k;
    const cell = cellOf(across);
    const [left, top] = [(width - cell * across) / 2, (height - cell * Math.ceil(n / across)) / 2];
    const dots = Object.fromEntries(kinds.map((name) => [name, new Path2D()]));
    const rings = [0, 1, 2, 3].map(() => new Path2D());
    const circle = (path, x, y, r) => { path.moveTo(x + r, y); path.arc(x, y, r, 0, 2 * Math.PI); };
    for (let i = 0; i < n; i++) {
      const [x, y] = [left + (i % across + .5) * cell, top + (Math.floor(i / across) + .5) * cell];
      const size = cell * (.1 + .34 * Math.sqrt(run.times[i] / most)); // its area says how often it was woken
      const age = (now - run.last[i]) / glow;
      const woken = age < 1 && run.state[i] !== gone;
      if (woken) circle(rings[Math.floor(age * 4)], x, y, size + cell * (.08 + .3 * age));
      if (run.state[i] === inside) {
        const half = Math.max(cell * .3, 4 * ratio);
        dots.inside.rect(x - half, y - half, 2 * half, 2 * half);
      } else circle(woken ? dots.woken : dots[kinds[[0, 1, 3, 4][run.state[i]]]], x, y, size);
    }
    to.lineWidth = Math.max(ratio, cell * .06);
    for (const name of kinds) {
      to.fillStyle = to.strokeStyle = colours[name];
      if (name === "waits") to.stroke(dots[name]);
      else to.fill(dots[name]);
    }
    to.strokeStyle = colours.woken;
    rings.forEach((path, i) => {
      to.globalAlpha = 1 - i / 4;
      to.stroke(path);
    });
    to.globalAlpha = 1;
  }

  // One tick for each wakeup. Those of a frame are one, the louder the more there are.
  function tick(audio, woken, pan) {
    const [tone, gain, side] = [audio.createOscillator(), audio.createGain(), audio.createStereoPanner()];
    const at = audio.currentTime;
    tone.frequency.value = 1500;
    gain.gain.setValueAtTime(Math.min(.5, .05 * (1 + Math.log2(woken))), at);
    gain.gain.exponentialRampToValueAtTime(.001, at + .03);
    side.pan.value = pan;
    tone.connect(gain).connect(side).connect(audio.destination);
    tone.start(at);
    tone.stop(at + .03);
  }

  // A player in a box of the page. It takes runs when they come, and begins again with each.
  function playerIn(box, loops) {
    const part = (name) => box.querySelector("[data-herd=" + name + "]");
    const figures = [...box.querySelectorAll("figure")];
    const runs = [];
    let [begins, most, now, frame, before, audio] = [[0], 1, 0, 0, 0, null];

    const end = () => begins[begins.length - 1];
    const begun = () => (now >= end() ? begins.length - 1 : begins.findLastIndex((at) => at <= now) + 1);
    function draw() {
      if (!runs.some(Boolean)) return;
      const colours = coloursOf(box);
      runs.forEach((run, i) => {
        if (!run) return;
        const woken = run.woken;
        go(run, begun(), begins);
        if (audio && frame && run.woken > woken) tick(audio, run.woken - woken, i ? .6 : -.6);
        paint(figures[i].querySelector("canvas"), run, now, most, colours);
        for (const name of ["woken", "used"]) {
          figures[i].querySelector("[data-count=" + name + "]").textContent = number.format(run[name]);
        }
      });
      if (part("time")) part("time").value = Math.round(1000 * now / end());
      box.dataset.state = frame ? "playing" : now >= end() ? "ended" : "paused";
      part("play").hidden = !!frame;
      part("pause").hidden = !frame;
    }
    function next(at) {
      now += Math.max(0, Math.min(at - before, atMost));
      before = at;
      frame = requestAnimationFrame(next);
      if (now < end()) return draw();
      if (loops && now < end() + 2500) return;
      if (loops) now = 0;
      else pause();
      draw();
      tell();
    }
    // What a screen reader says at the end, in place of all that moved.
    function tell() {
      if (now >= end() && part("told")) part("told").textContent = figures.map((f) => f.innerText).join(". ");
    }
    function play() {
      if (frame || !runs.some(Boolean)) return;
      if (now >= end()) now = 0;
      before = performance.now();
      frame = requestAnimationFrame(next);
    }
    function pause() {
      cancelAnimationFrame(frame);
      frame = 0;
    }
    function toggle() {
      if (!frame) return play();
      pause();
      draw();
    }
    function seek(share) {
      pause();
      now = share * end();
      draw();
    }

    // Until runs come, there is only a word about that.
    function clear(busy) {
      pause();
      runs.length = now = 0;
      for (const f of figures) {
        f.querySelector("figcaption").textContent = busy;
        f.querySelector("canvas").width = 0;
        for (const b of f.querySelectorAll("b")) b.textContent = "–";
      }
    }
    function take(row, i) {
      const run = runs[i] = runOf(row);
      const name = box.getAttribute("data-" + row.recipe) || row.recipe;
      figures[i].querySelector("figcaption").textContent = name;
      Object.assign(figures[i].querySelector("canvas"), { role: "img", ariaLabel: name });
      const all = runs.filter(Boolean);
      begins = timesOf(all.reduce((a, b) => (b.moments.length > a.moments.length ? b : a), run).moments);
      for (const r of all) go(r, Infinity, begins);
      most = Math.max(1, ...all.map((r) => Math.max(...r.times)));
      now = 0;
      if (still.matches) seek(1);
      else draw();
    }
    function hush() {
      if (audio) audio.close();
      audio = null;
      part("sound")?.setAttribute("aria-pressed", "false");
    }
    box.addEventListener("click", (e) => {
      const deed = e.target.closest("button")?.dataset.herd;
      if (deed === "play" || deed === "pause") toggle();
      if (deed === "sound" && audio) hush();
      else if (deed === "sound") {
        audio = new AudioContext();
        part("sound").setAttribute("aria-pressed", "true");
      }
    });
    part("time")?.addEventListener("input", (e) => seek(e.target.value / 1000));
    const again = () => { if (!frame) draw(); };
    const resized = new ResizeObserver(again);
    for (const f of figures) resized.observe(f.querySelector("canvas"));
    new MutationObserver(again).observe(root, { attributes: true, attributeFilter: ["data-theme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
    return { clear, take, play, pause, toggle, hush };
  }

  // A lesson's buttons: the play lies on the stage, and goes when the reader does anything else.
  let [player, box, asked] = [null, null, null];
  function close() {
    if (!box || box.hidden) return false;
    player.pause();
    player.hush();
    box.hidden = true;
    return true;
  }
  page.herd = (button, rows) => {
    if (!box) {
      box = button.closest(".figures").querySelector(".herd");
      if (root.dataset.bench) document.querySelector(".screen").append(box);
      player = playerIn(box, false);
      box.querySelector("[data-herd=close]").addEventListener("click", close);
      page.heeds.unshift((name) => !["theme", "motion"].includes(name) && close() && false);
      page.taps.unshift((e) => {
        if (box.hidden) return false;
        const plays = e.key === " " && !e.target.closest("button, input, summary, a");
        if (plays) player.toggle();
        return plays || e.key === "Escape" && close();
      });
      addEventListener("hashchange", close);
    }
    box.hidden = false;
    box.scrollIntoView({ block: "nearest" });
    player.clear(button.closest(".figures").dataset.busy);
    const mine = asked = rows;
    rows.forEach(async (row, i) => {
      const of = await row.catch(() => null); // the button says why
      if (asked !== mine || box.hidden) return;
      if (!of?.moments) return close();
      player.take(of, i);
      if (!still.matches) player.play();
    });
  };

  // The first page's plays while it is seen, unless the reader has stopped it.
  for (const small of document.querySelectorAll(".herd[data-from]")) {
    const its = playerIn(small, true);
    let stopped = still.matches;
    let rows = null;
    small.addEventListener("click", (e) => { stopped = !!e.target.closest("[data-herd=pause]"); });
    new IntersectionObserver(async ([{ isIntersecting }]) => {
      if (!isIntersecting) return its.pause();
      rows ??= [small.dataset.from, small.dataset.to].map((from) => fetch(from).then((reply) => reply.json()));
      try {
        if (small.dataset.state === undefined) (await Promise.all(rows)).forEach(its.take);
      } catch {
        return small.closest("section[aria-labelledby]").remove(); // it isn't missed
      }
      if (!stopped) its.play();
    }).observe(small);
  }
})();
