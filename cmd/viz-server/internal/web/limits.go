package web

import "time"

// goodbyeTimeout limits how long the server tells the pages that it stops. Other limits of HTTP are in serve.go, those
// of runs in engine/run/room.
const goodbyeTimeout = 2 * time.Second
