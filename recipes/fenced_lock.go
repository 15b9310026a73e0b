package recipes

import (
	"errors"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// fencedLock gives each holder a number that is greater than those of all before it. What the lock protects
// refuses anyone who comes with a smaller number than it has seen: a holder that has slept through the end of
// its session can do no harm.
//
// The queue's parent is made when it is needed, and deleted when nobody queues any more.
type fencedLock struct{ dir string }

func (l fencedLock) Lock(c zoo.Client) (program.Subject, error) {
	me, err := l.join(c)
	if err != nil {
		return program.Subject{}, err
	}
	mine := program.Subject{Path: l.dir + "/" + me}
	c.Phase(program.Waiting, mine)
	// The number at the end of the name starts at zero again whenever the parent is made again. The zxid
	// that created the znode never goes back.
	stat, err := kit.StatOf(c, mine.Path)
	if errors.Is(err, zoo.ErrNoNode) {
		return mine, kit.ErrGone
	}
	mine.Fence = stat.Czxid
	for err == nil {
		var ahead string
		ahead, err = kit.Ahead(c, l.dir, me)
		if err != nil || ahead == "" {
			break
		}
		err = kit.WaitGone(c, l.dir+"/"+ahead, 0)
	}
	return mine, err
}

func (l fencedLock) join(c zoo.Client) (string, error) {
	for {
		me, err := kit.Join(c, l.dir, "lock-")
		if !errors.Is(err, zoo.ErrNoNode) {
			return me, err
		}
		_, err = c.Create(l.dir, nil, zoo.Persistent)
		if err != nil && !errors.Is(err, zoo.ErrNodeExists) && !kit.Unknown(err) {
			return "", err
		}
	}
}

func (l fencedLock) Unlock(c zoo.Client, held program.Subject) error {
	if err := kit.Remove(c, held.Path); err != nil {
		return err
	}
	err := kit.Remove(c, l.dir)
	if errors.Is(err, zoo.ErrNotEmpty) {
		return nil // others queue
	}
	return err
}

// ledger is the store that the lock protects.
const ledger = "ledger"

func useFencedLock(c zoo.Client, p recipe.Params) error {
	l := fencedLock{p.Root + "/queue"}
	held, err := l.Lock(c)
	if err != nil {
		return err
	}
	c.Phase(program.Holding, held)
	write := func(entry string) error {
		return c.Write(ledger, entry, held.Fence)
	}
	if err := write(c.Name() + " begins"); err != nil {
		return refused(c, p, err)
	}
	if err := c.Work(p.Hold); err != nil {
		return err
	}
	if err := write(c.Name() + " ends"); err != nil {
		return refused(c, p, err)
	}
	c.Phase(program.Released, held)
	return l.Unlock(c, held)
}

var errRefused = errors.New("the store refuses the holder, and its session lives")

// refused finds out why the store refused a write: the session must be over, and ZooKeeper will say so.
func refused(c zoo.Client, p recipe.Params, err error) error {
	if !errors.Is(err, program.ErrFenced) {
		return err
	}
	c.Note("a later holder has written before it: its own time must be over")
	if _, err := kit.List(c, p.Root); err != nil {
		return err
	}
	return errRefused
}

var fencedLockRecipe = recipe.Recipe{
	Kind:     recipe.Right,
	Name:     "fenced-lock",
	Use:      recipe.ForLock,
	File:     "fenced_lock.go",
	Promises: []string{promise.TruthExclusion, promise.Fenced, promise.Progress, promise.Clean},
	Limits:   []string{promise.BeliefExclusion},
	Sources: []string{"Apache Curator, Tech Note 10", "F. Junqueira, Note on fencing and distributed locks",
		"M. Kleppmann, How to do distributed locking"},
	MinClients: 1,
	Keeps:      []string{"queue"}, // if the last one crashes
	Drawing:    event.Drawing{Kind: event.DrawQueue, Queue: "queue", Stores: []event.StoreDrawing{{Name: ledger}}},
	Parents:    recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.Repeat(c, p, func(p recipe.Params) error { return useFencedLock(c, p) })
	}),
}
