package kit

import (
	"errors"
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// OneDatabase is a database that nobody replicates: PostgreSQL, unless a run says another one.
func OneDatabase() []event.System { return []event.System{{Kind: event.PostgresSystem, Servers: 1}} }

// Database is a client on a connection of its own.
func Database(w systems.World, p Params) *sql.Client { return sql.New(w.Connect(1), p.Database) }

// RowLock is a row of a database that is a lock, and says whose it is.
type RowLock struct {
	*sql.Client
	Name  string
	Lease time.Duration
	Owner string // the client, in its present turn

	turns int // that the client has had
}

// NewRowLock is the lock of a run, whose tables are its own.
func NewRowLock(w systems.World, p Params) *RowLock {
	return &RowLock{Client: Database(w, p), Name: "lock", Lease: p.Lease}
}

// NextTurn has Owner be what nobody else is, and no other turn of the same client.
func (l *RowLock) NextTurn(c program.Process) {
	l.turns++
	l.Owner = fmt.Sprintf("%s#%d", c.Name(), l.turns)
}

// Undone reports that a database has undone a statement, and the transaction that it was part of, since it waited for
// somebody who waited for it. In InnoDB that happens to those who insert the same row while somebody else deletes it.
func Undone(err error) bool {
	e := (*sql.Error)(nil)
	return errors.As(err, &e) && e.Deadlock()
}

// Tickets is a row that says how many tickets are left. Everybody sells one a turn: in the end none is.
type Tickets struct {
	*sql.Client
	ID string

	offered int64 // at first
}

// NewTickets is the row of a run.
func NewTickets(w systems.World, p Params) Tickets {
	return Tickets{Client: Database(w, p), ID: "tickets", offered: int64(p.Clients * p.Rounds)}
}

// Path is the row's in the log.
func (t Tickets) Path() string { return sql.Path(sql.Stock, t.ID) }

// Offer makes the row, unless somebody else has.
func (t Tickets) Offer() error { return MakeRow(t.Client, t.ID, t.offered) }

// MakeRow makes a row, unless it is there.
func MakeRow(c *sql.Client, id string, n int64) error {
	return Insist(func() error {
		err := c.Insert(id, n)
		if IsThere(err) {
			return nil
		}
		return err
	})
}

// IsThere reports that a row was not made, since there is one.
func IsThere(err error) bool {
	e := (*sql.Error)(nil)
	return errors.As(err, &e) && e.Duplicate()
}

// Look reads the row, which is there once somebody has looked for it, and says what it has read.
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
