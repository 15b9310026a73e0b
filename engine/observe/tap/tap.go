package tap

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/engine/zookeeper/access"
)

// Config says where a tap listens and where it leads.
type Config struct {
	Listen  string   // host:port
	Servers []string // host:port of each server of the ensemble; at least one
	// TLS is the configuration for connections to servers; nil for plain connections. A server's certificate must
	// have its host's name, unless ServerName says otherwise.
	TLS   *tls.Config
	Conns int // limit of clients at a time; MaxConns if 0
	// Tell receives what the clients do, in the order of observation; it may be nil. While it runs, nothing else is
	// decoded, but everything passes.
	Tell func(Record)
	// Trouble receives lines for the operator; it may be nil. Several goroutines call it.
	Trouble func(error)
}

// Tap is a listening tap.
type Tap struct {
	cfg   Config
	ln    net.Listener
	began time.Time
	inbox *inbox
	next  atomic.Uint32 // the server for the next connection

	open    sync.Mutex
	pipes   map[*pipe]bool
	coming  int // connections whose server is not connected yet
	closed  bool
	refused atomic.Int64 // connections refused: too many, or no server in reach
	unheard atomic.Int64 // connections that came while decoding was too far behind
	all     sync.WaitGroup

	mu sync.Mutex // guards the decoded state
	*listener
}

// Listen opens the port; Serve starts serving. Listen refuses a tap that would lead to itself.
func Listen(cfg Config) (*Tap, error) {
	if len(cfg.Servers) == 0 {
		return nil, errors.New("a tap needs at least one server")
	}
	cfg.Conns = cmp.Or(cfg.Conns, MaxConns)
	if cfg.Trouble == nil {
		cfg.Trouble = func(error) {}
	}
	ln, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return nil, err
	}
	if server := leadsTo(cfg.Servers, ln.Addr()); server != "" {
		return nil, errors.Join(fmt.Errorf("the server %s is the tap itself: name the server behind it", server), ln.Close())
	}
	t := &Tap{cfg: cfg, ln: ln, began: time.Now(), inbox: newInbox(), pipes: map[*pipe]bool{}}
	t.listener = newListener(cfg.Servers, t.began, cfg.Tell)
	return t, nil
}

// leadsTo returns the server that is the listener at an address, or "".
func leadsTo(servers []string, listens net.Addr) string {
	here, ok := listens.(*net.TCPAddr)
	if !ok {
		return ""
	}
	ours, _ := net.InterfaceAddrs() // without them only an equal address is recognized
	for _, server := range servers {
		to, err := net.ResolveTCPAddr("tcp", server)
		if err != nil || to.Port != here.Port {
			continue // a client that connects gets the error
		}
		local := func(a net.Addr) bool {
			n, ok := a.(*net.IPNet)
			return ok && n.IP.Equal(to.IP)
		}
		if to.IP.Equal(here.IP) || here.IP.IsUnspecified() && (to.IP.IsLoopback() || slices.ContainsFunc(ours, local)) {
			return server
		}
	}
	return ""
}

// Addr returns the address that it listens on.
func (t *Tap) Addr() net.Addr { return t.ln.Addr() }

// Close closes the port of a tap that is not being served.
func (t *Tap) Close() error { return t.ln.Close() }

// Serve accepts connections until ctx ends. It then returns nil once all of them have ended.
func (t *Tap) Serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var understanding sync.WaitGroup
	over := make(chan struct{})
	understanding.Go(func() { t.decode(over) })
	defer understanding.Wait()
	defer close(over) // once all pieces have arrived
	defer t.all.Wait()
	defer t.shut()
	defer cancel()
	stop := context.AfterFunc(ctx, t.shut)
	defer stop()
	for {
		c, err := t.ln.Accept()
		switch {
		case ctx.Err() != nil:
			if err == nil {
				_ = c.Close()
			}
			return nil
		case errors.Is(err, net.ErrClosed):
			return err
		case err != nil: // perhaps too many files are open, and some may close soon
			t.cfg.Trouble(fmt.Errorf("accept a connection: %w", err))
			time.Sleep(10 * time.Millisecond)
		case t.admit():
			t.all.Go(func() { t.connect(ctx, c) })
		default:
			t.refused.Add(1)
			t.cfg.Trouble(fmt.Errorf("refuse %s: %d clients are connected, the most allowed", c.RemoteAddr(),
				t.cfg.Conns))
			_ = c.Close()
		}
	}
}

// shut closes everything.
func (t *Tap) shut() {
	t.open.Lock()
	defer t.open.Unlock()
	t.closed = true
	_ = t.ln.Close()
	for p := range t.pipes {
		p.reset()
	}
}

// admit reports whether there is room for one more connection, and reserves it.
func (t *Tap) admit() bool {
	t.open.Lock()
	defer t.open.Unlock()
	if t.closed || len(t.pipes)+t.coming >= t.cfg.Conns {
		return false
	}
	t.coming++
	return true
}

// connect connects a client to a server, and passes bytes on until they are done.
func (t *Tap) connect(ctx context.Context, client net.Conn) {
	server, n, err := t.dialNext(ctx)
	if err != nil {
		t.refused.Add(1)
		t.unregister(nil)
		reset(client)
		if ctx.Err() == nil {
			t.cfg.Trouble(fmt.Errorf("refuse %s: %w", client.RemoteAddr(), err))
		}
		return
	}
	p := &pipe{inbox: t.inbox, ends: [2]net.Conn{client, server}, from: client.RemoteAddr().String(), server: n}
	defer t.unregister(p)
	if !t.register(p) {
		p.reset()
		return
	}
	if p.heard = t.inbox.put(piece{pipe: p, kind: opened}); !p.heard {
		t.unheard.Add(1)
	}
	var ways sync.WaitGroup
	ways.Go(func() { p.forward(up) })
	p.forward(down)
	ways.Wait()
	_ = client.Close()
	_ = server.Close()
	if p.heard {
		t.inbox.put(piece{pipe: p, kind: ended, by: p.byServer, missed: p.ways[up].missed + p.ways[down].missed})
	}
}

// register registers a pipe, so that shut can close it. It reports false if the tap is already closed.
func (t *Tap) register(p *pipe) bool {
	t.open.Lock()
	defer t.open.Unlock()
	t.coming--
	t.pipes[p] = true
	return !t.closed
}

// unregister releases the place of a pipe, or of a connection that has not become one.
func (t *Tap) unregister(p *pipe) {
	t.open.Lock()
	defer t.open.Unlock()
	if p == nil {
		t.coming--
		return
	}
	delete(t.pipes, p)
}

// dialNext connects to the next server, or if that fails, to the following ones. It returns the last error.
func (t *Tap) dialNext(ctx context.Context) (c net.Conn, n int, err error) {
	first := int(t.next.Add(1) - 1)
	for i := range t.cfg.Servers {
		n = (first + i) % len(t.cfg.Servers)
		if c, err = t.dial(ctx, t.cfg.Servers[n]); err == nil {
			return c, n, nil
		}
	}
	return nil, 0, fmt.Errorf("no server can be reached: %w", err)
}

func (t *Tap) dial(ctx context.Context, addr string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialWithin)
	defer cancel()
	return access.Dialer{TLS: t.cfg.TLS}.Open(ctx, addr)
}
