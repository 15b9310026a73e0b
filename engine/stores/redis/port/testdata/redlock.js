// What node-redlock does at the Redis whose host and port are given, and what comes of it.
const { default: Redlock, ResourceLockedError } = require("redlock");
const Redis = require("ioredis");

const long = 600000;

async function refused(what) {
  try {
    await what;
    return "not refused";
  } catch (e) {
    const attempts = await Promise.all(e.attempts ?? []);
    const why = attempts.flatMap((a) => [...a.votesAgainst.values()]).map((v) => v.constructor.name);
    return [e.name, ...why].join(" ");
  }
}

async function main() {
  const client = new Redis({ host: process.argv[2], port: Number(process.argv[3]) });
  const a = new Redlock([client], { retryCount: 0 });
  const b = new Redlock([client], { retryCount: 0 });
  a.on("error", () => {});
  b.on("error", () => {});
  const lock = await a.acquire(["one", "two"], long);
  console.log("a acquires both:", lock.resources.length, await client.exists("one", "two"));
  console.log("b is refused:", await refused(b.acquire(["two", "three"], long)));
  console.log("nothing is left of that:", await client.exists("three"));
  const longer = await lock.extend(2 * long);
  console.log("a extends them:", (await client.pttl("one")) > long);
  await longer.release();
  console.log("a releases them:", await client.exists("one", "two"));
  console.log("a releases them again:", await refused(longer.release()));
  const next = await b.acquire(["two", "three"], long);
  console.log("b acquires:", await client.exists("two", "three"));
  console.log("a extends no more:", await refused(longer.extend(long)));
  await next.release();
  client.disconnect();
}

main();
