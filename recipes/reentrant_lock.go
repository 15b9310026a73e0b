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

// reentrantLock is a lock that its owner may take again. It counts how often, and asks ZooKeeper for the
// first time and the last only.
//
// The owner is a thread. ZooKeeper knows only the session, which all threads of a program share, so the lock
// itself has to tell them apart.
type reentrantLock struct {
	line  predecessorLock
	owner string // the thread that holds it
	held  program.Subject
	count int
}

var errNotOwner = errors.New("another thread holds the lock, or none")

// Lock waits for other programs. A thread of the same program is refused: it has to wait for the owner by
// the means of its own language.
func (l *reentrantLock) Lock(c zoo.Client, thread string) error {
	switch {
	case l.count > 0 && l.owner != thread:
		return errNotOwner
	case l.count > 0:
		l.count++
		c.Note("it holds the lock already: one more on the count, and no request")
		return nil
	}
	held, err := l.line.Lock(c)
	if err == nil {
		l.owner, l.held, l.count = thread, held, 1
	}
	return err
}

func (l *reentrantLock) Unlock(c zoo.Client, thread string) error {
	if l.count == 0 || l.owner != thread {
		return errNotOwner
	}
	l.count--
	if l.count > 0 {
		c.Note("one less on the count: it still holds the lock")
		return nil
	}
	c.Phase(program.Released, l.held)
	return l.line.Unlock(c, l.held)
}

// mine returns what it holds, and how often.
func (l *reentrantLock) mine() program.Subject {
	return program.Subject{Path: l.held.Path, Fence: l.held.Fence, Times: l.count}
}

// The threads of a client: one does the work, the other tidies up what it takes for forgotten.
const (
	clerk   = "clerk"
	janitor = "janitor"
)

// transfer locks and calls book, which locks as well: it may be called from anywhere. After that has unlocked,
// and whatever the janitor tries, the rest of the transfer still has to be alone.
func transfer(c zoo.Client, l *reentrantLock, p recipe.Params) error {
	if err := l.Lock(c, clerk); err != nil {
		return err
	}
	if err := book(c, l, p); err != nil {
		return err
	}
	if errors.Is(l.Unlock(c, janitor), errNotOwner) {
		c.Note("a thread that is not the owner tries to release the lock, and is refused")
	}
	c.Phase(program.Holding, l.mine())
	if err := kit.Transfer(c, p.Hold, kit.Deposited); err != nil {
		return err
	}
	return l.Unlock(c, clerk)
}

// book makes one entry.
func book(c zoo.Client, l *reentrantLock, p recipe.Params) error {
	if err := l.Lock(c, clerk); err != nil {
		return err
	}
	c.Phase(program.Holding, l.mine())
	if err := kit.Transfer(c, p.Hold, kit.Withdrawn); err != nil {
		return err
	}
	return l.Unlock(c, clerk)
}

var reentrantLockRecipe = recipe.Recipe{
	Kind:       recipe.Right,
	Name:       "reentrant-lock",
	File:       "reentrant_lock.go",
	Promises:   []string{promise.TruthExclusion, promise.Order, promise.Progress, promise.OneWakeup, promise.Clean},
	Limits:     []string{promise.BeliefExclusion},
	Sources:    []string{"Menagerie, ReentrantZkLock", "Apache Curator, InterProcessMutex"},
	MinClients: 1,
	Drawing:    event.Drawing{Kind: event.DrawQueue, Stores: kit.Accounts()},
	Parents:    recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.Repeat(c, p, func(p recipe.Params) error {
			return transfer(c, &reentrantLock{line: predecessorLock{dir: p.Root}}, p)
		})
	}),
}
