package pitfalls

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// sellAsRead reads how many tickets are left, computes, and writes what it has computed. Whatever somebody else has
// written in between is lost: one ticket is sold twice.
func sellAsRead(w systems.World, t kit.Tickets, hold time.Duration) error {
	row, err := t.Look(w)
	if err != nil {
		return err
	}
	if err := t.Serve(w, hold); err != nil {
		return err
	}
	err = kit.Insist(func() error {
		_, err := t.Write(t.ID, row.N-1)
		return err
	})
	if err != nil {
		return err
	}
	return t.Sold(w)
}

var lostUpdateRecipe = recipe.Recipe{
	Kind:     recipe.Pitfall,
	Name:     "db-lost-update",
	Cure:     "db-version",
	File:     Dir + "db_lost_update.go",
	Promises: []string{promise.NoLostUpdate},
	Sources: []string{"A Japanese article on locks: two buyers and a stock of three",
		"PostgreSQL wiki, SSI: Lost update"},
	FoundWithin: 50,
	Seen:        "clients=3&hold=3s&latency=400ms&jitter=20ms&stagger=1s",
	MinClients:  2,
	Systems:     kit.OneDatabase(),
	Keeps:       []string{"stock/tickets"},
	Drawing:     event.Drawing{Kind: event.DrawName, Gate: "stock/tickets", Shows: event.ShowReads, Stores: kit.Sales()},
	Main: func(w systems.World, p recipe.Params) error {
		return kit.EachTicket(w, p, func(t kit.Tickets, hold time.Duration) error { return sellAsRead(w, t, hold) })
	},
}
