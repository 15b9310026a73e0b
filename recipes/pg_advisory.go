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

// advisory is a name that a database keeps for one connection at a time. There is no row, and nothing to clean up: the
// database frees the name when the connection ends.
type advisory struct {
	*sql.Client
	name string
}

func (l advisory) Lock(w systems.World) (program.Subject, error) {
	w.Phase(program.Waiting, program.Subject{})
	// After a lost reply the name may have been the old connection's: it goes with that.
	err := kit.Insist(func() error { return l.AdvisoryLock(l.name) })
	return program.Subject{Path: sql.Path(sql.Advisory, l.name)}, err
}

// Unlock gives the name back. It is this connection's, not this client's: one that was opened meanwhile has not got it.
func (l advisory) Unlock(w systems.World, _ program.Subject) error {
	mine, err := kit.Ensure(func() (bool, error) { return l.AdvisoryUnlock(l.name) })
	if err == nil && !mine {
		w.Note("the name is not this connection's: it went with the one before")
	}
	return err
}

var advisoryRecipe = recipe.Recipe{
	Kind:     recipe.Right,
	Name:     "pg-advisory",
	File:     "pg_advisory.go",
	Promises: []string{promise.TruthExclusion},
	// It lasts as long as the connection, as the database sees it: of one that goes in silence it learns hours later.
	Limits: []string{promise.BeliefExclusion, promise.Progress, promise.Clean},
	Harms:  []string{"cut", "drop", "vanish", "restart"},
	Sources: []string{"PostgreSQL documentation, Explicit locking: Advisory locks",
		"MariaDB documentation, GET_LOCK"},
	MinClients: 1,
	Contest:    recipe.Once(),
	Systems:    kit.OneDatabase(),
	Drawing:    event.Drawing{Kind: event.DrawName, Gate: "advisory/lock", Stores: kit.Printer()},
	Main: func(w systems.World, p recipe.Params) error {
		return kit.UseLock(w, advisory{kit.Database(w, p), "lock"}, p)
	},
}
