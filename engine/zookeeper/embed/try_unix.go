//go:build unix

package embed

import (
	"net"
	"syscall"
)

// tryer writes to a socket as much as it accepts at once. One goroutine uses it at a time.
type tryer struct {
	raw  syscall.RawConn // nil if the connection is not a socket
	call func(fd uintptr) bool
	b    []byte
	n    int
	err  error
}

func newTryer(sock net.Conn) *tryer {
	t := &tryer{}
	if s, ok := sock.(syscall.Conn); ok {
		t.raw, _ = s.SyscallConn() // nil on failure: then it can't try
	}
	t.call = t.once // created here so that no write allocates it
	return t
}

func (t *tryer) able() bool { return t.raw != nil }

func (t *tryer) once(fd uintptr) bool {
	for {
		t.n, t.err = syscall.Write(int(fd), t.b)
		if t.err != syscall.EINTR {
			return true
		}
	}
}

// write returns how many bytes were written, possibly none.
func (t *tryer) write(b []byte) (int, error) {
	t.b = b
	err := t.raw.Write(t.call)
	t.b = nil
	switch {
	case err != nil:
		return 0, err
	case t.err == syscall.EAGAIN:
		return 0, nil
	case t.err != nil:
		return 0, t.err
	}
	return t.n, nil
}
