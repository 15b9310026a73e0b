// What was seen on a real ZooKeeper, as a run of the lab: the stage makes it of its log, and says what isn't as it was.
(() => {
  "use strict";
  const page = window.zkvizPage;
  const $ = (id) => document.getElementById(id);
  let made;

  page.deeds.fork = () => {
    const box = $("fork");
    const stage = $("stage").contentWindow.zkviz;
    if (!stage || !stage.fork) return;
    made = stage.fork();
    made.recipe = box.getAttribute("data-" + made.use); // which a dataset has by another name
    $("fork-said").replaceChildren(...(made.said || [made.error]).map((text) => {
      const item = document.createElement("li");
      item.textContent = text;
      return item;
    }));
    $("fork-go").hidden = $("fork-lead").hidden = !made.recipe;
    $("fork-save").hidden = !made.recipe;
    $("fork-long").hidden = !made.long;
    if (made.recipe) {
      $("fork-go").href = box.dataset.to + "?recipe=" + encodeURIComponent(made.recipe) + "&" + made.query;
    }
    box.showModal();
  };
  page.deeds["fork-save"] = () => {
    const file = { format: "zkviz-scenario", version: 1, recipe: made.recipe, ...made.file };
    page.download(new Blob([JSON.stringify(file, null, 2) + "\n"], { type: "application/json" }), "zkviz-what-if.json");
  };
})();
