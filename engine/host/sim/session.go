package sim

import "time"

// session is what a client knows about its own session.
type session struct {
	id       int64
	timeout  time.Duration // as last negotiated
	password []byte
}
