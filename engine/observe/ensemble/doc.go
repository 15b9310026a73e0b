// Package ensemble tells how a ZooKeeper's servers are: which one leads and since when, whether there is a quorum, how
// far a server is behind, and how busy each is. It asks each server by the four-letter words srvr and mntr,
// or through the AdminServers that the operator named (package inquiry).
//
// It has no session, and asks nobody without a caller. Fold, which judges the answers, is pure: the same answers at the
// same times give the same State. engine/run/cluster/follow has a Poller for each ZooKeeper.
//
// What can't be known isn't said. A server that looks for a leader doesn't know whether servers that zkviz can't reach
// have one. So there is at most "no quorum in sight". srvr doesn't tell for how long a server has led: mntr does
// (zk_leader_uptime, from ZooKeeper 3.6 on), and without it only what zkviz has watched is sure. Answers come at
// slightly different moments, so a server counts as behind only if it lacks, when asked again, what another server
// had before that.
package ensemble

import "time"

const (
	askEvery = 2 * time.Second // how often servers are asked, at most
	askLimit = 2 * time.Second // time limit of one answer
	// watchedMS is the longest pause between two rounds in which nothing can have come and gone unnoticed for long.
	watchedMS = 15_000
	// maxChanges is how many changes a State remembers.
	maxChanges = 16
)
