package pitfalls

import (
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// lookWithoutSync looks, after a lost connection, whether its znode is there, as it should. But the create may be on
// its way still: the server that it asks has not carried it out yet. So it queues up once more, and waits behind itself
// for ever.
type lookWithoutSync struct{ dir string }

func (l lookWithoutSync) join(c zoo.Client) (string, error) {
	mine := "lock-" + strconv.FormatInt(c.SessionID(), 16) + "-"
	for {
		path, err := c.Create(l.dir+"/"+mine, nil, zoo.EphemeralSequential)
		if !kit.Unknown(err) {
			return strings.TrimPrefix(path, l.dir+"/"), err
		}
		names, err := kit.List(c, l.dir)
		if err != nil {
			return "", err
		}
		for _, name := range names {
			if strings.HasPrefix(name, mine) {
				return name, nil
			}
		}
	}
}

func (l lookWithoutSync) Lock(c zoo.Client) (program.Subject, error) {
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

func (l lookWithoutSync) Unlock(c zoo.Client, held program.Subject) error {
	return kit.Remove(c, held.Path)
}

var lookWithoutSyncRecipe = recipe.Recipe{
	Kind:     recipe.Pitfall,
	Name:     "look-without-sync",
	Cure:     "predecessor-lock",
	File:     Dir + "look_without_sync.go",
	Promises: []string{promise.Progress},
	Sources: []string{"ZooKeeper documentation, Recipes and Solutions: Recoverable Errors and the GUID",
		"ZooKeeper Programmer's Guide, Consistency Guarantees"},
	FoundWithin: 500,
	Seen: "clients=2&seed=3&hold=4s&session-timeout=10s&latency=100ms&jitter=10ms&stagger=2s&" +
		"fault=pause+server-3+at+2600ms+for+8s",
	MinClients: 2,
	Servers:    3,
	Drawing:    event.Drawing{Kind: event.DrawQueue, Stores: kit.Printer()},
	Parents:    recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.Repeat(c, p, func(p recipe.Params) error {
			if err := c.Sleep(between); err != nil {
				return err
			}
			return kit.UseLockOnce(c, lookWithoutSync{p.Root}, p)
		})
	}),
}
