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

// leaseRow is a row that says whose the lock is, and until when by the clock of the database. The row stays when its
// holder leaves, and so does the number in it: each holder has a greater one than all before.
type leaseRow struct{ *kit.RowLock }

func (l leaseRow) Lock(w systems.World) (*kit.Lease, error) {
	w.Phase(program.Waiting, program.Subject{})
	l.NextTurn(w)
	for try := 1; ; try++ {
		held, err := l.take(w)
		if err != nil || held != nil {
			return held, err
		}
		if err := l.Polls.Wait(w, try); err != nil {
			return nil, err
		}
	}
}

// take makes the row, or takes it over if its time is up, in one statement.
func (l leaseRow) take(w systems.World) (*kit.Lease, error) {
	asked := w.Now()
	number, err := l.TakeLease(l.Name, l.Owner, l.RowLock.Lease)
	for kit.Unknown(err) {
		// Perhaps the row is this client's, and only the reply was lost.
		there := ""
		if there, number, _, err = l.LeaseOwner(l.Name); there != l.Owner {
			number = 0
		}
	}
	if err != nil || number == 0 {
		return nil, err
	}
	mine := program.Subject{Path: sql.Path(sql.Leases, l.Name), Fence: number}
	return kit.NewLease(mine, l.Owner, l.RowLock.Lease, asked), nil
}

// Unlock has the lease end now, if it is still this holder's.
func (l leaseRow) Unlock(_ systems.World, held *kit.Lease) (mine bool, err error) {
	return kit.Ensure(func() (bool, error) { return l.ReleaseLease(l.Name, held.Token) })
}

var leaseRowRecipe = recipe.Recipe{
	Kind:       recipe.Right,
	Name:       "db-lease-row",
	File:       "db_lease_row.go",
	Promises:   []string{promise.TruthExclusion, promise.Fenced, promise.Progress, promise.Clean},
	Limits:     []string{promise.BeliefExclusion},
	Sources:    []string{"ShedLock: JdbcTemplateLockProvider", "PostgreSQL documentation, INSERT: ON CONFLICT DO UPDATE"},
	MinClients: 1,
	Systems:    kit.OneDatabase(),
	Keeps:      []string{"leases/lock"},
	Drawing:    event.Drawing{Kind: event.DrawName, Gate: "leases/lock", Stores: kit.Printer()},
	Main: func(w systems.World, p recipe.Params) error {
		l := leaseRow{kit.NewRowLock(w, p)}
		return kit.Repeat(w, p, func(p recipe.Params) error {
			return kit.UseLeaseOnce(w, l, func(held *kit.Lease) error { return kit.PrintNumbered(w, held.Fence, p.Hold) })
		})
	},
}
