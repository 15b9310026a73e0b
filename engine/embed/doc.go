// Package embed is a ZooKeeper server in this process: engine/server on a TCP port, in real time.
//
// Any ZooKeeper client can talk to it. What requests do is decided by engine/server and engine/znode, the
// same code as in the simulator; here are sockets, clocks, four-letter words, limits, and the file that a
// server may keep its data in. It is one server that answers from memory: there is no ensemble, no log on
// disk, no TLS.
//
// What a ZooKeeper would do otherwise, as it is usually configured: it answers only the four-letter words that
// it is told to; it keeps any number of watch events for a client that does not read, while this server closes
// the connection; and it refuses znodes with a TTL.
//
// cmd/viz-server runs it, alone and behind the page "Zoo"; tests and benchmarks talk to it.
//
// # Who waits for what
//
// engine/embed runs engine/server in real time for anyone who connects. A connection has one goroutine, and the server
// one lock. The goroutine reads a frame, takes the lock and has the request carried out, which puts the reply into its
// own buffer and watch events into those of others; then it lets the lock go and writes, the others' events as far as
// that does not block. So a client that waits for each answer costs no hand-over between goroutines, requests that
// arrive together are answered together, and nobody waits for a slow reader: what does not fit into its socket is left
// to a goroutine that ends when it is written, its requests wait once 64 KiB of replies are pending, and 8 MiB of
// unread watch events end its connection.
//
// Nothing that a client can do may cost more, in memory or under the lock, than a named limit; engine/embed/limits.go
// and server.Limits have them. The length of a reply is known before it is made (Conn.ReplySize). One of more than 16
// KiB needs a claim on the budget of all long replies (data and lists that several replies refer to count once), and
// one of more than 1 MiB on another, so that nobody waits behind these; its connection waits for that without the lock,
// then has the request carried out, and the reply is encoded in pieces while it is written, with events and later
// replies queued behind it, so that the order is that of the lock. Frames of more than 16 KiB need a claim on budgets
// of their own before they are read. While somebody waits for a claim, holders whose clients neither read nor send for
// a second are cut off. Short replies and events are counted together: from half of their limit on nobody gets a reply
// who has not read the last, and at the limit the connection that is the furthest behind goes. A request that may be
// much to do takes a second lock first, so one of them at most stands before anybody else's. The end of a session that
// owns many znodes is such a one, since it is one transaction; a session may own a quarter of all. What is many by
// nature (sessions that expire together, the watches of a connection, four-letter words) is done in portions with the
// lock let go in between. The simulator sets no limits.
//
// Time is measured from the server's start. The data file is a snapshot, written beside the old one and renamed. An
// observation (Observe) is a sink under the lock that numbers clients and events anew; without one, no event is made.
package embed
