package web

import "time"

// Maximum times. Those of HTTP are in serve.go, those of runs in engine/run/room.
const (
	// patience limits how long a page may take to receive a frame or answer a ping.
	patience = 20 * time.Second
	// goodbyeTimeout limits how long the server tells the pages that it stops.
	goodbyeTimeout = 2 * time.Second
)
