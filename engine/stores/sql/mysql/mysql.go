// Package mysql connects to a real MySQL or MariaDB: it has a remote.Conn for the client of package sql. Each statement
// is one message, in the text that the log shows.
package mysql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
	"github.com/zkviz/zkviz/engine/stores/sql"
)

// Config says how to connect to the database.
type Config struct {
	Addr     string // host:port
	User     string
	Password string
	// Database is the database with the tables: the name passed to sql.Create.
	Database string
	// TLS says whether the connection is encrypted: "" or "false" for no, "true", or "skip-verify".
	TLS string
}

// Conn is a connection. It implements remote.Conn, and returns program.ErrStopped when its context has ended.
type Conn struct {
	ctx    context.Context
	cfg    Config
	dialer driver.Connector
	db     session // nil for none
	opened int
}

// session is the driver's connection.
type session interface {
	driver.Conn
	driver.ExecerContext
	driver.QueryerContext
}

var _ remote.Conn = (*Conn)(nil)

// Open connects, so that a wrong password, a missing database and an unreachable host are found at once. The error says
// which it is, and never contains a password.
func Open(ctx context.Context, cfg Config) (*Conn, error) { return connect(ctx, cfg, nil) }

// connect is Open with a dialer for network connections.
func connect(ctx context.Context, cfg Config, dial real.Dialer) (*Conn, error) {
	c := &Conn{ctx: ctx, cfg: cfg}
	of := mysql.NewConfig()
	of.Net, of.Addr, of.User, of.Passwd, of.DBName = "tcp", cfg.Addr, cfg.User, cfg.Password, cfg.Database
	of.TLSConfig, of.Timeout, of.Logger, of.DialFunc = cfg.TLS, openTimeout, &mysql.NopLogger{}, dial
	var err error
	if c.dialer, err = mysql.NewConnector(of); err != nil {
		return nil, fmt.Errorf("MySQL at %s: the settings of the connection are wrong", cfg.Addr)
	}
	if err := c.open(); err != nil {
		return nil, c.explain(err)
	}
	return c, nil
}

// explain says in a sentence why a connection couldn't be opened.
func (c *Conn) explain(err error) error {
	var e *mysql.MySQLError
	var op *net.OpError
	var dns *net.DNSError
	switch {
	case errors.As(err, &e):
		return c.refused(e)
	case c.ctx.Err() != nil:
		return program.ErrStopped
	case errors.As(err, &dns):
		return fmt.Errorf("MySQL at %s cannot be reached: no host has that name", c.cfg.Addr)
	case errors.As(err, &op):
		return fmt.Errorf("MySQL at %s cannot be reached: %w", c.cfg.Addr, op.Err)
	}
	return fmt.Errorf("MySQL at %s cannot be used: it does not answer, or requires another kind of authentication",
		c.cfg.Addr)
}

// refused says why the database refused a connection.
func (c *Conn) refused(e *mysql.MySQLError) error {
	at := c.cfg.Addr
	switch e.Number {
	case 1045, 1698, 1130:
		return real.Refused(fmt.Sprintf("MySQL at %s refuses the user %q: wrong password, or not allowed (%d)", at,
			c.cfg.User, e.Number))
	case 1049, 1044:
		return real.Refused(fmt.Sprintf("MySQL at %s has no database %q, or not for the user %q", at, c.cfg.Database,
			c.cfg.User))
	case 1040, 1203, 1226:
		return real.Refused(fmt.Sprintf("MySQL at %s takes no more connections: run fewer clients, or raise its "+
			"max_connections", at))
	}
	return real.Refused(fmt.Sprintf("MySQL at %s: %s (%d)", at, e.Message, e.Number))
}

// openTimeout is how long connecting may take.
const openTimeout = 10 * time.Second

func (c *Conn) open() error {
	ctx, cancel := context.WithTimeout(c.ctx, openTimeout)
	defer cancel()
	conn, err := c.dialer.Connect(ctx)
	if err != nil {
		return err
	}
	db, ok := conn.(session)
	if !ok {
		_ = conn.Close()
		return errors.New("the driver cannot run a statement without preparing it")
	}
	for _, s := range []string{
		"SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ", "SET SESSION sql_mode = 'STRICT_TRANS_TABLES'",
	} {
		if _, err := db.ExecContext(ctx, s, nil); err != nil {
			_ = db.Close()
			return err
		}
	}
	c.db = db
	c.opened++
	return nil
}

// Opened implements remote.Conn.
func (c *Conn) Opened() int { return c.opened }

// Close implements remote.Conn.
func (c *Conn) Close() {
	if c.db != nil {
		_ = c.db.Close()
		c.db = nil
	}
}

// Next implements remote.Conn. MySQL has no notifications.
func (c *Conn) Next(time.Duration) (remote.Push, error) {
	return remote.Push{}, errors.New("MySQL has no notifications")
}

// Do implements remote.Conn.
func (c *Conn) Do(r remote.Request) (remote.Reply, error) {
	call, ok := r.Body.(*sql.Call)
	if !ok {
		return remote.Reply{}, fmt.Errorf("%T is not a statement", r.Body)
	}
	switch {
	case c.ctx.Err() != nil:
		return remote.Reply{}, program.ErrStopped
	case r.On != 0 && (c.db == nil || r.On != c.opened):
		return remote.Reply{}, program.ErrLost
	case c.db == nil && c.open() != nil:
		return remote.Reply{}, c.lose()
	}
	result, err := c.run(call)
	var e *mysql.MySQLError
	switch {
	case err == nil:
		return sql.Reply(sql.MySQL, call.Statement, &result), nil
	case errors.As(err, &e):
		return sql.Failure(&sql.Error{State: string(e.SQLState[:]), Number: int(e.Number), Message: e.Message}), nil
	}
	return remote.Reply{}, c.lose()
}

// lose drops the connection.
func (c *Conn) lose() error {
	c.Close()
	if c.ctx.Err() != nil {
		return program.ErrStopped
	}
	return program.ErrLost
}

func (c *Conn) run(call *sql.Call) (sql.Result, error) {
	s, text := call.Statement, call.SQL(sql.MySQL)
	if s.Shows(sql.MySQL) {
		rows, err := c.Query(text)
		if err != nil || len(rows) == 0 {
			return sql.Decode(s, sql.MySQL, 0, nil), err
		}
		return sql.Decode(s, sql.MySQL, 0, rows[0]), nil
	}
	done, err := c.db.ExecContext(c.ctx, text, nil)
	if err != nil {
		return sql.Result{}, err
	}
	rows, _ := done.RowsAffected()
	if s == sql.Commit {
		rows = 1
	}
	result := sql.Decode(s, sql.MySQL, rows, nil)
	if (s == sql.TakeLease || s == sql.PutJob) && rows > 0 {
		result.N, _ = done.LastInsertId()
	}
	return result, nil
}

// Query runs a statement given as SQL, and returns its rows as text.
func (c *Conn) Query(text string) (all [][]string, err error) {
	if c.db == nil {
		return nil, program.ErrLost
	}
	rows, err := c.db.QueryContext(c.ctx, text, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	values := make([]driver.Value, len(rows.Columns()))
	for {
		switch err := rows.Next(values); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		row := make([]string, 0, len(values))
		for _, v := range values {
			row = append(row, asText(v))
		}
		all = append(all, row)
	}
}

// asText returns a column's value as text, "" for NULL.
func asText(v driver.Value) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []byte:
		return string(v)
	}
	return fmt.Sprint(v)
}
