// Package testing is the room of what only tests use: real servers (apache, daemon, and packages that end in
// test), their comparison with ours (conform and its like), clients in other languages, planted bugs, golden
// files, logs that make no sense (anylog), and the oracle. The product imports nothing from here, apart from
// commands that compare.
package testing
