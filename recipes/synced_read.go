package recipes

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// syncedRead has its server catch up with the leader before it reads. Then the server knows all that this leader had
// committed when it was asked. That it is the leader still, nobody asks.
func syncedRead(c zoo.Client, path string) ([]byte, zoo.Stat, error) {
	for {
		err := c.Sync(path)
		if kit.Unknown(err) {
			continue
		}
		if err != nil {
			return nil, zoo.Stat{}, err
		}
		text, stat, err := c.Get(path)
		if !kit.Unknown(err) {
			return text, stat, err
		}
	}
}

var syncedReadRecipe = recipe.Recipe{
	Kind:     recipe.Right,
	Name:     "synced-read",
	File:     "synced_read.go",
	Promises: []string{promise.CaughtUp, promise.Progress, promise.Current, promise.Clean},
	Sources: []string{"ZooKeeper Programmer's Guide, Consistency Guarantees",
		"ZooKeeper Internals, Consistency Guarantees"},
	MinClients: 2,
	Servers:    3,
	Drawing:    event.Drawing{Stores: kit.Shelf(), Shows: event.ShowReads},
	Role:       kit.ShopRole,
	Parents:    func(root string) []string { return []string{root, root + "/config"} },
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.Shop{Path: p.Root + "/config", Look: syncedRead}.Open(c, p)
	}),
}
