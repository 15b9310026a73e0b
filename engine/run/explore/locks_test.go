package explore_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/run/explore"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// TestLockMutationsAreFound: the locks, each with one thing wrong on which its users rely. A mutation is a client
// that doesn't do what the recipe asks, or the recipe's own code with something left out.
func TestLockMutationsAreFound(t *testing.T) {
	for _, m := range []struct {
		recipe, wrong string
		rule          string // that it breaks
		main          func(recipe.Recipe) func(zoo.Client, recipe.Params) error
	}{
		{"timed-lock", "never gives up", promise.GivesUpInTime, by(func(c zoo.Client) zoo.Client { return stubborn{c} })},
		{"timed-lock", "starts its patience anew with every wait", promise.GivesUpInTime,
			by(func(c zoo.Client) zoo.Client { return forgetful{c} })},
		{"revocable-lock", "ignores the word", promise.RevokedInTime,
			by(func(c zoo.Client) zoo.Client { return illiterate{c} })},
		{"revocable-lock", "does not listen", promise.RevokedInTime,
			by(func(c zoo.Client) zoo.Client { return unwatching{c} })},
		{"revocable-lock", "hears it and works on", promise.RevokedInTime,
			by(func(c zoo.Client) zoo.Client { return busy{c} })},
		{"read-write-lock", "passes the writers that wait", promise.NoOvertaking,
			by(func(c zoo.Client) zoo.Client { return pushing{c} })},
		{"multi-lock", "takes the locks as they come", promise.Progress, unsorted},
		{"reentrant-lock", "releases with the inner unlock", promise.TruthExclusion,
			reentrant{heldOnly: true, ownersOnly: true}.in},
		{"reentrant-lock", "lets anybody unlock", promise.Progress, reentrant{counts: true, heldOnly: true}.in},
		{"reentrant-lock", "does not ask who unlocks, nor what", promise.TruthExclusion, reentrant{counts: true}.in},
		{"reentrant-lock", "asks again for what it holds", promise.Progress,
			reentrant{counts: true, heldOnly: true, ownersOnly: true, asksAgain: true}.in},
	} {
		r := named(t, m.recipe)
		r.Main = recipe.OnZooKeeper(m.main(r))
		f := find(t, explore.Config{Recipe: r, Seeds: 100}).Found
		if f == nil {
			t.Errorf("%s that %s: not found in 100 seeds", m.recipe, m.wrong)
			continue
		}
		if f.Violation.Rule != m.rule {
			t.Errorf("%s that %s breaks %s, want %s: %s", m.recipe, m.wrong, f.Violation.Rule, m.rule, f.Violation.Sentence)
		}
		t.Logf("%s that %s: seed %d, %s\n%s", m.recipe, m.wrong, f.Seed, f.Scenario.Command(), f.Violation.Sentence)
	}
	right := named(t, "reentrant-lock")
	right.Main = recipe.OnZooKeeper(reentrant{counts: true, heldOnly: true, ownersOnly: true}.in(right))
	if f := find(t, explore.Config{Recipe: right, Seeds: 200}).Found; f != nil {
		t.Errorf("reentrant-lock with nothing wrong: %s\n%s", f.Violation.Sentence, f.Scenario.Command())
	}
}

// by runs a recipe with another kind of clients.
func by(kind func(zoo.Client) zoo.Client) func(recipe.Recipe) func(zoo.Client, recipe.Params) error {
	return func(r recipe.Recipe) func(zoo.Client, recipe.Params) error {
		return func(c zoo.Client, p recipe.Params) error { return r.Main(only{kind(c)}, p) }
	}
}

// only is a world that has only a ZooKeeper.
type only struct{ zoo.Client }

func (o only) ZooKeeper() zoo.Client                     { return o.Client }
func (only) Connect(int) remote.Conn                     { panic("there is a ZooKeeper alone") }
func (only) Beside(func(systems.World) error) (_ func()) { panic("nothing runs beside it") }

// stubborn waits for ever.
type stubborn struct{ zoo.Client }

func (c stubborn) Await(_ time.Duration, watches ...zoo.Watch) (zoo.WatchEvent, error) {
	return c.Client.Await(0, watches...)
}

// forgetful does not know how long it has waited.
type forgetful struct{ zoo.Client }

func (c forgetful) Now() time.Duration { return 0 }

// illiterate sees that its znode was set, but not the data.
type illiterate struct{ zoo.Client }

func (c illiterate) GetW(path string) ([]byte, zoo.Stat, zoo.Watch, error) {
	_, stat, w, err := c.Client.GetW(path)
	return nil, stat, w, err
}

// unwatching reads its own znode and leaves no watch.
type unwatching struct{ zoo.Client }

const noWatch zoo.Watch = -1

func (c unwatching) GetW(path string) ([]byte, zoo.Stat, zoo.Watch, error) {
	if !strings.Contains(path, "-"+strconv.FormatInt(c.SessionID(), 16)+"-") {
		return c.Client.GetW(path)
	}
	data, stat, err := c.Get(path)
	return data, stat, noWatch, err
}

func (c unwatching) Await(timeout time.Duration, watches ...zoo.Watch) (zoo.WatchEvent, error) {
	if watches[0] != noWatch {
		return c.Client.Await(timeout, watches...)
	}
	if err := c.Sleep(timeout); err != nil {
		return zoo.WatchEvent{}, err
	}
	return zoo.WatchEvent{}, zoo.ErrTimeout
}

// busy takes its time before it looks at a watch event.
type busy struct{ zoo.Client }

func (c busy) Await(timeout time.Duration, watches ...zoo.Watch) (zoo.WatchEvent, error) {
	e, err := c.Client.Await(timeout, watches...)
	if err == nil && e.Type == zoo.NodeDataChanged {
		err = c.Sleep(time.Second)
	}
	return e, err
}

// pushing sees those that are inside, and the readers, but no writer that waits.
type pushing struct{ zoo.Client }

func (c pushing) Children(path string) ([]string, zoo.Stat, error) {
	names, stat, err := c.Client.Children(path)
	first, me := kit.First(names), strconv.FormatInt(c.SessionID(), 16)
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return strings.HasPrefix(name, "write-") && name != first && !strings.Contains(name, me)
	}), stat, err
}

// unsorted makes multi-lock's second of three clients take b before a.
func unsorted(r recipe.Recipe) func(zoo.Client, recipe.Params) error {
	return func(c zoo.Client, p recipe.Params) error {
		if p.Index%3 == 2 {
			c = swapped{c}
		}
		return r.Main(only{c}, p)
	}
}

// swapped takes a for b, and b for a.
type swapped struct{ zoo.Client }

func swap(path string) string {
	return strings.NewReplacer("/multi-lock/a", "/multi-lock/b", "/multi-lock/b", "/multi-lock/a").Replace(path)
}

func (c swapped) Create(path string, data []byte, mode zoo.CreateMode) (string, error) {
	path, err := c.Client.Create(swap(path), data, mode)
	return swap(path), err
}
func (c swapped) Delete(path string, version int32) error {
	return c.Client.Delete(swap(path), version)
}
func (c swapped) GetW(path string) ([]byte, zoo.Stat, zoo.Watch, error) {
	return c.Client.GetW(swap(path))
}
func (c swapped) Children(path string) ([]string, zoo.Stat, error) {
	return c.Client.Children(swap(path))
}
func (c swapped) Phase(phase program.Phase, about program.Subject) {
	about.Path = swap(about.Path)
	c.Client.Phase(phase, about)
}

// reentrant is reentrant-lock with parts that can be left out, used as the recipe uses it: taken once more while
// inside, then unlocked by a thread that isn't the owner.
type reentrant struct{ counts, heldOnly, ownersOnly, asksAgain bool }

var errRefused = errors.New("not the owner")

func (m reentrant) in(recipe.Recipe) func(zoo.Client, recipe.Params) error {
	return func(c zoo.Client, p recipe.Params) error {
		return kit.Repeat(c, p, func(recipe.Params) error { return m.transfer(c, p) })
	}
}

func (m reentrant) transfer(c zoo.Client, p recipe.Params) error {
	var held program.Subject
	count := 0
	lock := func() (err error) {
		if count > 0 && !m.asksAgain {
			count++
			return nil
		}
		if held, err = m.queue(c, p.Root); err == nil {
			count++
		}
		return err
	}
	unlock := func(owner bool) error {
		if m.heldOnly && count == 0 || m.ownersOnly && !owner {
			return errRefused
		}
		if count--; count > 0 && m.counts {
			return nil
		}
		c.Phase(program.Released, held)
		return kit.Remove(c, held.Path)
	}
	owner := func() error { return unlock(true) }
	janitor := func() error { _ = unlock(false); return nil }
	work := func() error {
		c.Phase(program.Holding, held)
		return c.Work(p.Hold)
	}
	for _, step := range []func() error{lock, lock, work, owner, janitor, work, owner} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// queue waits for its turn.
func (m reentrant) queue(c zoo.Client, dir string) (program.Subject, error) {
	me, err := kit.Join(c, dir, "lock-")
	if err != nil {
		return program.Subject{}, err
	}
	mine := program.Subject{Path: dir + "/" + me, Fence: kit.Number(me)}
	c.Phase(program.Waiting, mine)
	for {
		ahead, err := kit.Ahead(c, dir, me)
		if err != nil || ahead == "" {
			return mine, err
		}
		if err := kit.WaitGone(c, dir+"/"+ahead, 0); err != nil {
			return mine, err
		}
	}
}
