package recipes

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// forUpdate locks the row that it is going to change, until its transaction ends. The database frees it when the
// connection ends, and takes back what was not committed: a late holder changes nothing.
type forUpdate struct{ kit.Tickets }

// Lock begins a transaction and locks the row, which it makes first if nobody has: without a row nothing is locked.
func (l forUpdate) Lock(w systems.World) (row sql.Row, err error) {
	w.Phase(program.Waiting, program.Subject{Path: l.Path()})
	for {
		there := false
		if err = l.Begin(); err == nil {
			row, there, err = l.ReadForUpdate(l.ID)
		}
		if there && err == nil {
			return row, nil
		}
		if err == nil {
			err = l.put()
		}
		if err != nil && !kit.Unknown(err) {
			return row, err
		}
	}
}

// put makes the row, in a transaction of its own.
func (l forUpdate) put() error {
	if err := l.Rollback(); err != nil {
		return err
	}
	return l.Offer()
}

// sell sells a ticket in the transaction, once work is done.
func (l forUpdate) sell(w systems.World, work func() error) error {
	row, err := l.Lock(w)
	if err != nil {
		return err
	}
	held := program.Subject{Path: l.Path(), Fence: row.Version}
	w.Phase(program.Holding, held)
	if err := work(); err != nil {
		return err
	}
	if _, err := l.Write(l.ID, row.N-1); err != nil {
		w.Phase(program.Lost, held)
		return err
	}
	// Anyone who leaves is out before the next is let in, not after.
	w.Phase(program.Released, held)
	if _, err := l.Commit(); !kit.Unknown(err) {
		return err
	}
	w.Note("The reply to COMMIT is lost: the ticket may be sold or not.")
	return nil
}

// sellForUpdate sells a ticket. If the transaction is lost while it works, nothing has happened: it begins anew.
func sellForUpdate(w systems.World, l forUpdate, p recipe.Params) error {
	return kit.Insist(func() error {
		return l.sell(w, func() error { return kit.Print(w, p.Hold) })
	})
}

var forUpdateRecipe = recipe.Recipe{
	Kind:     recipe.Right,
	Name:     "db-for-update",
	File:     "db_for_update.go",
	Promises: []string{promise.TruthExclusion, promise.NoLostUpdate},
	// It lasts as long as the connection, as the database sees it: of one that goes in silence it learns hours later.
	Limits: []string{promise.BeliefExclusion, promise.Progress, promise.Clean},
	Harms:  []string{"cut", "drop", "vanish", "restart"},
	Sources: []string{"PostgreSQL documentation, Explicit locking: Row-level locks",
		"A Japanese article on locks: SELECT FOR UPDATE"},
	MinClients: 1,
	Contest:    recipe.Once(),
	Systems:    kit.OneDatabase(),
	Keeps:      []string{"stock/tickets"},
	Drawing:    event.Drawing{Kind: event.DrawName, Gate: "stock/tickets", Stores: kit.Printer()},
	Main: func(w systems.World, p recipe.Params) error {
		l := forUpdate{kit.NewTickets(w, p)}
		return kit.Repeat(w, p, func(p recipe.Params) error { return sellForUpdate(w, l, p) })
	},
}
