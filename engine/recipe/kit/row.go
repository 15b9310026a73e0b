package kit

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// OneDatabase returns one unreplicated database: PostgreSQL, unless a run names another.
func OneDatabase() []event.System { return []event.System{{Kind: event.PostgresSystem, Servers: 1}} }

// OneInnoDB returns one unreplicated MariaDB, unless a run names another database.
func OneInnoDB() []event.System { return []event.System{{Kind: event.MySQLSystem, Servers: 1}} }

// Database returns a client with a connection of its own.
func Database(w systems.World, p recipe.Params) *sql.Client { return sql.New(w.Connect(1), p.Database) }

// RowLock is a database row used as a lock; it names its owner.
type RowLock struct {
	*sql.Client
	Name  string
	Lease time.Duration
	Polls recipe.Poll // how a client that was refused tries again
	Owner string      // the client, in its present turn

	turns int // of the client so far
}

// NewRowLock returns the lock of a run, which has its own tables.
func NewRowLock(w systems.World, p recipe.Params) *RowLock {
	return &RowLock{Client: Database(w, p), Name: "lock", Lease: p.Lease, Polls: p.Polling()}
}

// NextTurn sets Owner to a unique value, different also in each turn of the same client.
func (l *RowLock) NextTurn(c program.Process) {
	l.turns++
	l.Owner = fmt.Sprintf("%s#%d", c.Name(), l.turns)
}

// Undone reports whether a database rolled back a statement and its transaction because of a deadlock. In InnoDB that
// happens to those who insert the same row while somebody else deletes it.
func Undone(err error) bool {
	e := (*sql.Error)(nil)
	return errors.As(err, &e) && e.Deadlock()
}

// Tickets is a row with the number of tickets left. Each client sells one a turn: in the end none is left.
type Tickets struct {
	*sql.Client
	ID string

	offered int64  // at first
	ticket  string // that the client sells this turn, as its customer knows it
}

// NewTickets returns the row of a run.
func NewTickets(w systems.World, p recipe.Params) Tickets {
	return Tickets{Client: Database(w, p), ID: "tickets", offered: int64(p.Clients * p.Rounds)}
}

// EachTicket calls do for each ticket that a client sells.
func EachTicket(w systems.World, p recipe.Params, do func(t Tickets, hold time.Duration) error) error {
	t, turns := NewTickets(w, p), 0
	return Repeat(w, p, func(p recipe.Params) error {
		t.ticket = event.Actor(p.Index).Letter() + "'s ticket"
		if turns++; turns > 1 {
			t.ticket += " " + strconv.Itoa(turns)
		}
		return do(t, p.Hold)
	})
}

// Serve does the work for a customer, before the row says that a ticket is sold.
func (t Tickets) Serve(w systems.World, hold time.Duration) error {
	return WriteAndWork(w, sales, hold, t.ticket+" "+event.TaskTaken)
}

// Sold gives the customer the ticket.
func (t Tickets) Sold(w systems.World) error { return w.Write(sales, t.ticket+" "+event.TaskDone, 0) }

// Path returns the row's path in the log.
func (t Tickets) Path() string { return sql.Path(sql.Stock, t.ID) }

// Offer inserts the row, unless somebody else has.
func (t Tickets) Offer() error { return MakeRow(t.Client, t.ID, t.offered) }

// MakeRow inserts a row, unless it exists.
func MakeRow(c *sql.Client, id string, n int64) error {
	return Insist(func() error {
		err := c.Insert(id, n)
		if IsThere(err) {
			return nil
		}
		return err
	})
}

// IsThere reports whether an insert failed because the row exists.
func IsThere(err error) bool {
	e := (*sql.Error)(nil)
	return errors.As(err, &e) && e.Duplicate()
}

// Look reads the row, inserts it first if it is missing, and reports what it has read.
func (t Tickets) Look(w systems.World) (sql.Row, error) {
	for {
		r, there, err := t.Read(t.ID)
		switch {
		case Unknown(err):
		case err != nil:
			return r, err
		case there:
			w.Phase(program.Saw, program.Subject{Path: t.Path(), Fence: r.Version})
			return r, nil
		default:
			if err := t.Offer(); err != nil {
				return r, err
			}
		}
	}
}
