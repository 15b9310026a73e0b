package recipes

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// lockByID locks a client's own row of a table, which it finds by the primary key. That's an index: the database goes
// straight to the row, and locks no other one.
func lockByID(j *kit.OwnJob) (there bool, err error) {
	return j.LockJob(j.ID)
}

var rowByIDRecipe = recipe.Recipe{
	Kind:     recipe.Right,
	Name:     "db-row-by-id",
	File:     "db_row_by_id.go",
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
		return kit.UseOwnJob(w, p, lockByID)
	},
}
