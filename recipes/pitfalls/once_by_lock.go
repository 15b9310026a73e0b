package pitfalls

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// billUnderLock takes a lock for sending the bills of a night, and gives it back. No two send them at the same time,
// but a client that comes when the first is done, since its clock is behind, sends them again.
func billUnderLock(w systems.World, j kit.NightJob, p recipe.Params) error {
	w.Phase(program.Waiting, j.Night)
	mine, err := j.Claim()
	if err != nil {
		return err
	}
	if !mine {
		w.Phase(program.GaveUp, j.Night)
		return nil
	}
	w.Phase(program.Holding, j.Night)
	if err := j.SendBills(w, p.Hold); err != nil {
		return err
	}
	w.Phase(program.Released, j.Night)
	return j.GiveBack()
}

var onceByLockRecipe = recipe.Recipe{
	Kind:     recipe.Pitfall,
	Name:     "once-by-lock",
	Cure:     "db-run-once",
	File:     Dir + "once_by_lock.go",
	Promises: []string{promise.AtMostOnce},
	Sources: []string{"A Japanese article on locks: two machines and one job at 02:00",
		"ShedLock: lockAtLeastFor"},
	FoundWithin: 50,
	Seen:        "clients=2&hold=1s&latency=200ms&jitter=20ms&stagger=2s",
	MinClients:  2,
	Systems:     kit.OneDatabase(),
	Clocks:      true,
	Drawing:     event.Drawing{Kind: event.DrawName, Gate: kit.FirstNight, Shows: event.ShowRoles, Stores: kit.Outbox()},
	Main: func(w systems.World, p recipe.Params) error {
		return kit.EachNight(w, p, func(j kit.NightJob) error { return billUnderLock(w, j, p) })
	},
}
