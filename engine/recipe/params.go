package recipe

import (
	"cmp"
	"time"

	"github.com/zkviz/zkviz/engine/event/arrival"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stores/sql"
)

// Params are the arguments of Main.
type Params struct {
	Root    string // the znode to work under; on other systems, keys, tables and rows begin with it
	Index   int    // of this client, from 1
	Role    string // of this client, if the scenario sets one; see RoleOr
	Clients int
	Rounds  int           // how often to do it
	Lease   time.Duration // how long a lock lasts without renewal, as a session's timeout does on ZooKeeper
	Hold    time.Duration // how long to hold the lock, or program.UntilSettled
	Poll    Poll          // how refused clients try again; see Polling
	// Visits says when each round begins, at the earliest, and how long Hold is in it; by default nothing.
	Visits []arrival.Visit

	Database sql.Dialect // the SQL dialect of the database
	Store    string      // that holders write to, one of the recipe's OtherStores; empty for the usual one
}

// RoleOr returns the client's role: the scenario's, or else the usual one.
func (p Params) RoleOr(usual func(index, clients int) string) string {
	return cmp.Or(p.Role, usual(p.Index, p.Clients))
}

// Polling returns how the recipe's clients poll: leisurely by default.
func (p Params) Polling() Poll { return cmp.Or(p.Poll, Leisurely()) }

// Round waits until round n, from 0, is to begin, and returns its Params. Without Visits it begins at
// once.
func (p Params) Round(c program.Process, n int) (Params, error) {
	if n >= len(p.Visits) {
		return p, nil
	}
	v := p.Visits[n]
	p.Hold = cmp.Or(v.For, p.Hold)
	if early := v.At - c.Now(); early > 0 {
		return p, c.Sleep(early)
	}
	return p, nil
}
