// Package testing is the room of what only tests use: real servers (apache, daemon, and packages that end in
// test), their comparison with ours (conform, versus and their like), a bare client (peer) and clients in other
// languages (clients, programs), an ensemble in virtual time (virtual), planted bugs, golden files, events as lines
// (eventtext), logs that make no sense (anylog), and the oracle. The product imports nothing from here, apart from
// commands that compare.
package testing
