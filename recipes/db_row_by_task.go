package recipes

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// lockByTask locks a client's own row of a table, which it finds by a column that no index has. So the database reads
// every row, and InnoDB locks every row that it reads: those who want other rows wait.
func lockByTask(j *kit.OwnJob) (there bool, err error) {
	_, there, err = j.LockTask(j.Task)
	return there, err
}

var rowByTaskRecipe = recipe.Recipe{
	Kind:     recipe.Right,
	Name:     "db-row-by-task",
	File:     "db_row_by_task.go",
	Promises: []string{promise.Once},
	Limits:   []string{promise.Progress, promise.Clean},
	Harms:    []string{"crash", "cut", "drop", "vanish", "restart"},
	Sources: []string{"MariaDB documentation, InnoDB lock modes: Gap locks",
		"A Japanese article on locks: SELECT FOR UPDATE without an index"},
	MinClients: 1,
	Systems:    kit.OneInnoDB(),
	Keeps:      []string{"jobs"},
	Drawing:    event.Drawing{Stores: kit.Orders()},
	Main: func(w systems.World, p recipe.Params) error {
		return kit.UseOwnJob(w, p, lockByTask)
	},
}
