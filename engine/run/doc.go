// Package run turns a scenario (a recipe, the number of clients, a seed, faults) into a log of events, on the
// simulator or on a real ZooKeeper. It also keeps the branches that faults make of a simulated run.
//
// It judges nothing (engine/analysis/check does) and shows nothing (engine/analysis/view does). The command line,
// the web server and the lessons call it.
//
// The parameters of a run are the table in parameter.go.
//
// It is also the room of runs as wholes: on a cluster, compared, explored over thousands of seeds, kept and followed by
// viewers (room, protocol), judged for them (judge), and linked to
// (link). What several servers have in common, over NATS, is in shared.
package run
