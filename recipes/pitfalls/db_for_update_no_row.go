package pitfalls

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// noRow begins a transaction and locks the row that it is going to change, but takes no row for one that it may make:
// what is not there is not locked, and everybody who comes before the row does is inside.
type noRow struct{ kit.Tickets }

// Lock returns how many tickets there are: all, if nobody has written it down yet.
func (l noRow) Lock(w systems.World, all int64) (row sql.Row, err error) {
	w.Phase(program.Waiting, program.Subject{Path: l.Path()})
	there := false
	err = kit.Insist(func() error {
		err := l.Begin()
		if err == nil {
			row, there, err = l.ReadForUpdate(l.ID)
		}
		return err
	})
	if !there {
		row = sql.Row{N: all}
	}
	return row, err
}

// save writes the number, and makes the row if there is none.
func (l noRow) save(n int64) error {
	there, err := l.Write(l.ID, n)
	if err == nil && !there {
		err = l.Insert(l.ID, n)
	}
	return err
}

func (l noRow) sell(w systems.World, p recipe.Params) error {
	row, err := l.Lock(w, int64(p.Clients*p.Rounds))
	if err != nil {
		return err
	}
	held := program.Subject{Path: l.Path(), Fence: row.Version}
	w.Phase(program.Saw, held)
	w.Phase(program.Holding, held)
	if err := kit.Print(w, p.Hold); err != nil {
		return err
	}
	err = l.save(row.N - 1)
	w.Phase(program.Released, held)
	if err == nil {
		_, err = l.Commit()
	}
	for kit.Unknown(err) || kit.Undone(err) || kit.IsThere(err) {
		w.Note("not saved: somebody has made the row meanwhile, or the connection is lost. Once more.")
		if err = l.Rollback(); err == nil {
			err = l.save(row.N - 1)
		}
	}
	return err
}

var noRowRecipe = recipe.Recipe{
	Kind:     recipe.Pitfall,
	Name:     "db-for-update-no-row",
	Cure:     "db-for-update",
	File:     Dir + "db_for_update_no_row.go",
	Promises: []string{promise.NoLostUpdate},
	Sources: []string{"A Japanese article on locks: SELECT FOR UPDATE of one row",
		"MariaDB documentation, InnoDB lock modes: Gap locks"},
	FoundWithin: 50,
	Seen:        "clients=3&hold=6s&latency=400ms&jitter=20ms&stagger=1s",
	MinClients:  2,
	Systems:     kit.OneDatabase(),
	Keeps:       []string{"stock/tickets"},
	Drawing:     event.Drawing{Kind: event.DrawName, Gate: "stock/tickets", Stores: kit.Printer()},
	Main: func(w systems.World, p recipe.Params) error {
		l := noRow{kit.NewTickets(w, p)}
		return kit.Repeat(w, p, func(p recipe.Params) error { return l.sell(w, p) })
	},
}
