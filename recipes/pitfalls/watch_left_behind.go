package pitfalls

import (
	"errors"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// watchLeftBehind gives up and takes its znode out of the queue, but goes on listening to the watch that it
// left on the one ahead. When that fires it takes it for its turn, though it is not in the queue any more.
type watchLeftBehind struct {
	dir  string
	gone zoo.Watch // on the one ahead
}

// Lock waits for its turn until its patience, if it has any, is at an end. It reports false if it gave up.
func (l *watchLeftBehind) Lock(c zoo.Client, patience time.Duration) (mine program.Subject, got bool, err error) {
	start := c.Now()
	me, err := kit.Join(c, l.dir, "lock-")
	if err != nil {
		return mine, false, err
	}
	mine = program.Subject{Path: l.dir + "/" + me, Fence: kit.Number(me)}
	c.Phase(program.Waiting, mine)
	for {
		ahead, err := kit.Ahead(c, l.dir, me)
		if err != nil || ahead == "" {
			return mine, err == nil, err
		}
		left := patience - (c.Now() - start)
		if patience == 0 {
			left = 0 // for as long as it takes
		} else if left <= 0 {
			return mine, false, kit.Remove(c, mine.Path)
		}
		_, _, l.gone, err = c.GetW(l.dir + "/" + ahead)
		if errors.Is(err, zoo.ErrNoNode) || kit.Unknown(err) {
			continue
		}
		if err == nil {
			_, err = c.Await(left, l.gone)
		}
		switch {
		case err == nil:
			l.gone = 0
		case !errors.Is(err, zoo.ErrTimeout):
			return mine, false, err
		}
	}
}

// listen does something else for a while, with an ear for the watch. It reports whether that fired.
func (l *watchLeftBehind) listen(c zoo.Client) (bool, error) {
	if l.gone == 0 {
		return false, c.Sleep(errand)
	}
	_, err := c.Await(errand, l.gone)
	if errors.Is(err, zoo.ErrTimeout) {
		return false, nil
	}
	return err == nil, err
}

func (l *watchLeftBehind) Unlock(c zoo.Client, held program.Subject) error {
	return kit.Remove(c, held.Path)
}

func useLeftBehind(c zoo.Client, p recipe.Params) error {
	l := &watchLeftBehind{dir: p.Root}
	held, got, err := l.Lock(c, patience(p))
	if err == nil && !got {
		c.Phase(program.GaveUp, held)
		fired, err := l.listen(c)
		if err != nil {
			return err
		}
		if !fired {
			held, _, err = l.Lock(c, 0)
		}
		if err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	c.Phase(program.Holding, held)
	if err := kit.Print(c, p.Hold); err != nil {
		return err
	}
	c.Phase(program.Released, held)
	return l.Unlock(c, held)
}

var watchLeftBehindRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "watch-left-behind",
	Cure:        "timed-lock",
	File:        Dir + "watch_left_behind.go",
	Promises:    []string{promise.TruthExclusion},
	Sources:     []string{"CURATOR-14", "CURATOR-240", "CURATOR-286", "CURATOR-710"},
	FoundWithin: 100,
	Seen:        "clients=3&rounds=2&hold=3s&latency=200ms&jitter=20ms&stagger=1s",
	MinClients:  3,
	Drawing:     event.Drawing{Kind: event.DrawQueue, Stores: kit.Printer()},
	Parents:     recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.Repeat(c, p, func(p recipe.Params) error { return useLeftBehind(c, p) })
	}),
}
