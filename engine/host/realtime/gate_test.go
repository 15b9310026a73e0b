package realtime

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
	g, conn := NewGate(true), &counted{}
	l, err := g.Dial(func() (net.Conn, error) { return conn, nil })
	if err != nil {
		t.Fatal(err)
	}
	g.End()
	g.Release()
	if n := conn.closes.Load(); n != 1 {
		t.Errorf("when the process has ended, its connection was closed %d times", n)
	}
	if err := l.Close(); err != nil {
		t.Errorf("a connection closed after the end: %v", err)
	}
	if err := l.Close(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("closed twice: %v", err)
	}
	if _, err := g.Dial(func() (net.Conn, error) { return conn, nil }); !errors.Is(err, net.ErrClosed) ||
		conn.closes.Load() != 1 {
		t.Errorf("a connection opened after the end: %v", err)
	}
}

// A connection is being opened while the process ends.
func TestEndWhileOpening(t *testing.T) {
	g, conn := NewGate(true), &counted{}
	_, err := g.Dial(func() (net.Conn, error) { g.End(); g.Release(); return conn, nil })
	if !errors.Is(err, net.ErrClosed) || conn.closes.Load() != 1 {
		t.Errorf("it was closed %d times: %v", conn.closes.Load(), err)
	}
}

// Connections are closed while the process ends.
func TestCloseAtEnd(t *testing.T) {
	for range 200 {
		g, conn := NewGate(true), &counted{}
		l, err := g.Dial(func() (net.Conn, error) { return conn, nil })
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		all.Go(func() { _ = l.Close() })
		g.End()
		g.Release()
		all.Wait()
		if conn.closes.Load() != 1 {
			t.Fatalf("the connection was closed %d times", conn.closes.Load())
		}
	}
}
