package pitfalls

import (
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// staleOwnNode knows its znode by the name of its program alone. When the program is started again, it finds
// the one that its previous session made, takes it for its own, and leads with a znode that is not its own
// and vanishes with that session.
type staleOwnNode struct {
	dir  string
	name string // of this program
}

// join queues up, unless this program is in the queue already.
func (l staleOwnNode) join(c zoo.Client) (string, error) {
	for {
		me, err := l.find(c)
		if err != nil || me != "" {
			return me, err
		}
		path, err := c.Create(l.dir+"/"+l.name+"-", nil, zoo.EphemeralSequential)
		if !kit.Unknown(err) {
			return strings.TrimPrefix(path, l.dir+"/"), err
		}
	}
}

func (l staleOwnNode) find(c zoo.Client) (string, error) {
	names, err := kit.List(c, l.dir)
	for _, name := range names {
		if strings.HasPrefix(name, l.name+"-") {
			return name, err // whose session made it, nobody asks
		}
	}
	return "", err
}

// term is how long a leader stays in office at least: long enough for a session that nobody keeps alive to end
// meanwhile.
const term = 5 * time.Second

func (l staleOwnNode) lead(c zoo.Client, p recipe.Params) error {
	me, err := l.join(c)
	if err != nil {
		return err
	}
	mine := program.Subject{Path: l.dir + "/" + me, Fence: kit.Number(me)}
	c.Phase(program.Waiting, mine)
	for {
		ahead, err := kit.Ahead(c, l.dir, me)
		if err != nil {
			return err
		}
		if ahead == "" {
			break
		}
		if err := kit.WaitGone(c, l.dir+"/"+ahead, 0); err != nil {
			return err
		}
	}
	c.Phase(program.Leading, mine)
	if err := kit.Report(c, max(time.Duration(p.Rounds)*p.Hold, term)); err != nil {
		return err
	}
	c.Phase(program.Released, mine)
	return kit.Remove(c, mine.Path)
}

// startedAgain lets every second client start once the one before it is gone: it is the same program.
func startedAgain(index, _ int) int {
	if index%2 == 0 {
		return index - 1
	}
	return 0
}

// started is whose session a client is: two in a row are of one program, that is started twice.
func started(index int) string { return "program-" + strconv.Itoa((index+1)/2) }

var staleOwnNodeRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "stale-own-node",
	Cure:        "leader-latch",
	File:        Dir + "stale_own_node.go",
	Promises:    []string{promise.TruthExclusion},
	Sources:     []string{"CURATOR-604", "CURATOR-696", "KAFKA-1387", "lighthouse #11"},
	FoundWithin: 100,
	MinClients:  3,
	Role:        func(index, _ int) string { return started(index) },
	After:       startedAgain,
	Drawing:     event.Drawing{Stores: kit.NightlyReport(), Shows: event.ShowRoles},
	Parents:     recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		l := staleOwnNode{dir: p.Root, name: started(p.Index)}
		once := p
		once.Rounds = 1
		return kit.Repeat(c, once, func(p recipe.Params) error { return l.lead(c, p) })
	}),
}
