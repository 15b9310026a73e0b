// Package room keeps runs and lets viewers follow them: rooms of simulated runs and their branches, of runs and
// observations on a real ZooKeeper, and of the one inside the program; and it divides among those who ask what is
// scarce: memory, turns to compute, sessions, places.
//
// It knows neither HTTP nor websockets (a Viewer takes frames), computes nothing itself (engine/run does)
// and draws nothing. The web server uses it; what it may take is in limits.go.
//
// # Who gives way
//
// What is scarce is divided by asker: the address that a connection comes from, of which a class may have only one.
//
// A finished log is computed once for all who ask for it, branches too, and kept once by reference count
// (simulations.go, ledger.go). Its key is the scenario and, for a branch, the faults on the way to it. It is computed
// in the turn of whichever of its askers comes first, with no more bytes than that asker may still have, for 15 seconds
// at most, and only while somebody waits. Turns go to the asker that computes least at the moment, and then to the one
// that has computed for the fewest seconds lately (turns.go). What has been computed for three seconds gives way to an
// asker that has computed less, and what was too slow is refused for five minutes.
//
// A log counts once in all, and once for each asker that has a room with it. A growing log asks before it grows. A room
// counts for one of those that follow it, or for the one that left it last.
//
// If there is no place for something, rooms give way (place.go), the least recently used first:
//
//  1. for an asker's own part, those of its own that nobody follows;
//  2. for what all share, those that nobody follows, no matter whose; for memory, not if somebody else has left them
//     in the last twenty seconds and may come back, and none if they are not enough;
//  3. then those of the asker that has the most, if that is more than the one who asks would have.
//
// Otherwise the asker is told that the server is busy, and when to try again. The third rule takes something only from
// an asker that has more, so nothing goes back and forth. A page whose room gave way is told that it is gone, and opens
// it anew. Connections are given up likewise (seats.go): first those that have asked for nothing for ten seconds.
//
// A simulation is computed up to 250,000 events. One that has more is computed anew when it has the turn for long ones,
// of which there is one: what takes seconds keeps nobody waiting whose run takes a moment.
//
// Nobody holds on to a log while it is written to somebody slow, so the memory of a room that goes is free at once.
// What is computed is kept in blocks (engine/event/packed), 10 to 20 bytes an event, and sent as it is kept. What the
// server may take: 256 MB of logs, three simulations and a long one of at most 96 MB while they are computed, and 2,000
// pages. A page costs 41 KB, and 68 KB, with a frame of at most 32 KB, while it takes nothing of what is written to it,
// for which it is cut off after 20 seconds; 8 KB of its messages may wait. BenchmarkMemoryOfPages measures that. From
// 700 MB on (cmd/viz-server/serve.go) the garbage collector works as often as it must, so that what is garbage under an
// attack does not double what is kept.
package room
