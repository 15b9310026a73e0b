//go:build race

package live_test

// raced: the race detector watches. go-zookeeper's own goroutines race when a connection comes back with watches.
const raced = true
