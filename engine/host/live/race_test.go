//go:build race

package live_test

// raced says that the race detector is on. go-zookeeper races when it reconnects with watches.
const raced = true
