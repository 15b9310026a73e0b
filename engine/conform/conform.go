// Package conform compares two ZooKeeper servers by what a client can see of them, byte for byte where it
// can be. It is how the embedded server is held to what Apache ZooKeeper does.
//
// A Script is what several clients do, one step after the other: connect, ask, watch, fall silent, come back
// with a wrong password, send garbage. Play carries it out against one server and writes down all that the
// clients get to hear: every answer with its code, its zxid and its Stat, every watch event and its place
// among the answers of its connection, every connection that the server closes. Two servers are alike as far
// as two such records are equal. A Generator draws scripts by chance, Shrink makes one that shows a difference
// as short as it can, and the record of a script is a test that needs no second server (testdata).
//
// What is told by names and relations rather than as it came, because it cannot be equal: session ids (by
// the connection that opened them), passwords (by what they are good for), times (see clock). Children,
// and the events of one session's end, are sorted: Java hands them out in the order of its hash tables.
//
// It is for tests, for cmd/conform and for nothing else; it decides nothing about what is right.
package conform
