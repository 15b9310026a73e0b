package bridge

import "time"

// The shortest and the longest wait before reconnecting to the server.
const (
	firstWait = 400 * time.Millisecond
	longWait  = 8 * time.Second
)

// backoff returns the wait before the n-th attempt, from 0.
func backoff(n int) time.Duration {
	return min(firstWait<<min(n, 10), longWait)
}
