package recipes

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// sellInOneStep has the database itself compute how many tickets are left. It reads the row and writes it in one step,
// between which nobody can write: there is nothing to lock.
func sellInOneStep(w systems.World, t kit.Tickets, hold time.Duration) error {
	if err := t.Serve(w, hold); err != nil {
		return err
	}
	for {
		sold, err := t.Add(t.ID, -1)
		if kit.Unknown(err) {
			w.Note("The reply is lost: the ticket may be sold or not. Once more could sell two.")
			return nil
		}
		if err != nil {
			return err
		}
		if sold {
			return t.Sold(w)
		}
		if err := t.Offer(); err != nil {
			return err
		}
	}
}

var decrementRecipe = recipe.Recipe{
	Kind:     recipe.Right,
	Name:     "db-decrement",
	File:     "db_decrement.go",
	Promises: []string{promise.NoLostUpdate, promise.Progress, promise.Clean},
	Sources: []string{"PostgreSQL documentation, Transaction isolation: Read committed",
		"A Japanese article on locks: two buyers and a stock of three"},
	MinClients: 1,
	Systems:    kit.OneDatabase(),
	Keeps:      []string{"stock/tickets"},
	Drawing:    event.Drawing{Kind: event.DrawName, Gate: "stock/tickets", Stores: kit.Sales()},
	Main: func(w systems.World, p recipe.Params) error {
		return kit.EachTicket(w, p, func(t kit.Tickets, hold time.Duration) error { return sellInOneStep(w, t, hold) })
	},
}
