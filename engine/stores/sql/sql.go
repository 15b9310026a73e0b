// Package sql is all that a recipe may use of a database: a typed client of one connection, and the statements that it
// may run, for PostgreSQL and for MySQL.
//
// It opens no connection: engine/host/sim, engine/stores/sql/pg and engine/stores/sql/mysql do. It writes
// statements and never parses one: their meaning is known to databases and, for these few, to
// engine/stores/sql/model.
package sql

import (
	"errors"
	"time"

	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// Client is one connection to a database. Every call waits for its reply. An error other than *Error is
// program.ErrLost, if the statement may or may not have been executed, or program.ErrStopped.
//
// Each statement is a transaction of its own, except between Begin and Commit or Rollback.
type Client struct {
	conn    remote.Conn
	dialect Dialect
	within  int // connection of the open transaction, as Opened counts, 0 for none
}

// New returns a client on a connection to a database of the dialect.
func New(conn remote.Conn, d Dialect) *Client { return &Client{conn: conn, dialect: d} }

// Dialect returns the database's dialect.
func (c *Client) Dialect() Dialect { return c.dialect }

// Close closes the connection. Once the database notices, it rolls back an open transaction and frees advisory locks.
func (c *Client) Close() {
	c.conn.Close()
	c.within = 0
}

// Opened returns how often the connection has been opened.
func (c *Client) Opened() int { return c.conn.Opened() }

// Do runs a statement. In a transaction whose connection is gone it returns program.ErrLost without sending it: on
// another connection it would be a transaction of its own.
func (c *Client) Do(call Call) (Result, error) {
	r := Request(c.dialect, &call)
	r.On = c.within
	reply, err := c.conn.Do(r)
	if err != nil {
		return Result{}, err
	}
	switch v := reply.Body.(type) {
	case *Error:
		return Result{}, v
	case *Result:
		return *v, nil
	}
	return Result{}, nil
}

// Begin begins a transaction.
func (c *Client) Begin() error {
	c.within = 0
	if _, err := c.Do(Call{Statement: Begin}); err != nil {
		return err
	}
	c.within = c.conn.Opened()
	return nil
}

// Commit ends the transaction, and reports whether it is committed: PostgreSQL rolls back one with a failed statement,
// and that is no error. After program.ErrLost it may or may not be committed.
func (c *Client) Commit() (bool, error) {
	r, err := c.Do(Call{Statement: Commit})
	c.within = 0
	return r.Rows == 1, err
}

// Rollback undoes the transaction. If the connection is lost, the database does so, and that is no error.
func (c *Client) Rollback() error {
	_, err := c.Do(Call{Statement: Rollback})
	c.within = 0
	if errors.Is(err, program.ErrLost) {
		return nil
	}
	return err
}

// Next waits for the next notification, for at most timeout, unless that is 0: then it returns program.ErrTimeout.
func (c *Client) Next(timeout time.Duration) (message string, err error) {
	p, err := c.conn.Next(timeout)
	return p.Text, err
}
