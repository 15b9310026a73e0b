// What a worker is to a program of the page's, in Node: it runs the program of the first argument with the script of
// the second, and passes messages on. Each line of its input is a message to the program, each line of its output one
// of the program's.
"use strict";
const fs = require("fs");
const [, , program, script] = process.argv;
require(script);

// A computation that gives up its turn posts a message to itself, which comes after all that wait, as in a browser.
// Node's own MessageChannel would let nothing else come in between.
let turns = 0;
globalThis.MessageChannel = class {
  port2 = {};
  port1 = { postMessage: () => { turns++; setImmediate(() => this.port2.onmessage()); } };
};

const shown = (data) => data instanceof ArrayBuffer ? Buffer.from(data).toString("base64") : data;
globalThis.postMessage = (m) => {
  const mb = go._inst.exports.mem.buffer.byteLength >> 20;
  fs.writeSync(1, JSON.stringify({ ...m, data: shown(m.data), turn: turns, mb }) + "\n");
  if (m.kind === "ready") listen();
  if (m.kind === "frame") globalThis.onmessage({ data: { kind: "took", id: m.id } });
};
function listen() {
  require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const m = JSON.parse(line);
    if (["file", "piece"].includes(m.kind)) {
      const bytes = Buffer.from(m.data, "base64");
      m.data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    }
    globalThis.onmessage({ data: m });
  }).on("close", () => process.exit(0));
}
const go = new Go();
WebAssembly.instantiate(fs.readFileSync(program), go.importObject).then(({ instance }) => go.run(instance));
