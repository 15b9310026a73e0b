package recipes

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// quorumRead writes before it reads. A write is carried out behind all that was committed before it, and only by a
// leader that a quorum follows; and the server that says so has carried out all of that. What is written does not
// matter.
func quorumRead(c zoo.Client, path string) ([]byte, zoo.Stat, error) {
	for {
		_, err := c.Set(path+touched, nil, zoo.AnyVersion)
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

// touched is the znode below that of the setting that is written to.
const touched = "/touched"

var quorumReadRecipe = recipe.Recipe{
	Kind:       recipe.Right,
	Name:       "quorum-read",
	File:       "quorum_read.go",
	Promises:   []string{promise.Newest, promise.Progress, promise.Current, promise.Clean},
	Sources:    []string{"ZOOKEEPER-1675", "ZooKeeper Internals, Consistency Guarantees"},
	MinClients: 2,
	Servers:    3,
	Drawing:    event.Drawing{Stores: kit.Shelf(), Shows: event.ShowReads},
	Role:       kit.ShopRole,
	Parents:    func(root string) []string { return []string{root, root + "/config", root + "/config" + touched} },
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.Shop{Path: p.Root + "/config", Look: quorumRead}.Open(c, p)
	}),
}
