package pitfalls

import (
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// orphanNode queues up once more when the answer to its first attempt is lost. But the znode may have been
// made: it stands in the queue, nobody knows that it is his, and its owner waits behind it for ever.
type orphanNode struct{ dir string }

func (l orphanNode) join(c zoo.Client) (string, error) {
	for {
		path, err := c.Create(l.dir+"/lock-", nil, zoo.EphemeralSequential)
		if !kit.Unknown(err) {
			return strings.TrimPrefix(path, l.dir+"/"), err
		}
		// Nothing in the name tells whose it is, so there is nothing to look for.
	}
}

func (l orphanNode) Lock(c zoo.Client) (program.Subject, error) {
	me, err := l.join(c)
	if err != nil {
		return program.Subject{}, err
	}
	mine := program.Subject{Path: l.dir + "/" + me, Fence: kit.Number(me)}
	c.Phase(program.Waiting, mine)
	for {
		ahead, err := kit.Ahead(c, l.dir, me)
		if err != nil || ahead == "" {
			return mine, err
		}
		if err := kit.WaitGone(c, l.dir+"/"+ahead, 0); err != nil {
			return mine, err
		}
	}
}

func (l orphanNode) Unlock(c zoo.Client, held program.Subject) error {
	return kit.Remove(c, held.Path)
}

// between is how long a client does what needs no lock, before each turn.
const between = time.Second

var orphanNodeRecipe = recipe.Recipe{
	Kind:     recipe.Pitfall,
	Name:     "orphan-node",
	Cure:     "predecessor-lock",
	File:     Dir + "orphan_node.go",
	Promises: []string{promise.Progress},
	Sources: []string{"ZooKeeper documentation, Recipes and Solutions: Recoverable Errors and the GUID",
		"go-zookeeper #237", "zk-ruby #54"},
	FoundWithin: 200,
	Seen:        "clients=2&hold=6s&latency=400ms&jitter=20ms&stagger=3s&fault=drop+client-1+at+1500ms",
	MinClients:  1,
	Drawing:     event.Drawing{Kind: event.DrawQueue, Stores: kit.Printer()},
	Parents:     recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.Repeat(c, p, func(p recipe.Params) error {
			if err := c.Sleep(between); err != nil {
				return err
			}
			return kit.UseLockOnce(c, orphanNode{p.Root}, p)
		})
	}),
}
