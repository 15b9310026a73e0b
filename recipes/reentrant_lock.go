package recipes

import (
	"errors"

	"github.com/zkviz/zkviz/engine/zoo"
	"github.com/zkviz/zkviz/recipes/kit"
)

// reentrantLock is a lock that its owner may take again. It counts how often, and asks ZooKeeper for the
// first time and the last only.
type reentrantLock struct {
	line  predecessorLock
	owner int64 // the session that holds it
	held  zoo.Subject
	count int
}

var errNotOwner = errors.New("unlock: this session does not hold the lock")

func (l *reentrantLock) Lock(c zoo.Client) (zoo.Subject, error) {
	if l.count > 0 && l.owner == c.SessionID() {
		l.count++
		c.Note("it holds the lock already: one more on the count, and no request")
		return l.held, nil
	}
	held, err := l.line.Lock(c)
	if err == nil {
		l.owner, l.held, l.count = c.SessionID(), held, 1
	}
	return held, err
}

func (l *reentrantLock) Unlock(c zoo.Client, held zoo.Subject) error {
	if l.count == 0 || l.owner != c.SessionID() {
		return errNotOwner
	}
	l.count--
	if l.count > 0 {
		c.Note("one less on the count: it still holds the lock")
		return nil
	}
	c.Phase(zoo.Released, held)
	return l.line.Unlock(c, held)
}

// transfer locks and calls deposit, which locks as well: it may be called from anywhere.
func transfer(c zoo.Client, l *reentrantLock, p kit.Params) error {
	held, err := l.Lock(c)
	if err != nil {
		return err
	}
	c.Phase(zoo.Holding, held)
	if err := deposit(c, l, p); err != nil {
		return err
	}
	return l.Unlock(c, held)
}

func deposit(c zoo.Client, l *reentrantLock, p kit.Params) error {
	held, err := l.Lock(c)
	if err != nil {
		return err
	}
	if err := c.Work(p.Hold); err != nil {
		return err
	}
	return l.Unlock(c, held)
}

func reentrantLockRecipe() kit.Recipe {
	return kit.Recipe{
		Kind:       kit.Right,
		Name:       "reentrant-lock",
		Summary:    "A lock that its owner may take again: it counts, and lets the next one in when the count is back at nought.",
		File:       "reentrant_lock.go",
		Promises:   []string{kit.TruthExclusion, kit.Order, kit.Progress, kit.OneWakeup, kit.Clean},
		Limits:     []string{kit.BeliefExclusion},
		Cost:       "As predecessor-lock for the outermost acquisition; nothing for those inside it.",
		Sources:    []string{"Menagerie, ReentrantZkLock", "Apache Curator, InterProcessMutex"},
		MinClients: 1,
		Parents:    kit.JustRoot,
		Main: func(c zoo.Client, p kit.Params) error {
			return kit.Repeat(c, p, func() error {
				return transfer(c, &reentrantLock{line: predecessorLock{p.Root}}, p)
			})
		},
	}
}
