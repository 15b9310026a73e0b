// Package sessions learns what transactions don't show about a ZooKeeper's sessions: from which host each connects,
// to which server, when it was last active, and what it watches. It asks each server by four-letter words (cons,
// dump, wchs, and on demand wchp), or the AdminServers that the operator named.
//
// It has no session, and changes nothing but a server's counts of connections. It asks nobody without a viewer,
// sends a server one word at a time, and asks less often the longer the answers take. Answers contain data from any
// client, so whatever they say, it costs no more than the limits here. engine/run/cluster has a Poller for each
// ZooKeeper. The viewers of sessions read its Reports.
//
// ZooKeeper 3.8 reports only part of this. cons lists the clients of one server. For each it says when the last
// answer was sent, pings included (lresp), in milliseconds on a server's clock with an unknown start, and how long
// that answer took (llat). Only the dump of a leader or of a single server says when sessions expire, rounded up to
// its ticks. The AdminServer's dump uses the clock of lresp, and the word uses the wall clock in the server's zone.
// wchp lists watches of any kind on znodes, but no child watches.
//
// fourletter.go and adminserver.go ask through package inquiry, round.go combines the answers, reporter.go reports
// changes, and merge.go puts these into a log.
package sessions

import "time"

// Limits. What exceeds one is left out, and Report and Watches say so.
const (
	MaxSessions  = 20_000  // in a Report
	MaxWatches   = 100_000 // in Watches
	maxAddress   = 128     // bytes of a client's address
	maxOperation = 16      // bytes of an operation's name
	maxPath      = 1024    // bytes of a znode's path
	maxBuckets   = 10_000  // expiry times of one server
)

const (
	askEvery   = 3 * time.Second  // how often servers are asked, at most,
	askShare   = 20               // and for at most one part in that many of the time
	askLimit   = 5 * time.Second  // time limit of one answer,
	watchLimit = 20 * time.Second // and of one about watches
	// WatchesEvery is how often servers are asked about watches, at most. In between, the last answer is reused.
	WatchesEvery = 15 * time.Second
)
