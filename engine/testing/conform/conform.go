// Package conform compares two ZooKeeper servers by what a client can see of them, byte for byte where possible. It
// checks that the embedded server behaves like Apache ZooKeeper.
//
// A Script tells what several clients do, step by step: connect, send requests, watch, go silent, reconnect with a
// wrong password, send garbage. Play plays it on one server and records all that the clients receive: every reply with
// its code, zxid and Stat, every watch event in its place among the replies of its connection, every connection that
// the server closes. Two servers behave alike if the records are equal. A Generator makes random scripts, Shrink makes
// one that shows a difference as short as it can, and the record of a script is a test that needs no second server
// (testdata).
//
// Some values can't be equal, and are recorded by names and relations: session IDs (by the connection that opened
// them), passwords (by what they are good for), times (see clock). Children, and the events of one session's end, are
// sorted, as Java returns them in the order of its hash tables.
//
// It is only for tests and cmd/conform, and doesn't decide what is right.
package conform
