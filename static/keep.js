// What to take along of what is on the stage. Sharing is in share.js.
(() => {
  "use strict";
  const page = window.zkvizPage;

  // The picture: the stage's program writes it as an SVG, which the browser draws for a PNG. Without the program it's
  // the still one.
  const file = (ending) => {
    const { lesson, page: kind, step } = document.documentElement.dataset;
    return ["zkviz", lesson || kind, step].filter(Boolean).join("-") + ending;
  };
  async function picture() {
    const step = document.querySelector(".step[data-here] .step-title");
    const still = document.querySelector("#poster .in-" + page.theme());
    if (document.documentElement.dataset.stage !== "ready" && still) return (await fetch(still.currentSrc)).text();
    return page.program()?.picture((step ? step.textContent + " – " : "") + document.title) || "";
  }
  page.file = file;
  page.deeds["picture-svg"] = async () => {
    page.download(new Blob([await picture()], { type: "image/svg+xml" }), file(".svg"));
  };
  const dense = 2; // pixels of the PNG for one of the picture
  page.deeds["picture-png"] = async () => {
    const drawn = new Image();
    drawn.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(await picture());
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
