package mysql

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strings"
	"sync"

	"github.com/go-sql-driver/mysql"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
	"github.com/zkviz/zkviz/engine/stores/sql"
)

// Wire is a connection of a run. It implements real.Wire: Receive executes what Send was given.
type Wire struct {
	conn   *Conn
	socket net.Conn
	calls  chan remote.Request
	over   chan struct{}
	end    sync.Once
}

// usualPort is the default port of MySQL.
const usualPort = "3306"

// Parse parses the address and the credentials of a server: mysql://user:password@host:port/database?tls=true, or
// host:port, or the Go driver's user:password@tcp(host:port)/database. The database must exist; a run creates its own.
// Errors never contain the password.
func Parse(text string) (Config, error) {
	bad := errors.New("write the address of MySQL as host:port or mysql://user:password@host:port")
	if strings.Contains(text, "@tcp(") || strings.HasPrefix(text, "tcp(") {
		of, err := mysql.ParseDSN(text)
		if err != nil {
			return Config{}, bad
		}
		return Config{Addr: of.Addr, User: of.User, Password: of.Passwd, Database: of.DBName, TLS: of.TLSConfig}, nil
	}
	if !strings.Contains(text, "://") {
		text = "mysql://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "mysql" && u.Scheme != "mariadb" || u.Hostname() == "" || u.Fragment != "" {
		return Config{}, bad
	}
	cfg := Config{Addr: u.Host, User: u.User.Username(), Database: strings.Trim(u.Path, "/"), TLS: u.Query().Get("tls")}
	cfg.Password, _ = u.User.Password()
	if u.Port() == "" {
		cfg.Addr = net.JoinHostPort(u.Hostname(), usualPort)
	}
	if cfg.User == "" {
		cfg.User = "root"
	}
	return cfg, nil
}

// Node returns the server as a node of a run with that root.
func (cfg Config) Node(root string) real.Node {
	own := cfg
	own.Database = databases + real.ID(root)
	return real.Node{
		At:   cfg.Addr,
		Dial: func(ctx context.Context, dial real.Dialer) (real.Wire, error) { return own.Dial(ctx, dial) },
		Shadow: func(id event.Actor, emit func(event.Event) event.Seq) remote.Shadow {
			return sql.NewShadow(id, sql.MySQL, emit)
		},
		Begin: func(ctx context.Context, _ string) error {
			return cfg.admin(ctx, func(a *admin) error { return a.begin(own.Database) })
		},
		Remove: func(ctx context.Context, _ string, _ []string) error {
			return cfg.admin(ctx, func(a *admin) error { return a.remove(own.Database) })
		},
	}
}

// Dial connects.
func (cfg Config) Dial(ctx context.Context, dial real.Dialer) (*Wire, error) {
	w := &Wire{calls: make(chan remote.Request, 1), over: make(chan struct{})}
	conn, err := connect(ctx, cfg, func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		w.socket = c
		return c, err
	})
	if err != nil {
		return nil, err
	}
	w.conn = conn
	w.conn.ctx = context.Background() // the end of a run doesn't cancel a request
	return w, nil
}

// Send implements real.Wire.
func (w *Wire) Send(r remote.Request) error {
	select {
	case <-w.over:
		return net.ErrClosed
	case w.calls <- r:
		return nil
	}
}

// Receive implements real.Wire.
func (w *Wire) Receive() (*remote.Reply, *remote.Push, error) {
	select {
	case <-w.over:
		w.conn.Close()
		return nil, nil, net.ErrClosed
	case r := <-w.calls:
		r.On = 0 // it is known to be for this connection
		reply, err := w.conn.Do(r)
		return &reply, nil, err
	}
}

// Close implements real.Wire. It only closes the connection.
func (w *Wire) Close() error {
	w.end.Do(func() { close(w.over) })
	return w.socket.Close()
}
