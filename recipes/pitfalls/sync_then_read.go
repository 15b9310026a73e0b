package pitfalls

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// syncThenRead takes what it reads after a sync for the newest. But a leader answers a sync without asking anybody. One
// that has been cut off does not know yet that there is another: it says that there is nothing new.
func syncThenRead(c zoo.Client, path string) ([]byte, zoo.Stat, error) {
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

var syncThenReadRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "sync-then-read",
	Cure:        "quorum-read",
	File:        Dir + "sync_then_read.go",
	Promises:    []string{promise.Newest},
	Sources:     []string{"ZOOKEEPER-1675", "ZooKeeper Internals, Consistency Guarantees"},
	FoundWithin: 1500,
	Seen: "clients=2&seed=3&hold=12s&session-timeout=20s&latency=20ms&jitter=2ms&stagger=200ms&" +
		"fault=partition+server-3+%7C+server-1+server-2+at+3s+for+20s",
	MinClients: 2,
	Servers:    3,
	Drawing:    event.Drawing{Stores: kit.Shelf(), Shows: event.ShowReads},
	Role:       kit.ShopRole,
	Parents:    func(root string) []string { return []string{root, root + "/config"} },
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.Shop{Path: p.Root + "/config", Look: syncThenRead}.Open(c, p)
	}),
}
