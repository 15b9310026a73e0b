// Package admin is a program's own connection to a ZooKeeper, beside those of its clients: it says when the servers
// come into reach and go out of it, and why, and is given watch events. engine/live looks after its runs on one.
// Those who only look have another, which cannot write: engine/wire/reader.
package admin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/access"
	"github.com/zkviz/zkviz/engine/sentence"
	"github.com/zkviz/zkviz/engine/wire"
)

// SessionTimeout is what a connection asks for: the shorter, the sooner what a crashed program has left can be removed.
const SessionTimeout = 6 * time.Second

// Config describes a connection.
type Config struct {
	Servers []string      // host:port; required
	Access  access.Dialer // how connections are opened
	// Tell is told when the servers come into reach and go out of it, and which, or why. It may be nil.
	Tell func(up bool, text string)
	// Watch is given every watch event. It may be nil.
	Watch func(zk.Event)
}

// Conn is a connection, which the library opens again when it is lost. ZK is the library's.
type Conn struct {
	ZK *zk.Conn

	access access.Dialer
	watch  func(zk.Event)
	many   int // servers

	mu      sync.Mutex
	tell    func(up bool, text string)
	up      bool
	change  chan struct{} // closed when up changes
	told    string
	failed  map[string]string // why each server could not be reached, since the last connection
	expired bool
}

// Dial connects, and waits until that is done.
func Dial(ctx context.Context, cfg Config) (*Conn, error) {
	c := newConn(cfg)
	conn, _, err := zk.Connect(cfg.Servers, SessionTimeout, zk.WithDialer(c.dial), zk.WithHostProvider(&Hosts{}),
		Silent(), zk.WithLogInfo(false), zk.WithEventCallback(c.event), zk.WithMaxBufferSize(wire.MaxAnswer))
	if err != nil {
		return nil, err
	}
	c.ZK = conn
	if err := c.Wait(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func newConn(cfg Config) *Conn {
	return &Conn{
		access: cfg.Access, watch: cfg.Watch, many: len(cfg.Servers), tell: cfg.Tell,
		change: make(chan struct{}), failed: map[string]string{},
	}
}

// Wait waits until there is a connection.
func (c *Conn) Wait(ctx context.Context) error {
	for {
		c.mu.Lock()
		up, change := c.up, c.change
		c.mu.Unlock()
		if up {
			return nil
		}
		select {
		case <-change:
		case <-ctx.Done():
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.told != "" {
				return fmt.Errorf("%s: %w", c.told, context.Cause(ctx))
			}
			return context.Cause(ctx)
		}
	}
}

func (c *Conn) dial(_, addr string, timeout time.Duration) (net.Conn, error) {
	conn, err := c.access.SessionWithin(addr, timeout)
	if err != nil {
		c.fail(addr, c.access.Reason(err))
		return nil, err
	}
	return &prompt{Conn: conn, refused: func(err error) { c.fail(addr, c.access.Reason(err)) }, why: func() error {
		ctx, cancel := context.WithTimeout(context.Background(), whyLimit)
		defer cancel()
		return c.access.Why(ctx, addr)
	}}, nil
}

// whyLimit is how long it may take to find out why a server gives no session.
const whyLimit = 3 * time.Second

// fail notes that a server cannot be reached. It is told once none can.
func (c *Conn) fail(addr, why string) {
	c.mu.Lock()
	c.failed[addr] = addr + ": " + why
	all := slices.Sorted(maps.Values(c.failed))
	c.mu.Unlock()
	if len(all) >= c.many {
		c.set(false, strings.Join(all, "; "))
	}
}

// prompt is a connection whose server must answer the handshake promptly. The library would wait for
// several times the session's timeout, also for a server that is only just starting.
type prompt struct {
	net.Conn
	refused func(error)  // is told why the server gives no session, or has ended it
	why     func() error // finds out why a server gives no session that says nothing
	greeted bool
}

// handshakeLimit is how long a server may take to answer a handshake.
const handshakeLimit = 2 * time.Second

func (p *prompt) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b)
	p.greeted = p.greeted || n > 0
	if err != nil && p.refused != nil {
		p.explain(err)
	}
	return n, err
}

// explain tells why the connection has ended, where that can be told.
func (p *prompt) explain(err error) {
	var said interface{ Sentence() sentence.Sentence }
	switch {
	case errors.As(err, &said):
		p.refused(err)
	case !p.greeted && !errors.Is(err, net.ErrClosed):
		p.refused(p.why())
	}
}

func (p *prompt) SetReadDeadline(t time.Time) error {
	if limit := time.Now().Add(handshakeLimit); !p.greeted && t.After(limit) {
		t = limit
	}
	return p.Conn.SetReadDeadline(t)
}

// event is called by the library for whatever happens.
func (c *Conn) event(e zk.Event) {
	if e.Type != zk.EventSession {
		if c.watch != nil {
			c.watch(e)
		}
		return
	}
	switch e.State {
	case zk.StateHasSession:
		c.set(true, e.Server)
	case zk.StateExpired:
		c.SetExpired(true)
	case zk.StateDisconnected:
		c.set(false, c.parted(e.Server))
	}
}

// parted is what it means that the library has hung up.
func (c *Conn) parted(server string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if why, ok := c.failed[server]; ok {
		return why
	}
	return server + ": the connection is lost"
}

// set tells of a change, once.
func (c *Conn) set(up bool, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.up != up {
		c.up = up
		close(c.change)
		c.change = make(chan struct{})
	} else if up || c.told != "" {
		return
	}
	c.told = text
	if up {
		c.told = ""
		clear(c.failed)
	}
	if c.tell != nil {
		c.tell(up, text)
	}
}

// SetExpired notes whether the session has expired since this was last asked, and with it all that is ephemeral. It
// returns what was noted before.
func (c *Conn) SetExpired(expired bool) (was bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	was, c.expired = c.expired, expired
	return was
}

// Close disconnects, without telling anybody.
func (c *Conn) Close() {
	c.mu.Lock()
	c.tell = nil
	c.mu.Unlock()
	c.ZK.Close()
}
