// Package sessions learns of the sessions of a ZooKeeper what no transaction says: from which host each comes, to which
// server, when something was last heard of it, and what it watches. It asks each server by four-letter words (cons,
// dump, wchs, and on demand wchp), or the AdminServers that the operator named.
//
// It has no session and changes nothing but what a server counts of connections. It asks nobody while nobody looks, a
// server one word at a time, and the less often the longer the answers take. What servers say comes from anybody's
// clients: whatever it is, it costs no more than the limits here. engine/run/cluster has a Poller for each ZooKeeper,
// and those who show sessions take its Reports.
//
// What ZooKeeper 3.8 says, and does not: cons names the clients of one server, with when the last answer was sent to
// each, pings included, by a clock of that server's that counts milliseconds from no known time (lresp), and how long
// that answer took (llat). Only the dump of a leader or of a server alone says when sessions expire, rounded up to its
// ticks; that of the AdminServer by the clock of lresp, the word by the one on the wall there, in its zone. wchp tells
// of watches at znodes, of any kind, but of none for lists of children.
//
// words.go and adminserver.go ask, round.go puts the answers together, teller.go says what is new of them in a log.
package sessions

import "time"

// Limits. What is beyond one is left out, and Report and Watches say so.
const (
	MaxAnswer    = 16 << 20 // bytes of one answer
	MaxSessions  = 20_000   // in a Report
	MaxWatches   = 100_000  // in Watches
	maxAddress   = 128      // bytes of a client's
	maxOperation = 16       // bytes of an operation's name
	maxPath      = 1024     // bytes of a znode's
	maxBuckets   = 10_000   // times at which sessions of one server expire
)

const (
	askEvery   = 3 * time.Second  // how often servers are asked, at most,
	askShare   = 20               // and one part in so many of the time at most
	askLimit   = 5 * time.Second  // how long one answer may take,
	watchLimit = 20 * time.Second // and one about watches
	// WatchesEvery is how often servers are asked about watches, at most: meanwhile the last answer does.
	WatchesEvery = 15 * time.Second
)
