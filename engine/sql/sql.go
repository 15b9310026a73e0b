// Package sql is all that a recipe may see of a database: a typed client of one connection, and the statements that it
// may run, for PostgreSQL and for MySQL.
//
// It is not a connection itself: engine/sim, engine/sql/pg and engine/sql/mysql have those. It writes statements and
// never reads one: what a text means is known to databases, and, of these few, to engine/sql/model.
package sql

import (
	"errors"
	"time"

	"github.com/zkviz/zkviz/engine/program"
	"github.com/zkviz/zkviz/engine/remote"
)

// Client is one connection to a database. Every call waits for its answer. An error that is no *Error is
// program.ErrLost, if it is not known whether the statement was carried out, or program.ErrStopped.
//
// Each statement is a transaction by itself, except between Begin and Commit or Rollback.
type Client struct {
	conn    remote.Conn
	dialect Dialect
	within  int // the connection that a transaction was begun on, as Opened counts, 0 for none
}

// New is a client on a connection to a database of the dialect.
func New(conn remote.Conn, d Dialect) *Client { return &Client{conn: conn, dialect: d} }

// Dialect is what the database speaks.
func (c *Client) Dialect() Dialect { return c.dialect }

// Close ends the connection: a transaction that is open is rolled back, and advisory locks are freed, once the
// database learns of it.
func (c *Client) Close() {
	c.conn.Close()
	c.within = 0
}

// Opened counts how often its connection has been opened.
func (c *Client) Opened() int { return c.conn.Opened() }

// Do runs a statement. One of a transaction whose connection is gone is not sent, but returns program.ErrLost: on
// another connection it would be a transaction by itself.
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

// Commit ends the transaction, and reports whether it is committed: PostgreSQL rolls one back of which a statement has
// failed, and that is no error. After program.ErrLost it may be committed or not.
func (c *Client) Commit() (bool, error) {
	r, err := c.Do(Call{Statement: Commit})
	c.within = 0
	return r.Rows == 1, err
}

// Rollback undoes the transaction. If the connection is lost the database does so, and that is no error.
func (c *Client) Rollback() error {
	_, err := c.Do(Call{Statement: Rollback})
	c.within = 0
	if errors.Is(err, program.ErrLost) {
		return nil
	}
	return err
}

// Next waits for the next notification, at most for timeout, unless that is 0: then it returns program.ErrTimeout.
func (c *Client) Next(timeout time.Duration) (message string, err error) {
	p, err := c.conn.Next(timeout)
	return p.Text, err
}
