// Package observe reads a part of a real ZooKeeper's tree, and reports what becomes of it.
//
// It never writes, and has no connection that could: engine/zookeeper/wire/reader has no such request. It sees
// what a client sees that is notified of each change and reads again what has changed, at a limited rate. It
// doesn't see who did it or what came between two reads, but it knows how much that was. An observer can go on with the
// log of another that has ended. engine/run/cluster calls it.
//
// It is also the room of all that looks at somebody else's cluster without writing to it: traffic (capture, tap),
// the stream of an ensemble (feed, replay), transaction logs (past), sessions, watches and the servers themselves by
// servers' answers (inquiry, sessions, ensemble), what locks there are (locks), and recordings (record).
// engine/run/cluster/observe.go composes the stages between the wire and the log.
package observe
