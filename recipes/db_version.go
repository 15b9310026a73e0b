package recipes

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// sellAtVersion reads how many tickets are left, computes, and writes if nobody has written since. If somebody has, it
// reads again: nobody holds anything, and nobody waits for anybody.
func sellAtVersion(w systems.World, t kit.Tickets, hold time.Duration) error {
	for {
		row, err := t.Look(w)
		if err != nil {
			return err
		}
		if err := t.Serve(w, hold); err != nil {
			return err
		}
		// Whether somebody has written is known by the number of rows that were changed: 1 or 0. If the reply is lost and
		// the version is another by now, it may be this client that has: it does not sell a second one.
		sold, err := kit.Ensure(func() (bool, error) { return t.WriteIfVersion(t.ID, row.N-1, row.Version) })
		if err != nil {
			return err
		}
		if sold {
			return t.Sold(w)
		}
	}
}

var versionRecipe = recipe.Recipe{
	Kind:     recipe.Right,
	Name:     "db-version",
	File:     "db_version.go",
	Promises: []string{promise.NoLostUpdate, promise.Progress, promise.Clean},
	Sources: []string{"H. T. Kung, J. T. Robinson: On optimistic methods for concurrency control",
		"A Japanese article on locks: a version column"},
	MinClients: 1,
	Systems:    kit.OneDatabase(),
	Keeps:      []string{"stock/tickets"},
	Drawing:    event.Drawing{Kind: event.DrawName, Gate: "stock/tickets", Shows: event.ShowReads, Stores: kit.Sales()},
	Main: func(w systems.World, p recipe.Params) error {
		return kit.EachTicket(w, p, func(t kit.Tickets, hold time.Duration) error { return sellAtVersion(w, t, hold) })
	},
}
