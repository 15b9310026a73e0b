// What to take along of what is on the stage. Sharing is in share.js.
(() => {
  "use strict";
  const page = window.zkvizPage;

  // The picture: the stage's program writes it as an SVG, which the browser draws for a PNG.
  const file = (ending) => {
    const { lesson, page: kind, step } = document.documentElement.dataset;
    return ["zkviz", lesson || kind, step].filter(Boolean).join("-") + ending;
  };
  function picture() {
    const stage = document.getElementById("stage").contentWindow.zkviz;
    const step = document.querySelector(".step[data-here] .step-title");
    return stage ? stage.picture((step ? step.textContent + " – " : "") + document.title) : "";
  }
  page.file = file;
  page.deeds["picture-svg"] = () => page.download(new Blob([picture()], { type: "image/svg+xml" }), file(".svg"));
  const dense = 2; // pixels of the PNG for one of the picture
  page.deeds["picture-png"] = async () => {
    const drawn = new Image();
    drawn.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(picture());
    await drawn.decode();
    const canvas = document.createElement("canvas");
    canvas.width = drawn.naturalWidth * dense;
    canvas.height = drawn.naturalHeight * dense;
    canvas.getContext("2d").drawImage(drawn, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => { if (blob) page.download(blob, file(".png")); }, "image/png");
  };

  const open = () => document.querySelector(".keep[open]");
  function close() {
    const menu = open();
    if (!menu) return false;
    menu.open = false;
    return true;
  }
  page.taps.push((e) => e.key === "Escape" && close());
  document.addEventListener("pointerdown", (e) => { if (open() && !open().contains(e.target)) close(); }, true);
})();
