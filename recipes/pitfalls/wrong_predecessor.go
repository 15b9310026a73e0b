package pitfalls

import (
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// wrongPredecessor is a read-write lock whose readers look at the one just ahead alone: if that is a reader
// too, they go in. But that reader may itself be waiting, for a writer before it.
type wrongPredecessor struct{ dir string }

const (
	read  = "read-"
	write = "write-"
)

func (l wrongPredecessor) lock(c zoo.Client, kind string) (me string, err error) {
	me, err = kit.Join(c, l.dir, kind)
	if err != nil {
		return "", err
	}
	c.Phase(program.Waiting, l.subject(me))
	for {
		ahead, err := kit.Ahead(c, l.dir, me)
		if err != nil || ahead == "" || kind == read && strings.HasPrefix(ahead, read) {
			return me, err
		}
		if err := kit.WaitGone(c, l.dir+"/"+ahead, 0); err != nil {
			return me, err
		}
	}
}

func (l wrongPredecessor) subject(me string) program.Subject {
	return program.Subject{Path: l.dir + "/" + me, Fence: kit.Number(me)}
}

func (l wrongPredecessor) use(c zoo.Client, p recipe.Params) error {
	kind, inside, work := read, program.Reading, kit.Copy
	if p.RoleOr(readWriteRole) == "writer" {
		kind, inside, work = write, program.Writing, kit.Revise
	}
	me, err := l.lock(c, kind)
	if err != nil {
		return err
	}
	c.Phase(inside, l.subject(me))
	if err := work(c, p.Hold); err != nil {
		return err
	}
	c.Phase(program.Released, l.subject(me))
	return kit.Remove(c, l.dir+"/"+me)
}

// readWriteRole makes every third client a writer.
func readWriteRole(index, _ int) string {
	if index%3 == 1 {
		return "writer"
	}
	return "reader"
}

var wrongPredecessorRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "wrong-predecessor",
	Cure:        "read-write-lock",
	Use:         recipe.ForReadWrite,
	File:        Dir + "wrong_predecessor.go",
	Promises:    []string{promise.ReadersWriters},
	Sources:     []string{"kazoo #649"},
	FoundWithin: 100,
	Seen:        "clients=3&hold=8s&latency=400ms&jitter=20ms&stagger=2s",
	MinClients:  3,
	Drawing:     event.Drawing{Stores: kit.Document()},
	Role:        readWriteRole,
	Parents:     recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.Repeat(c, p, func(p recipe.Params) error { return wrongPredecessor{p.Root}.use(c, p) })
	}),
}
