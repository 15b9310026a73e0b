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

// uniqueRow is a row of which there can be one: anyone who inserts it is inside. It has no end: when its holder
// crashes, the row stays, and everybody waits forever.
type uniqueRow struct {
	*kit.RowLock
	poll recipe.Poll
}

func (l uniqueRow) Lock(w systems.World) (program.Subject, error) {
	w.Phase(program.Waiting, program.Subject{})
	l.NextTurn(w)
	for try := 1; ; try++ {
		got, err := l.TryInsertLock(l.Name, l.Owner)
		for kit.Unknown(err) {
			// Perhaps the row is there, and only the reply was lost.
			there := ""
			there, _, err = l.LockOwner(l.Name)
			got = there == l.Owner
		}
		if kit.Undone(err) {
			err = nil // not inserted: somebody else has been quicker
		}
		if err != nil || got {
			return program.Subject{Path: sql.Path(sql.Locks, l.Name)}, err
		}
		if err := l.poll.Wait(w, try); err != nil {
			return program.Subject{}, err
		}
	}
}

// Unlock deletes the row if it is this client's.
func (l uniqueRow) Unlock(systems.World, program.Subject) error {
	return kit.Insist(func() error {
		_, err := l.DeleteLock(l.Name, l.Owner)
		return err
	})
}

var uniqueRowRecipe = recipe.Recipe{
	Kind:     recipe.Pitfall,
	Name:     "db-unique-row",
	Cure:     "db-lease-row",
	File:     Dir + "db_unique_row.go",
	Promises: []string{promise.Progress, promise.Clean},
	Sources: []string{"A Japanese article on locks: a table with a unique resource",
		"PostgreSQL documentation, INSERT: ON CONFLICT DO NOTHING"},
	FoundWithin: 50,
	Seen:        "clients=3&hold=6s&latency=400ms&jitter=20ms&stagger=1s&fault=crash+client-1+at+4s",
	MinClients:  1,
	Contest:     []recipe.Poll{recipe.Steady()},
	Systems:     kit.OneDatabase(),
	Drawing:     event.Drawing{Kind: event.DrawName, Gate: "locks/lock", Stores: kit.Printer()},
	Main: func(w systems.World, p recipe.Params) error {
		return kit.UseLock(w, uniqueRow{kit.NewRowLock(w, p), p.Polling()}, p)
	},
}
