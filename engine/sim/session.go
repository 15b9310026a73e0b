package sim

import "time"

// session is what a client knows of its own.
type session struct {
	id       int64
	timeout  time.Duration // as it was negotiated last
	password []byte
}
