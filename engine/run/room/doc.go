// Package room keeps runs and lets viewers follow them: simulated runs with their branches, runs and observations
// on a real ZooKeeper, and the ZooKeeper inside the program. It divides scarce resources among clients: memory,
// computing turns, sessions, places.
//
// It knows neither HTTP nor websockets (a Viewer receives frames), computes nothing itself (engine/run does) and
// draws nothing. The web server and wasm/engine, the program in a page's worker, use it. limits.go has the limits.
//
// # Who gives way
//
// Scarce resources are divided by client: the address that a connection comes from. A whole class may share one.
//
// A finished log is computed once for everyone who requests it, branches too, and kept once by reference count
// (simulations.go, accounting.go). Its key is the scenario and, for a branch, the faults on the way to it. The first
// of its clients to get a turn computes it. It may take no more bytes than that client has left, no more than 30
// seconds, and it ends when nobody waits for it. Turns go to the client that currently computes least, and then to
// the one with the fewest recent seconds of computing (turns.go). After three seconds, a computation gives way to
// a client that has computed less. What was too slow is refused for five minutes.
//
// A log counts once in the total, and once for each client that has a room with it. A growing log asks before it
// grows, and counts as large as it is unpacked. A room counts for one of its followers, or for its last one.
//
// If there is no place for something, rooms give way (evict.go), the least recently used first:
//
//  1. for a client's own share, its own rooms that nobody follows;
//  2. for the shared total, any rooms that nobody follows. For memory, this excludes rooms that another client has left
//     within twenty seconds and may return to, and all of them if together they are not enough;
//  3. then rooms of the client that has the most, if that is more than the requesting one would have.
//
// Otherwise the client learns that the server is busy, and when to try again. The third rule takes only from a
// client that has more, so nothing goes back and forth. A page whose room gave way learns that it is gone, and opens
// it again. Connections give way similarly (connections.go): first those that have requested nothing for ten seconds.
//
// Logs are judged where they come from (verdict.go), so that viewers needn't. A computed log is judged in the turn in
// which it is computed, and its verdict is kept and counts with it. A growing log is judged as it grows, in memory for
// its clients and znodes, which is a small part of what its events count. A verdict on it is only made while somebody
// follows, at most four times a second. Followers get what has changed since the last one, in parts no longer than a
// frame, which are written from the room's verdict one by one.
//
// A simulation is computed up to 250,000 events. If it has more, it is computed again in a turn for long ones, of
// which there is one. So computations of seconds delay nobody whose run takes a moment.
//
// Explorations look for schedules that break promises (explorations.go). There is one at a time, on all processors, in
// the turn of its client, for 30 seconds at most. Their results are kept. What ends early says how far it has come.
//
// While a request waits for a computation, its page learns twice a second how many events there are (progress.go), and
// may stop it. In a page, where the rooms serve nobody else, a computation may take three minutes.
//
// Nothing holds on to a log while it is written to a slow reader, so the memory of a dropped room is free at once.
// Logs are kept in blocks (engine/event/hub), 10 to 20 bytes an event, and sent in that form. The
// server may take: 256 MB of logs, three simulations and a long one of at most 96 MB each while they are computed,
// and 2,000 pages. A page costs 41 KB. It costs 68 KB, with a frame of at most 32 KB, while it reads nothing, and
// it is disconnected after 20 seconds of that. 8 KB of its messages may wait. BenchmarkMemoryOfPages measures that.
// From 700 MB on (cmd/viz-server/serve.go) the garbage collector works as often as necessary, so that garbage from
// an attack doesn't double the memory.
package room
