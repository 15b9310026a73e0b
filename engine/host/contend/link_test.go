package contend

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// counted counts how often a connection is closed.
type counted struct {
	net.Conn
	closes atomic.Int32
}

func (c *counted) Close() error {
	c.closes.Add(1)
	return nil
}

// The library may close its connection after it has said that it is done.
func TestCloseAfterEnd(t *testing.T) {
	g, conn := newGate(), &counted{}
	l, err := g.dial(func() (net.Conn, error) { return conn, nil })
	if err != nil {
		t.Fatal(err)
	}
	g.end()
	if n := conn.closes.Load(); n != 1 {
		t.Errorf("when the process has ended, its connection was closed %d times", n)
	}
	if err := l.Close(); err != nil {
		t.Errorf("a connection closed after the end: %v", err)
	}
	if err := l.Close(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("closed twice: %v", err)
	}
	if _, err := g.dial(func() (net.Conn, error) { return conn, nil }); !errors.Is(err, errCrashed) ||
		conn.closes.Load() != 2 {
		t.Errorf("a connection opened after the end: %v", err)
	}
}

// Connections are closed while the process ends.
func TestCloseAtEnd(t *testing.T) {
	for range 200 {
		g, conn := newGate(), &counted{}
		l, err := g.dial(func() (net.Conn, error) { return conn, nil })
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		all.Go(func() { _ = l.Close() })
		g.end()
		all.Wait()
		if conn.closes.Load() == 0 {
			t.Fatal("the connection is still open")
		}
	}
}
