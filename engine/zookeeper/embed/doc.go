// Package embed runs a ZooKeeper server in this process: engine/zookeeper/server on a TCP port, in real time.
//
// Any ZooKeeper client can connect to it. engine/zookeeper/server and engine/zookeeper/znode decide what requests
// do, with the same code as in the simulator. This package adds sockets, clocks, four-letter words, limits, and
// the file in which a server may keep its data. It is one server that answers from memory, without TLS or a log on
// disk. Ensemble runs several of them.
//
// A ZooKeeper in its usual configuration differs: it answers only whitelisted four-letter words, it refuses znodes
// with a TTL, and it queues any number of watch events for a client that doesn't read. This server closes such a
// connection.
//
// cmd/viz-server runs it, alone and behind the page "Zoo". Tests and benchmarks connect to it.
//
// # Who waits for what
//
// Each connection has one goroutine, and the server has one lock. The goroutine reads a frame, takes the lock and
// carries the request out. The reply goes to its own buffer, and watch events go to those of others. It then
// releases the lock and writes, for other connections only as far as that doesn't block. So a client that waits for
// each answer costs no hand-over between goroutines, and requests that arrive together are answered together.
// Nobody waits for a slow reader: a separate goroutine writes what doesn't fit into its socket and then ends, its
// requests wait once 64 KiB of replies are pending, and 8 MiB of unread watch events close its connection.
//
// No client may cost more, in memory or under the lock, than a named limit. engine/zookeeper/embed/limits.go and
// server.Limits hold them. The length of a reply is known before it is built (Conn.ReplySize). A reply above 16 KiB
// needs a claim on the budget of all long replies, in which data and lists that several replies share count once. A
// reply above 1 MiB needs one on another budget, so that nobody waits behind these. The connection waits for its
// claim without the lock and then has the request carried out. The reply is encoded in pieces while it is written.
// Events and later replies queue behind it, in the order of the lock. Frames above 16 KiB need a claim on their own
// budgets before they are read. While somebody waits for a claim, holders whose clients neither read nor send for a
// second are disconnected. Short replies and events share one limit. Above half of it, clients with an unread reply
// get no further one. At the limit, the connection furthest behind is closed. An expensive request first takes a
// second lock, so at most one of them delays anybody else. The end of a session that owns many znodes counts as
// expensive, since it is one transaction; a session may own a quarter of all znodes. Work of unbounded size
// (sessions that expire together, the watches of a connection, four-letter words) runs in portions and releases the
// lock in between. The simulator sets no limits.
//
// Time counts from the server's start. The data file is a snapshot, written next to the old one and renamed. An
// observation (Observe) is a sink under the lock that numbers clients and events from 1. Without an observation, no
// event is created.
//
// Sockets are in accept.go, limits in limits.go and admission.go, four-letter words in words.go.
package embed
