package redisconform

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/zkviz/zkviz/engine/stores/redis/resp"
)

// Real is a Target on a real Redis. It must serve nothing else: all its keys are removed.
type Real struct {
	addr  string
	admin *wire
	conns [Conns]*wire

	counts bool // ask it how many commands it has processed, since it doesn't serve its connections in rounds
	sent   int  // number of commands
}

// wire is one connection to it.
type wire struct {
	net.Conn
	got []byte // received and not parsed yet
}

// longest is how long a reply may take on the busiest machine. A reply that may not come is awaited in rounds: after
// each, the server is asked for another reply, so that it has had its turn however busy the machine is.
const (
	longest = time.Minute
	rounds  = 10
	round   = 20 * time.Millisecond
)

// Connect connects to the simulated Redis on a port, which removes expired keys at any time: don't ask for their
// number.
func Connect(addr string) (*Real, error) {
	r := &Real{addr: addr, counts: true}
	admin, err := r.dial()
	r.admin = admin
	return r, err
}

// Dial connects to a real Redis, and makes it remove expired keys only on access.
func Dial(addr string) (*Real, error) {
	r := &Real{addr: addr}
	admin, err := r.dial()
	if err != nil {
		return nil, err
	}
	r.admin = admin
	if err := r.order("DEBUG", "SET-ACTIVE-EXPIRE", "0"); err != nil {
		return nil, fmt.Errorf("%w; start it with --enable-debug-command yes", err)
	}
	return r, nil
}

// Close closes all connections.
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
	return &wire{Conn: c}, nil
}

// order sends a command that must succeed.
func (r *Real) order(args ...string) error {
	_, err := r.ask(args...)
	return err
}

func (r *Real) ask(args ...string) (resp.Value, error) {
	if err := r.send(r.admin, args); err != nil {
		return resp.Value{}, err
	}
	v, answered, err := r.admin.take(longest)
	switch {
	case err != nil:
	case !answered:
		err = fmt.Errorf("there was no answer to %s", args[0])
	case v.Kind == resp.Error:
		err = errors.New(v.Str)
	}
	return v, err
}

func (r *Real) send(c *wire, args []string) error {
	r.sent++
	_, err := c.Write(resp.AppendCommand(nil, args))
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

// settle returns once the server has executed everything sent so far: it looks at all connections in each round, so the
// second of two replies comes after everything that was there before the first.
func (r *Real) settle() error {
	if r.counts {
		return r.settleByCount()
	}
	for range 2 {
		if err := r.order("PING"); err != nil {
			return err
		}
	}
	return nil
}

// settleByCount returns once the server has processed each command, and has noticed each closed connection.
func (r *Real) settleByCount() error {
	open := 1
	for _, c := range r.conns {
		if c != nil {
			open++
		}
	}
	for end := time.Now().Add(longest); time.Now().Before(end); {
		v, err := r.ask("INFO")
		if err != nil {
			return err
		}
		if strings.Contains(v.Str, fmt.Sprintf("connected_clients:%d\r\n", open)) &&
			strings.Contains(v.Str, fmt.Sprintf("total_commands_processed:%d\r\n", r.sent)) {
			return nil
		}
	}
	return errors.New("the server doesn't execute what it was sent")
}

// Do implements Target.
func (r *Real) Do(step Step) error {
	switch step.Do {
	case Pass:
		if len(step.Args) > 0 {
			if err := r.command(step); err != nil {
				return err
			}
		}
		time.Sleep(3 * time.Millisecond)
		return nil
	case HangUp:
		if c := r.conns[step.Conn]; c != nil {
			_ = c.Close()
			r.conns[step.Conn] = nil
		}
		return r.settle()
	}
	return r.command(step)
}

func (r *Real) command(step Step) error {
	c := r.conns[step.Conn]
	if c == nil {
		var err error
		if c, err = r.dial(); err != nil {
			return err
		}
		r.conns[step.Conn] = c
	}
	if err := r.send(c, step.Args); err != nil {
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
	if !more {
		return c.take(0)
	}
	for range rounds {
		if v, sent, err := c.take(round); sent || err != nil {
			return v, sent, err
		}
		if err := r.settle(); err != nil {
			return resp.Value{}, false, err
		}
	}
	return c.take(0)
}

// take reads a value that is there, or arrives within a time.
func (c *wire) take(wait time.Duration) (resp.Value, bool, error) {
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
		if len(c.got) > 0 {
			wait = longest // for the rest
		}
		n, err := c.read(wait)
		if n == 0 || err != nil {
			return resp.Value{}, false, err
		}
	}
}

// read reads what is there, or arrives within a time.
func (c *wire) read(wait time.Duration) (int, error) {
	b := make([]byte, 64<<10)
	if wait > 0 {
		if err := c.SetReadDeadline(time.Now().Add(wait)); err != nil {
			return 0, err
		}
		n, err := c.Read(b)
		c.got = append(c.got, b[:n]...)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			err = nil // nothing was sent
		}
		return n, err
	}
	if err := c.SetReadDeadline(time.Time{}); err != nil {
		return 0, err
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
