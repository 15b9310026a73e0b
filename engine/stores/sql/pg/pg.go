// Package pg connects to a real PostgreSQL: it has a remote.Conn for the client of package sql. Each statement is one
// message of the simple protocol, in the text that the log shows.
package pg

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
	"github.com/zkviz/zkviz/engine/stores/sql"
)

// Config says how to connect to the database.
type Config struct {
	// URL has libpq's form: postgres://user:password@host:port/database?sslmode=require.
	URL string
	// Schema is the schema with the tables: the name passed to sql.Create.
	Schema string
}

// Conn is a connection. It implements remote.Conn, and returns program.ErrStopped when its context has ended.
type Conn struct {
	ctx    context.Context
	cfg    *pgconn.Config
	pg     *pgconn.PgConn // nil for none
	last   *pgconn.PgConn // latest, open or not
	opened int
	pushes []remote.Push
}

var _ remote.Conn = (*Conn)(nil)

// Open connects, so that a wrong password, a missing database and an unreachable host are found at once. The error says
// which it is, and never contains a password.
func Open(ctx context.Context, cfg Config) (*Conn, error) {
	parsed, err := cfg.parse()
	if err != nil {
		return nil, err
	}
	return connect(ctx, parsed)
}

// connect is Open with a parsed Config.
func connect(ctx context.Context, cfg *pgconn.Config) (*Conn, error) {
	c := &Conn{ctx: ctx, cfg: cfg}
	cfg.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) {
		c.pushes = append(c.pushes, remote.Push{Path: n.Channel, Text: event.Preview([]byte(n.Payload)), Body: n.Payload})
	}
	if err := c.open(); err != nil {
		return nil, c.explain(err)
	}
	return c, nil
}

func (cfg Config) parse() (*pgconn.Config, error) {
	parsed, err := pgconn.ParseConfig(cfg.URL)
	if err != nil {
		return nil, errors.New("the address of the PostgreSQL server is invalid: " +
			"write it like postgres://user:password@host:5432/database")
	}
	for name, value := range map[string]string{
		"application_name": "zkviz", "default_transaction_isolation": "read committed", "standard_conforming_strings": "on",
	} {
		parsed.RuntimeParams[name] = value
	}
	if cfg.Schema != "" {
		parsed.RuntimeParams["search_path"] = `"` + strings.ReplaceAll(cfg.Schema, `"`, `""`) + `"`
	}
	return parsed, nil
}

// explain says in a sentence why a connection couldn't be opened.
func (c *Conn) explain(err error) error {
	at := net.JoinHostPort(c.cfg.Host, fmt.Sprint(c.cfg.Port))
	var e *pgconn.PgError
	var op *net.OpError
	var dns *net.DNSError
	switch {
	case errors.As(err, &e):
		return c.refused(at, e)
	case errors.As(err, &dns):
		return fmt.Errorf("PostgreSQL at %s cannot be reached: no host has that name", at)
	case errors.As(err, &op):
		return fmt.Errorf("PostgreSQL at %s cannot be reached: %w", at, op.Err)
	case c.ctx.Err() != nil:
		return program.ErrStopped
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("PostgreSQL at %s cannot be reached: it does not answer", at)
	}
	return fmt.Errorf("PostgreSQL at %s cannot be used: it requires other TLS settings or authentication", at)
}

// refused says why the database refused a connection. If it is just starting or stopping, that will pass.
func (c *Conn) refused(at string, e *pgconn.PgError) error {
	switch {
	case e.Code == "28P01" || e.Code == "28000":
		return real.Refused(fmt.Sprintf("PostgreSQL at %s refuses the user %q: wrong password, or not allowed (%s)", at,
			c.cfg.User, e.Code))
	case e.Code == "3D000":
		return real.Refused(fmt.Sprintf("PostgreSQL at %s has no database %q: create it, or name another", at,
			c.cfg.Database))
	case e.Code == "53300":
		return real.Refused(fmt.Sprintf("PostgreSQL at %s takes no more connections: run fewer clients, or raise its "+
			"max_connections", at))
	case strings.HasPrefix(e.Code, "57"):
		return fmt.Errorf("PostgreSQL at %s: %s (%s)", at, e.Message, e.Code)
	}
	return real.Refused(fmt.Sprintf("PostgreSQL at %s: %s (%s)", at, e.Message, e.Code))
}

// openTimeout is how long connecting may take.
const openTimeout = 10 * time.Second

func (c *Conn) open() error {
	ctx, cancel := context.WithTimeout(c.ctx, openTimeout)
	defer cancel()
	pg, err := pgconn.ConnectConfig(ctx, c.cfg)
	if err != nil {
		return err
	}
	c.pg, c.last = pg, pg
	c.opened++
	return nil
}

// Opened implements remote.Conn.
func (c *Conn) Opened() int { return c.opened }

// Close implements remote.Conn.
func (c *Conn) Close() {
	if c.pg != nil {
		_ = c.pg.Conn().Close()
		c.pg = nil
	}
}

// Do implements remote.Conn.
func (c *Conn) Do(r remote.Request) (remote.Reply, error) {
	call, ok := r.Body.(*sql.Call)
	if !ok {
		return remote.Reply{}, fmt.Errorf("%T is not a statement", r.Body)
	}
	if err := c.ready(r.On); err != nil {
		return remote.Reply{}, err
	}
	results, err := c.pg.Exec(c.ctx, call.SQL(sql.Postgres)).ReadAll()
	reply, err := Reply(call.Statement, results, err)
	if err != nil {
		return remote.Reply{}, c.lose()
	}
	return reply, nil
}

// Reply converts the result of one statement of the simple protocol. An error of the statement becomes a Reply; any
// other is returned.
func Reply(s sql.Statement, results []*pgconn.Result, err error) (remote.Reply, error) {
	var e *pgconn.PgError
	switch {
	case err == nil && len(results) == 1:
		result := decode(s, results[0])
		return sql.Reply(sql.Postgres, s, &result), nil
	case errors.As(err, &e) && e.Severity == "ERROR":
		return sql.Failure(&sql.Error{State: e.Code, Message: e.Message}), nil
	case err == nil:
		err = fmt.Errorf("one statement returned %d results", len(results))
	}
	return remote.Reply{}, err
}

// ready opens a connection if there is none, unless the request is for a connection that is gone.
func (c *Conn) ready(on int) error {
	if c.pg != nil && c.pg.IsClosed() {
		c.pg = nil
	}
	switch {
	case c.ctx.Err() != nil:
		return program.ErrStopped
	case on != 0 && (c.pg == nil || on != c.opened):
		return program.ErrLost
	case c.pg != nil:
		return nil
	}
	if c.open() != nil {
		return c.lose()
	}
	return nil
}

// lose drops the connection.
func (c *Conn) lose() error {
	c.Close()
	c.pushes = nil
	if c.ctx.Err() != nil {
		return program.ErrStopped
	}
	return program.ErrLost
}

func decode(s sql.Statement, r *pgconn.Result) sql.Result {
	rows := r.CommandTag.RowsAffected()
	if tag := r.CommandTag.String(); tag == "COMMIT" {
		rows = 1
	}
	var row []string
	if len(r.Rows) > 0 {
		for _, column := range r.Rows[0] {
			row = append(row, string(column))
		}
	}
	return sql.Decode(s, sql.Postgres, rows, row)
}

// Next implements remote.Conn.
func (c *Conn) Next(timeout time.Duration) (remote.Push, error) {
	if c.pg == nil {
		return remote.Push{}, program.ErrLost
	}
	ctx, cancel := c.ctx, context.CancelFunc(func() {})
	if timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, timeout)
	}
	defer cancel()
	for len(c.pushes) == 0 {
		err := c.pg.WaitForNotification(ctx)
		switch {
		case err == nil:
		case c.ctx.Err() == nil && ctx.Err() != nil && !c.pg.IsClosed():
			return remote.Push{}, program.ErrTimeout
		default:
			return remote.Push{}, c.lose()
		}
	}
	p := c.pushes[0]
	c.pushes = c.pushes[1:]
	return p, nil
}
