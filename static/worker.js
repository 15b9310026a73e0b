// The worker of the stage's frame: loads the engine, which computes runs and reads trace files in the page. The program
// takes the messages from then on: see wasm/engine. Everything comes from the browser's cache if the server has gone.
"use strict";
let go; // once the script of Go's is there

const kept = (address) => fetch(address).catch(() => fetch(address, { cache: "force-cache" }));

// prepare leaves the program in the browser's cache.
async function prepare({ program, script }) {
  if (!go) importScripts(script);
  go = go || new Go();
  const response = await kept(program);
  await response.body.pipeTo(new WritableStream());
  postMessage({ kind: "prepared" });
}

async function load({ program, script }) {
  if (!go) importScripts(script);
  go = go || new Go();
  const response = await kept(program);
  if (!response.ok) throw new Error("engine.wasm: " + response.status + "; it is built by: make wasm");
  const { instance } = await WebAssembly.instantiateStreaming(response, go.importObject);
  await go.run(instance); // returns only when the program has ended, which it should not
  throw new Error("the program ended");
}

onmessage = ({ data }) => {
  if (data.kind === "prepare") prepare(data).catch(() => {}); // it is tried again when it's needed
  else load(data).catch((e) => postMessage({ kind: "failed", data: e.message }));
};
