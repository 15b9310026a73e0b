package pitfalls

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// staleRead just reads. The server that it is connected to answers from its own copy, and may be behind: a customer
// has seen the new price, and gets the old one.
func staleRead(c zoo.Client, path string) ([]byte, zoo.Stat, error) {
	for {
		text, stat, err := c.Get(path)
		if !kit.Unknown(err) {
			return text, stat, err
		}
	}
}

var staleReadRecipe = recipe.Recipe{
	Kind:     recipe.Pitfall,
	Name:     "stale-read",
	Cure:     "synced-read",
	File:     Dir + "stale_read.go",
	Promises: []string{promise.CaughtUp},
	Sources: []string{"ZooKeeper Programmer's Guide, Consistency Guarantees: Simultaneously Consistent Cross-Client Views",
		"jepsen #399", "Pravega #3985"},
	FoundWithin: 100,
	Seen: "clients=3&seed=26&hold=6s&latency=200ms&jitter=20ms&stagger=1s&" +
		"fault=partition+server-1+%7C+server-2+server-3+at+6s+for+6s",
	MinClients: 2,
	Servers:    3,
	Drawing:    event.Drawing{Stores: kit.Shelf(), Shows: event.ShowReads},
	Role:       kit.ShopRole,
	Parents:    func(root string) []string { return []string{root, root + "/config"} },
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.Shop{Path: p.Root + "/config", Look: staleRead}.Open(c, p)
	}),
}
