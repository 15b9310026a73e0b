package conform

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"

	"github.com/zkviz/zkviz/engine/redis/resp"
)

// Real is a real Redis as a Target. It must serve nobody else: all that it has is removed.
type Real struct {
	addr  string
	admin *wire
	conns [Conns]*wire
}

// wire is one connection to it.
type wire struct {
	net.Conn
	got []byte // and not yet read
}

// longest is how long an answer may take on a machine however busy.
const longest = time.Minute

// Connect connects to a Redis, which removes keys that have ended when it likes: how many there are is not to be asked.
func Connect(addr string) (*Real, error) {
	r := &Real{addr: addr}
	admin, err := r.dial()
	r.admin = admin
	return r, err
}

// Dial connects to a real Redis, and has it remove keys only when somebody looks.
func Dial(addr string) (*Real, error) {
	r, err := Connect(addr)
	if err != nil {
		return nil, err
	}
	if err := r.order("DEBUG", "SET-ACTIVE-EXPIRE", "0"); err != nil {
		return nil, fmt.Errorf("%w; start it with --enable-debug-command yes", err)
	}
	return r, nil
}

// Close ends all connections.
func (r *Real) Close() {
	_ = r.admin.Close()
	for _, c := range r.conns {
		if c != nil {
			_ = c.Close()
		}
	}
}

func (r *Real) dial() (*wire, error) {
	c, err := net.DialTimeout("tcp", r.addr, longest)
	if err != nil {
		return nil, err
	}
	return &wire{Conn: c}, c.SetDeadline(time.Now().Add(24 * time.Hour))
}

// order has the server do something that must succeed.
func (r *Real) order(args ...string) error {
	if _, err := r.admin.Write(resp.AppendCommand(nil, args)); err != nil {
		return err
	}
	v, _, err := r.admin.take(true)
	if err == nil && v.Kind == resp.Error {
		err = errors.New(v.Str)
	}
	return err
}

// Reset implements Target.
func (r *Real) Reset() error {
	for i, c := range r.conns {
		if c != nil {
			_ = c.Close()
			r.conns[i] = nil
		}
	}
	if err := r.settle(); err != nil {
		return err
	}
	return r.order("FLUSHALL")
}

// settle returns once the server has done all that it had been sent: it looks at all connections in each of its rounds,
// so that the second of two answers comes after all that was there before the first.
func (r *Real) settle() error {
	for range 2 {
		if err := r.order("PING"); err != nil {
			return err
		}
	}
	return nil
}

// Do implements Target.
func (r *Real) Do(step Step) error {
	switch step.Do {
	case Pass:
		time.Sleep(3 * time.Millisecond)
		return nil
	case HangUp:
		if c := r.conns[step.Conn]; c != nil {
			_ = c.Close()
			r.conns[step.Conn] = nil
		}
		return r.settle()
	}
	c := r.conns[step.Conn]
	if c == nil {
		var err error
		if c, err = r.dial(); err != nil {
			return err
		}
		r.conns[step.Conn] = c
	}
	if _, err := c.Write(resp.AppendCommand(nil, step.Args)); err != nil {
		return err
	}
	return r.settle()
}

// Take implements Target.
func (r *Real) Take(conn int, more bool) (resp.Value, bool, error) {
	c := r.conns[conn]
	if c == nil {
		return resp.Value{}, false, nil
	}
	return c.take(more)
}

// take reads a value: one that is there, or, if it is to wait, one that comes.
func (c *wire) take(wait bool) (resp.Value, bool, error) {
	for {
		if len(c.got) > 0 {
			in := bytes.NewReader(c.got)
			reader := resp.NewReader(in)
			v, err := reader.Value()
			if err == nil {
				c.got = c.got[len(c.got)-in.Len()-reader.Buffered():]
				return v, true, nil
			}
			if !errors.Is(err, io.ErrUnexpectedEOF) {
				return v, false, err
			}
		}
		n, err := c.read(wait || len(c.got) > 0)
		if n == 0 || err != nil {
			return resp.Value{}, false, err
		}
	}
}

// read reads what is there, or, if it is to wait, what comes.
func (c *wire) read(wait bool) (int, error) {
	b := make([]byte, 64<<10)
	if wait {
		n, err := c.Read(b)
		c.got = append(c.got, b[:n]...)
		return n, err
	}
	raw, err := c.Conn.(syscall.Conn).SyscallConn()
	if err != nil {
		return 0, err
	}
	n := 0
	var got error
	err = raw.Read(func(fd uintptr) bool {
		n, got = syscall.Read(int(fd), b)
		return true
	})
	if errors.Is(got, syscall.EAGAIN) {
		return 0, err
	}
	c.got = append(c.got, b[:max(n, 0)]...)
	return max(n, 0), errors.Join(err, got)
}
