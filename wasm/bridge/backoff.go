package bridge

import "time"

// The shortest and the longest wait before the next attempt to reach the server.
const (
	firstWait = 400 * time.Millisecond
	longWait  = 8 * time.Second
)

// backoff is how long to wait before trying again, the n-th time, from 0.
func backoff(n int) time.Duration {
	return min(firstWait<<min(n, 10), longWait)
}
