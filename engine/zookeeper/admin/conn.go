// Package admin is a program's own connection to a ZooKeeper, separate from its clients' connections. It reports
// when the servers become reachable or unreachable, and why, and receives watch events. engine/host/live manages its
// runs on one. Observers use engine/zookeeper/wire/reader instead, which cannot write.
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

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// SessionTimeout is the requested timeout. The shorter it is, the sooner the leftovers of a crashed program can be
// removed.
const SessionTimeout = 6 * time.Second

// Config describes a connection.
type Config struct {
	Servers []string      // host:port; required
	Access  access.Dialer // how connections are opened
	// Tell receives each change of reachability: the server, or the reason. It may be nil.
	Tell func(up bool, text string)
	// Watch receives every watch event. It may be nil.
	Watch func(zk.Event)
}

// Conn is a connection that the library reopens when it is lost. ZK is the library's connection.
type Conn struct {
	ZK *zk.Conn

	access access.Dialer
	watch  func(zk.Event)
	many   int // number of servers

	mu      sync.Mutex
	tell    func(up bool, text string)
	up      bool
	change  chan struct{} // closed when up changes
	told    string
	failed  map[string]string // why each server was out of reach, since the last connection
	expired bool
}

// Dial connects and waits for the connection.
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

// whyLimit is the time limit for finding out why a server gives no session.
const whyLimit = 3 * time.Second

// fail records that a server is out of reach. It is reported once all are.
func (c *Conn) fail(addr, why string) {
	c.mu.Lock()
	c.failed[addr] = addr + ": " + why
	all := slices.Sorted(maps.Values(c.failed))
	c.mu.Unlock()
	if len(all) >= c.many {
		c.set(false, strings.Join(all, "; "))
	}
}

// prompt is a connection whose server must answer the handshake promptly. The library would wait for several
// session timeouts, even for a server that is just starting.
type prompt struct {
	net.Conn
	refused func(error)  // receives the reason why the server gives no session or has ended it
	why     func() error // finds out why a silent server gives no session
	greeted bool
}

// handshakeLimit is the time limit for the answer to a handshake.
const handshakeLimit = 2 * time.Second

func (p *prompt) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b)
	p.greeted = p.greeted || n > 0
	if err != nil && p.refused != nil {
		p.explain(err)
	}
	return n, err
}

// explain reports why the connection has ended, if that is known.
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

// event handles the library's events.
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

// parted returns the reason for a lost connection.
func (c *Conn) parted(server string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if why, ok := c.failed[server]; ok {
		return why
	}
	return server + ": the connection is lost"
}

// set records a change and reports it once.
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

// SetExpired records whether the session has expired, and with it everything ephemeral. It returns the previous value.
func (c *Conn) SetExpired(expired bool) (was bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	was, c.expired = c.expired, expired
	return was
}

// Close disconnects without reporting it.
func (c *Conn) Close() {
	c.mu.Lock()
	c.tell = nil
	c.mu.Unlock()
	c.ZK.Close()
}
