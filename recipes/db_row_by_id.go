package recipes

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// rowByID locks its own row of a table, which it finds by the primary key. That's an index: the database goes straight
// to the row, and locks no other one.
type rowByID struct{ *kit.OwnJob }

// lock locks the row with the id.
func (j rowByID) lock() (there bool, err error) {
	there, err = j.LockJob(j.ID)
	return there, err
}

// work puts a job into the table, and does it later.
func (j rowByID) work(w systems.World, p recipe.Params) error {
	err := j.Put(w)
	if err == nil {
		err = w.Work(p.Hold)
	}
	if err == nil {
		err = j.Do(w, p.Hold, j.lock)
	}
	return err
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
		j := rowByID{kit.NewOwnJob(w, p)}
		return kit.Repeat(w, p, func(p recipe.Params) error { return j.work(w, p) })
	},
}
