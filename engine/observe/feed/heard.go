package feed

import (
	"context"
	"net"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// heard records when data last arrived from a server.
type heard struct {
	ns atomic.Int64 // since 1970
}

// last returns that time, or now if nothing has arrived yet.
func (h *heard) last() time.Time {
	if ns := h.ns.Load(); ns != 0 {
		return time.Unix(0, ns)
	}
	return time.Now()
}

type dialing = func(ctx context.Context, addr string) (net.Conn, error)

// dial returns a dialer whose connections record incoming data.
func (h *heard) dial(dial dialing) dialing {
	if dial == nil {
		dial = func(ctx context.Context, addr string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", addr)
		}
	}
	return func(ctx context.Context, addr string) (net.Conn, error) {
		conn, err := dial(ctx, addr)
		if err != nil {
			return nil, err
		}
		return heardConn{conn, h}, nil
	}
}

type heardConn struct {
	net.Conn
	heard *heard
}

func (c heardConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.heard.ns.Store(time.Now().UnixNano())
	}
	return n, err
}

// disconnected returns an event that says why there is no leader, and how long ago one was heard from.
func (f *Feed) disconnected() event.Event {
	return event.Event{Kind: event.Disconnected, Text: event.Preview([]byte(f.away)),
		N: max(time.Since(f.lastHeard).Milliseconds(), 0)}
}
