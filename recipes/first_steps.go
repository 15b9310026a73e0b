package recipes

import (
	"errors"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// shop is where programs meet that know nothing of each other: one keeps a price and a sign in ZooKeeper,
// the others want to know both.
type shop struct {
	price string // persistent: it stays when its writer is gone
	sign  string // ephemeral: it goes with the session that made it

	// patience is how long a customer waits for news. A watch tells only of what comes after it: anyone who is late
	// would wait for ever for what has already been.
	patience time.Duration
}

// wholeDay is how many times the keeper holds still in its day.
const wholeDay = 6

// keep is the keeper's day.
func (s shop) keep(c zoo.Client, hold time.Duration) error {
	day := []func() error{
		func() error { return made(c.Create(s.price, []byte("10"), zoo.Persistent)) },
		func() error { return c.Work(hold) },
		func() error { return changed(c.Set(s.price, []byte("11"), zoo.AnyVersion)) }, // nobody has asked to be told
		func() error { return c.Work(hold) },
		func() error { return made(c.Create(s.sign, nil, zoo.Ephemeral)) },
		func() error { return c.Work(hold) },
		func() error { return changed(c.Set(s.price, []byte("12"), zoo.AnyVersion)) }, // anyone who watches is told
		func() error { return c.Work(hold) },
		func() error { return changed(c.Set(s.price, []byte("13"), zoo.AnyVersion)) }, // and is not told again
		func() error { return c.Work(hold) },
		func() error { return c.Work(hold) },
	}
	for _, next := range day {
		if err := kit.Insist(next); err != nil {
			return err
		}
	}
	return nil // the session ends here, and the sign with it
}

// visit is a customer's day. It ends with zoo.ErrTimeout if there was no news for too long.
func (s shop) visit(c zoo.Client, hold time.Duration) error {
	if err := s.ask(c, false); err != nil {
		return err
	}
	if err := c.Work(hold); err != nil { // what it has read gets old
		return err
	}
	if err := waitUntil(c, s.sign, true, s.patience); err != nil {
		return err
	}
	if err := s.ask(c, true); err != nil {
		return err
	}
	if err := s.ask(c, false); err != nil {
		return err
	}
	return waitUntil(c, s.sign, false, 0) // it does not outlive its keeper, so this comes for sure
}

// ask reads the price and, if told to, waits until it is another one.
func (s shop) ask(c zoo.Client, wait bool) error {
	var data []byte
	var other zoo.Watch
	err := kit.Insist(func() (err error) {
		if wait {
			data, _, other, err = c.GetW(s.price)
		} else {
			data, _, err = c.Get(s.price)
		}
		return err
	})
	if errors.Is(err, zoo.ErrNoNode) { // the keeper is late
		if err := waitUntil(c, s.price, true, s.patience); err != nil {
			return err
		}
		return s.ask(c, wait)
	}
	if err != nil {
		return err
	}
	c.Note("the price is " + string(data))
	if wait {
		_, err = c.Await(s.patience, other)
	}
	return err
}

// waitUntil waits until a znode is there, or until it is gone, and takes the first change for it.
func waitUntil(c zoo.Client, path string, there bool, patience time.Duration) error {
	var is bool
	var turn zoo.Watch
	err := kit.Insist(func() (err error) {
		is, _, turn, err = c.ExistsW(path)
		return err
	})
	if err != nil || is == there {
		return err
	}
	_, err = c.Await(patience, turn)
	return err
}

func changed(_ zoo.Stat, err error) error { return err }

const (
	keeper   = "keeper"
	customer = "customer"
)

func shopRole(index, _ int) string {
	if index == 1 {
		return keeper
	}
	return customer
}

var firstStepsRecipe = recipe.Recipe{
	Kind:       recipe.Right,
	Name:       "first-steps",
	File:       "first_steps.go",
	MinClients: 2,
	Promises:   []string{promise.Progress},
	Role:       shopRole,
	Drawing:    event.Drawing{Shows: event.ShowReads},
	Parents:    recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		s := shop{price: p.Root + "/price", sign: p.Root + "/open", patience: max(2*wholeDay*p.Hold, 2*time.Second)}
		if shopRole(p.Index, p.Clients) == keeper {
			return s.keep(c, p.Hold)
		}
		if err := s.visit(c, p.Hold); !errors.Is(err, zoo.ErrTimeout) {
			return err
		}
		c.Note("the shop is closed, it seems")
		return nil
	}),
}
