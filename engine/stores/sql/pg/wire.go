package pg

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
	"github.com/zkviz/zkviz/engine/stores/sql"
)

// Wire is a connection of a run. It implements real.Wire: Receive executes what Send was given, and waits for
// notifications meanwhile.
type Wire struct {
	conn   *Conn
	socket net.Conn
	calls  chan remote.Request
	over   chan struct{}
	end    sync.Once

	mu   sync.Mutex
	wake context.CancelFunc // makes Receive look for a call
}

// oldest is the first version that has everything that the statements need.
const oldest = 11

// Parse parses the address of a database: a URL, host:port, or host. Errors never contain the password.
func Parse(text string) (Config, error) {
	cfg := Config{URL: text}
	if !strings.Contains(text, "://") && !strings.Contains(text, "=") {
		cfg.URL = "postgres://" + text
	}
	_, err := cfg.parse()
	return cfg, err
}

// at returns the database's address.
func (cfg Config) at() string {
	parsed, err := cfg.parse()
	if err != nil {
		return ""
	}
	return net.JoinHostPort(parsed.Host, strconv.Itoa(int(parsed.Port)))
}

// Node returns the database as a node of a run with that root.
func (cfg Config) Node(root string) real.Node {
	cfg.Schema = schemaOf(root)
	return real.Node{
		At:   cfg.at(),
		Dial: func(ctx context.Context, dial real.Dialer) (real.Wire, error) { return cfg.Dial(ctx, dial) },
		Shadow: func(id event.Actor, emit func(event.Event) event.Seq) remote.Shadow {
			return sql.NewShadow(id, sql.Postgres, emit)
		},
		Begin: func(ctx context.Context, _ string) error { return cfg.begin(ctx) },
		Remove: func(ctx context.Context, _ string, _ []string) error {
			return cfg.admin(ctx, func(a *admin) error { return a.remove(cfg.Schema) })
		},
	}
}

// Dial connects to a database on which recipes can run.
func (cfg Config) Dial(ctx context.Context, dial real.Dialer) (*Wire, error) {
	parsed, err := cfg.parse()
	if err != nil {
		return nil, err
	}
	w := &Wire{calls: make(chan remote.Request, 1), over: make(chan struct{})}
	parsed.RuntimeParams["application_name"] = cfg.Schema
	parsed.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if w.conn != nil {
			return nil, net.ErrClosed // the driver would cancel the statement
		}
		c, err := dial(ctx, network, addr)
		w.socket = c
		return c, err
	}
	conn, err := connect(ctx, parsed)
	if err != nil {
		return nil, err
	}
	w.conn = conn
	version := conn.pg.ParameterStatus("server_version")
	if major, _, _ := strings.Cut(version, "."); number(major) < oldest {
		_ = w.Close()
		return nil, real.Refused(fmt.Sprintf("PostgreSQL at %s is version %s: recipes need %d or later", parsed.Host, version,
			oldest))
	}
	return w, nil
}

// number parses the number at the start of a text.
func number(text string) int {
	i := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	if i < 0 {
		i = len(text)
	}
	n, _ := strconv.Atoi(text[:i])
	return n
}

// Send implements real.Wire.
func (w *Wire) Send(r remote.Request) error {
	select {
	case <-w.over:
		return net.ErrClosed
	case w.calls <- r:
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wake != nil {
		w.wake()
	}
	return nil
}

// Receive implements real.Wire.
func (w *Wire) Receive() (*remote.Reply, *remote.Push, error) {
	reply, push, err := w.next()
	if err != nil {
		w.conn.Close()
		if w.conn.last.IsClosed() {
			<-w.conn.last.CleanupDone()
		}
	}
	return reply, push, err
}

func (w *Wire) next() (*remote.Reply, *remote.Push, error) {
	for {
		if c := w.conn; len(c.pushes) > 0 {
			p := c.pushes[0]
			c.pushes = c.pushes[1:]
			return nil, &p, nil
		}
		ctx, cancel := context.WithCancel(context.Background())
		w.mu.Lock()
		w.wake = cancel
		w.mu.Unlock()
		select {
		case <-w.over:
			cancel()
			return nil, nil, net.ErrClosed
		case r := <-w.calls:
			cancel()
			r.On = 0 // it is known to be for this connection
			reply, err := w.conn.Do(r)
			return &reply, nil, err
		default:
		}
		err := w.conn.pg.WaitForNotification(ctx)
		woken := ctx.Err() != nil
		cancel()
		if err != nil && (!woken || w.conn.pg.IsClosed()) {
			return nil, nil, err
		}
	}
}

// Close implements real.Wire. It only closes the connection.
func (w *Wire) Close() error {
	w.end.Do(func() { close(w.over) })
	return w.socket.Close()
}

// schemaOf returns the schema of a run.
func schemaOf(root string) string { return schemas + real.ID(root) }

// The prefix of runs' schemas, and the table in each that says how long its run was alive.
const (
	schemas = "zkviz_run_"
	marks   = "run"
)

// adminTimeout is how long administrative work may take.
const adminTimeout = 20 * time.Second
