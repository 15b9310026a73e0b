package recipes

import (
	"errors"
	"slices"
	"strconv"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// topic is a row of numbered messages that stay: every subscriber reads all of them, in order, at its own
// pace. A changed znode would not do: who is slow would miss what was written over.
type topic struct{ dir string }

// publish appends a message. The publisher's session and its own count are in the name, so that one whose
// answer was lost is found again.
func (t topic) publish(c zoo.Client, nth int, text string) error {
	mine := "message-" + strconv.FormatInt(c.SessionID(), 16) + "-" + strconv.Itoa(nth) + "-"
	path, err := c.Create(t.dir+"/"+mine, []byte(text), zoo.PersistentSequential)
	for kit.Unknown(err) {
		var name string
		name, err = kit.Look(c, t.dir, mine)
		path = t.dir + "/" + name
		if err == nil && name == "" {
			path, err = c.Create(t.dir+"/"+mine, []byte(text), zoo.PersistentSequential)
		}
	}
	if err == nil {
		c.Phase(program.Published, program.Subject{Path: t.dir, Fence: kit.Number(path) + 1})
	}
	return err
}

// subscribe reads messages until it has as many as told, or no more come.
func (t topic) subscribe(c zoo.Client, all int) error {
	for read := 0; ; {
		names, _, more, err := c.ChildrenW(t.dir)
		if kit.Unknown(err) {
			continue
		}
		if err != nil {
			return err
		}
		for _, name := range slices.SortedFunc(slices.Values(names), kit.ByNumber)[read:] {
			if err := t.read(c, name); err != nil {
				return err
			}
			read++
		}
		if read >= all {
			return nil
		}
		told, err := kit.WaitFor(c, more)
		if err != nil {
			return err
		}
		if !told {
			c.Phase(program.GaveUp, program.Subject{Path: t.dir})
			return nil
		}
	}
}

func (t topic) read(c zoo.Client, name string) error {
	for {
		_, _, err := c.Get(t.dir + "/" + name)
		switch {
		case kit.Unknown(err):
			continue
		case err == nil:
			c.Phase(program.Saw, program.Subject{Path: t.dir, Fence: kit.Number(name) + 1})
		case errors.Is(err, zoo.ErrNoNode):
			return kit.ErrGone
		}
		return err
	}
}

const (
	publisher  = "publisher"
	subscriber = "subscriber"
)

// publishers returns how many of the clients publish: a third, at least one.
func publishers(clients int) int { return max(clients/3, 1) }

func topicRole(index, clients int) string {
	if index <= publishers(clients) {
		return publisher
	}
	return subscriber
}

func usePublishSubscribe(c zoo.Client, p recipe.Params) error {
	t := topic{p.Root + "/topic"}
	if topicRole(p.Index, p.Clients) == subscriber {
		return t.subscribe(c, publishers(p.Clients)*p.Rounds)
	}
	for nth := range p.Rounds {
		if err := c.Work(p.Hold); err != nil {
			return err
		}
		if err := t.publish(c, nth, kit.Price(nth)); err != nil {
			return err
		}
	}
	return nil
}

var publishSubscribeRecipe = recipe.Recipe{
	Kind:       recipe.Right,
	Name:       "publish-subscribe",
	File:       "publish_subscribe.go",
	Promises:   []string{promise.EveryMessage, promise.Progress, promise.Current, promise.Clean},
	Sources:    []string{"ZooKeeper documentation, Recipes and Solutions: Queues", "Apache Curator, PathChildrenCache"},
	MinClients: 2,
	Drawing:    event.Drawing{Shows: event.ShowReads},
	Keeps:      []string{"topic"},
	Role:       topicRole,
	Parents:    func(root string) []string { return []string{root, root + "/topic"} },
	Main:       recipe.OnZooKeeper(usePublishSubscribe),
}
