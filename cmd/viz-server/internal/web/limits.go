package web

import "time"

// Times, each the longest. Those of HTTP are in serve.go, those of runs in engine/run/room.
const (
	// patience is how long a page may take to receive a frame or answer a ping before it is cut off.
	patience = 20 * time.Second
	// lookTimeout is how long a page waits to say that the cluster cannot be reached.
	lookTimeout = time.Second
	// goodbyeTimeout is for telling the pages that the server stops.
	goodbyeTimeout = 2 * time.Second
)
