// A worker that loads a program: the engine, which computes runs and reads trace files in the page, or the one that
// draws stories. The program takes the messages from then on: see wasm/engine and wasm/story. Everything comes from the
// browser's cache if the server has gone.
"use strict";
let go; // once the script of Go's is there

// because makes a failure say why, in the words that wasm/bridge has for it, and which file it is about.
const because = (why, address) => (e) => { throw Object.assign(e, { why, address: address.split("/").pop() }); };

const kept = (address) =>
  fetch(address).catch(() => fetch(address, { cache: "force-cache" })).catch(because("fetch", address));

async function open({ program, script }) {
  try {
    if (!go) importScripts(script);
  } catch (e) {
    because("fetch", script)(e);
  }
  go = go || new Go();
  const response = await kept(program);
  if (!response.ok) because("status", program)(new Error(response.status));
  // From a host that says another type the compiler would take nothing.
  const type = { "Content-Type": "application/wasm" };
  const typed = response.headers.get("Content-Type") === type["Content-Type"];
  return typed ? response : new Response(response.body, { headers: type });
}

// prepare leaves the program in the browser's cache.
async function prepare(files) {
  await (await open(files)).body.pipeTo(new WritableStream());
  postMessage({ kind: "prepared" });
}

async function load(files) {
  const response = await open(files);
  const { instance } = await WebAssembly.instantiateStreaming(response, go.importObject)
    .catch((e) => because(e instanceof TypeError ? "fetch" : "run", files.program)(e));
  let exit;
  go.exit = (code) => { exit = code; };
  await go.run(instance); // returns only when the program has ended, which it should not
  throw new Error("exit code " + exit);
}

onmessage = ({ data }) => {
  if (data.kind === "prepare") prepare(data).catch(() => {}); // it is tried again when it's needed
  else load(data).catch((e) => {
    postMessage({ kind: "failed", why: e.why || "ended", data: e.message, address: e.address });
  });
};
