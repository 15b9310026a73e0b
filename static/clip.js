// A clip: what the stage shows for some seconds, as a video. Each frame that the stage draws is copied to a canvas that
// is recorded. It draws none while nothing changes, so the copy is drawn again all the time.
(() => {
  "use strict";
  const root = document.documentElement;
  const $ = (id) => document.getElementById(id);
  const page = window.zkvizPage;
  const perSecond = 30;
  const holds = 1; // seconds for which the last picture stands
  const most = 60; // seconds of a step, however slowly it is played
  const widest = 1920; // pixels
  const types = ["video/mp4", "video/webm"];
  let clip = null; // what is being recorded

  const say = (state, ...args) => { $("clip-note").textContent = state ? page.fill(state, ...args) : ""; };
  const words = () => $("clip").dataset;
  const type = () => window.MediaRecorder && window.HTMLCanvasElement.prototype.captureStream &&
    types.find((t) => MediaRecorder.isTypeSupported(t));

  function start() {
    const stage = $("stage").contentWindow;
    const from = root.dataset.stage === "ready" && stage.document.querySelector("canvas");
    if (!from) return;
    if (!type()) return say(words().none);
    const length = $("clip-for").value;
    const to = document.createElement("canvas");
    const scale = Math.min(1, widest / from.width);
    to.width = 2 * Math.round(from.width * scale / 2); // a video's are even
    to.height = 2 * Math.round(from.height * scale / 2);
    const pen = to.getContext("2d", { alpha: false });
    const { playing, seq, atMs, step, branch } = root.dataset;
    clip = { stage, pen, length, parts: [], seconds: 0, was: playing === "true" ? null : { seq, atMs, step, branch } };
    say("");
    stage.onFrame = () => {
      pen.drawImage(from, 0, 0, to.width, to.height);
      if (!clip.recorder) record(to);
    };
    if (length === "step") {
      if (branch !== "0") page.command("branch", 0);
      page.command("tell-step", document.querySelector(".step[data-here]").id);
    } else if (playing !== "true") {
      page.command("play-pause");
    }
    page.command("speed", $("speed").value); // even a run that is playing draws a frame for that
    root.dataset.clip = "recording";
    show();
  }

  function record(canvas) {
    const own = clip;
    const stream = canvas.captureStream(perSecond);
    own.recorder = new MediaRecorder(stream, { mimeType: type(), videoBitsPerSecond: 6e6 });
    own.recorder.ondataavailable = (e) => own.parts.push(e.data);
    own.recorder.onerror = (e) => { end(); say(words().failed, e.error ? e.error.message : ""); };
    own.recorder.onstop = () => {
      for (const track of stream.getTracks()) track.stop();
      if (!own.whole) return;
      const blob = new Blob(own.parts, { type: own.recorder.mimeType });
      page.download(blob, page.file(blob.type.startsWith("video/mp4") ? ".mp4" : ".webm"));
      say(words().saved);
    };
    own.recorder.start();
    own.then = performance.now();
    own.ticker = setInterval(tick, 1000 / perSecond);
  }

  // Time passes while the page is seen: the stage stands still while it is not.
  function tick() {
    const now = performance.now();
    if (!document.hidden) clip.seconds += (now - clip.then) / 1000;
    clip.then = now;
    clip.pen.drawImage(clip.pen.canvas, 0, 0);
    show();
    if (clip.until === undefined && root.dataset.playing !== "true") clip.until = clip.seconds + holds;
    if (clip.seconds >= Math.min(clip.until ?? most, Number(clip.length) || most)) end(true);
  }

  function onHidden() {
    if (!clip || !clip.recorder) return;
    if (document.hidden) clip.recorder.pause(); else clip.recorder.resume();
  }

  // What was paused is put back where it was, what was playing goes on.
  function end(whole) {
    if (!clip) return;
    const { stage, ticker, recorder, was } = clip;
    stage.onFrame = null;
    clearInterval(ticker);
    clip.whole = whole;
    if (recorder && recorder.state !== "inactive") recorder.stop();
    clip = null;
    delete root.dataset.clip;
    show();
    if (was && root.dataset.stage === "ready") putBack(was);
  }
  function putBack(was) {
    const there = () => root.dataset.seq === was.seq && root.dataset.atMs === was.atMs;
    if (root.dataset.branch !== was.branch) page.command("branch", was.branch);
    page.command("goto-step", was.step);
    if (!there() && was.seq !== "0") page.command("goto-event", was.seq);
    if (!there()) page.command("seek", was.atMs);
  }

  function show() {
    const button = $("clip");
    const of = clip && Number(clip.length) || 0;
    button.textContent = clip ? page.fill(words().running, Math.floor(clip.seconds)) : words().start;
    button.style.setProperty("--part", String(of && clip.seconds / of));
  }

  page.deeds.clip = () => {
    if (!clip) return start();
    end();
    say(words().stopped);
  };
  page.taps.unshift((e) => {
    if (e.key !== "Escape" || !clip) return false;
    page.deeds.clip();
    return true;
  });

  // A step is played from its beginning only where it can be played again, and where what plays may move.
  function offer() {
    const step = document.querySelector("#clip-for [value=step]");
    if (!step) return;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    step.disabled = still || root.dataset.host === "live" || !!root.dataset.file;
    if (step.disabled && step.selected) $("clip-for").selectedIndex = 0;
  }

  document.addEventListener("DOMContentLoaded", () => {
    if (!$("clip")) return;
    document.querySelector(".keep").addEventListener("toggle", offer);
    document.addEventListener("visibilitychange", onHidden);
    // A stage that begins anew has another canvas.
    new MutationObserver(() => { if (root.dataset.stage !== "ready") end(); })
      .observe(root, { attributes: true, attributeFilter: ["data-stage"] });
  });
})();
