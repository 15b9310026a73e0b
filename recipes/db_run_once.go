package recipes

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// billOnce has the bills of a night sent once. A row says that somebody has begun to, and stays: anyone who comes
// later, however late, finds it.
func billOnce(w systems.World, j kit.NightJob, p recipe.Params) error {
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
	return nil
}

var runOnceRecipe = recipe.Recipe{
	Kind:     recipe.Right,
	Name:     "db-run-once",
	File:     "db_run_once.go",
	Promises: []string{promise.AtMostOnce, promise.Progress},
	Sources: []string{"ShedLock: lockAtLeastFor",
		"PostgreSQL documentation, INSERT: ON CONFLICT DO NOTHING"},
	MinClients: 1,
	Systems:    kit.OneDatabase(),
	Keeps:      []string{"locks"},
	Clocks:     true,
	Drawing:    event.Drawing{Kind: event.DrawName, Gate: kit.FirstNight, Shows: event.ShowRoles, Stores: kit.Outbox()},
	Main: func(w systems.World, p recipe.Params) error {
		return kit.EachNight(w, p, func(j kit.NightJob) error { return billOnce(w, j, p) })
	},
}
