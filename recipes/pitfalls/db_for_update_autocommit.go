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

// autocommit locks the row with SELECT … FOR UPDATE and no transaction around it: then the statement is one by itself,
// and the lock is gone with it.
type autocommit struct{ kit.Tickets }

func (l autocommit) Lock(w systems.World) (row sql.Row, err error) {
	w.Phase(program.Waiting, program.Subject{Path: l.Path()})
	for {
		there := false
		row, there, err = l.ReadForUpdate(l.ID)
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

// put makes the row.
func (l autocommit) put() error { return l.Offer() }

func (l autocommit) sell(w systems.World, p recipe.Params) error {
	row, err := l.Lock(w)
	if err != nil {
		return err
	}
	held := program.Subject{Path: l.Path(), Fence: row.Version}
	w.Phase(program.Holding, held)
	if err := kit.Print(w, p.Hold); err != nil {
		return err
	}
	w.Phase(program.Released, held)
	return kit.Insist(func() error {
		_, err := l.Write(l.ID, row.N-1)
		return err
	})
}

var autocommitRecipe = recipe.Recipe{
	Kind:     recipe.Pitfall,
	Name:     "db-for-update-autocommit",
	Cure:     "db-for-update",
	File:     Dir + "db_for_update_autocommit.go",
	Promises: []string{promise.NoLostUpdate},
	Sources: []string{"A Japanese article on locks: SELECT FOR UPDATE needs a transaction",
		"PostgreSQL documentation, SELECT: The locking clause"},
	FoundWithin: 50,
	Seen:        "clients=3&hold=6s&latency=400ms&jitter=20ms&stagger=1s",
	MinClients:  2,
	Systems:     kit.OneDatabase(),
	Keeps:       []string{"stock/tickets"},
	Drawing:     event.Drawing{Kind: event.DrawName, Gate: "stock/tickets", Stores: kit.Printer()},
	Main: func(w systems.World, p recipe.Params) error {
		l := autocommit{kit.NewTickets(w, p)}
		return kit.Repeat(w, p, func(p recipe.Params) error { return l.sell(w, p) })
	},
}
