// The search of a site of files, where no server searches. It ranks as the server does, in package lessons of the
// server's pages; a test wants the same results of both.
(() => {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const mostQuery = 100; // bytes
  const mostHits = 20;
  const around = 70; // bytes before and after what is found
  const inTitle = 20;
  const isTitle = 200;

  // The server counts and cuts in bytes of UTF-8. A text of bytes has one of them in each place.
  const bytes = (text) => Array.from(new TextEncoder().encode(text), (b) => String.fromCharCode(b)).join("");
  const chars = (text) => new TextDecoder().decode(Uint8Array.from(text, (c) => c.charCodeAt(0)));
  const dots = bytes("…");

  let entries; // a promise of them
  async function load(address) {
    const reply = await fetch(address);
    if (!reply.ok) throw new Error(reply.statusText);
    return (await reply.json()).map(([kind, title, to, text, sought]) => ({
      kind, title, to, sought, text: bytes(text),
      lowTitle: bytes(title.toLowerCase()), lowText: bytes(text.toLowerCase()),
    }));
  }

  function score(entry, words) {
    let sum = 0;
    for (const word of words) {
      let n = Math.min(entry.lowText.split(word).length - 1, inTitle - 1);
      if (entry.lowTitle.includes(word)) n += inTitle;
      if (!n) return 0;
      sum += n;
    }
    const whole = words.join(" ");
    if (entry.lowTitle === whole) sum += isTitle;
    if (entry.lowText.includes(whole)) sum += inTitle;
    return sum;
  }

  // How surely the words of a plain query, with a space at either end, lead to an entry. Those of the entry are plain.
  const plainly = (text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean).join(" ");
  const [asWhole, asPart, aRank] = [900, 300, 50];
  function leads({ sought }, query) {
    return Math.max(0, ...sought.map(([word, rank]) => {
      const forms = [` ${word} `, ` ${word}s `];
      if (forms.includes(query)) return asWhole - rank * aRank;
      return forms.some((form) => query.includes(form)) ? asPart - rank * aRank : 0;
    }));
  }

  const prefix = (s, most) => (s.length <= most ? s : s.slice(0, s.slice(0, most).lastIndexOf(" ") + 1) + dots);
  function suffix(s, most) {
    if (s.length <= most) return s;
    const end = s.slice(-most);
    const space = end.indexOf(" ");
    return dots + (space < 0 ? "" : end.slice(space + 1));
  }

  // What is shown of an entry: before the match, the match, after it.
  function pieces({ text, lowText }, word) {
    const at = lowText.indexOf(word);
    if (at < 0 || lowText.length !== text.length) return [prefix(text, 2 * around), "", ""];
    const end = at + word.length;
    return [suffix(text.slice(0, at), around), text.slice(at, end), prefix(text.slice(end), around)];
  }

  function cutQuery(query) {
    let q = query.trim();
    while (bytes(q).length > mostQuery) q = chars(bytes(q).slice(0, mostQuery)).replace(/\uFFFD+$/, "").trim();
    return q;
  }

  function find(all, query) {
    const words = query.toLowerCase().split(/[^\p{L}\p{N}-]+/u).filter(Boolean).map(bytes);
    if (!words.length) return [];
    const plain = ` ${plainly(query)} `;
    return all.map((entry) => ({ entry, score: score(entry, words) + leads(entry, plain) }))
      .filter((hit) => hit.score > 0)
      .sort((a, b) => b.score - a.score).slice(0, mostHits)
      .map(({ entry }) => ({ ...entry, pieces: pieces(entry, words[0]).map(chars) }));
  }

  const element = (name, text) => Object.assign(document.createElement(name), { textContent: text });
  function row(hit, kinds) {
    const link = Object.assign(element("a", hit.title), { href: hit.to });
    const kind = Object.assign(element("span", kinds[hit.kind]), { className: "small" });
    const about = document.createElement("p");
    const [before, found, after] = hit.pieces;
    about.append(before, found && element("mark", found), after);
    const li = document.createElement("li");
    li.append(link, " ", kind, about);
    return li;
  }

  async function search(form, query) {
    const none = $("search-none");
    try {
      entries = entries || load(form.dataset.index);
      const hits = find(await entries, query);
      document.querySelector(".hits").replaceChildren(...hits.map((hit) => row(hit, form.dataset)));
      none.textContent = query && !hits.length ? form.dataset.none.replace("{0}", () => query) : "";
    } catch (e) {
      entries = undefined; // another try may succeed
      none.textContent = form.dataset.failed.replace("{0}", () => e.message);
    }
    document.documentElement.dataset.found = query; // for tests: this search is over
  }

  const form = document.querySelector("form[data-index]");
  if (!form) return;
  const given = cutQuery(new URLSearchParams(location.search).get("q") || "");
  if (given) {
    $("q").value = given;
    search(form, given);
  }
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    const query = cutQuery($("q").value);
    history.replaceState(null, "", "?" + new URLSearchParams({ q: query }));
    search(form, query);
  });
})();
