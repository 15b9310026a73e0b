package recipes

import (
	"errors"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// readWriteLock is one queue of readers and writers. Readers that no writer parts are inside together; a
// writer is inside alone. Since all stand in one queue, no stream of readers can keep a writer out.
type readWriteLock struct{ dir string }

const (
	read  = "read-"
	write = "write-"
)

func (l readWriteLock) lock(c zoo.Client, kind string) (me string, err error) {
	me, err = kit.Join(c, l.dir, kind)
	if err != nil {
		return "", err
	}
	c.Phase(program.Waiting, l.subject(me))
	for {
		names, err := kit.List(c, l.dir)
		if err != nil {
			return me, err
		}
		ahead, err := kit.JustAhead(inTheWay(names, me), me)
		if err != nil || ahead == "" {
			return me, err
		}
		if err := kit.WaitGone(c, l.dir+"/"+ahead, 0); err != nil {
			return me, err
		}
	}
}

// inTheWay returns me and the members that me has to wait for if they are ahead: for a writer everybody, for a
// reader the writers.
func inTheWay(names []string, me string) []string {
	if strings.HasPrefix(me, write) {
		return names
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return strings.HasPrefix(name, read) && name != me
	})
}

// downgrade makes a reader of a writer, at the same place in the queue. Both happen in one step, so that
// nobody gets in between.
func (l readWriteLock) downgrade(c zoo.Client, writer, reader string) error {
	for {
		_, err := c.Multi(
			zoo.CreateOp(l.dir+"/"+reader, nil, zoo.Ephemeral),
			zoo.DeleteOp(l.dir+"/"+writer, zoo.AnyVersion),
		)
		switch {
		case errors.Is(err, zoo.ErrNodeExists):
			return nil // done before; only the answer was lost
		case !kit.Unknown(err):
			return err
		}
	}
}

func (l readWriteLock) unlock(c zoo.Client, me string) error {
	c.Phase(program.Released, l.subject(me))
	return kit.Remove(c, l.dir+"/"+me)
}

func (l readWriteLock) subject(me string) program.Subject {
	return program.Subject{Path: l.dir + "/" + me, Fence: kit.Number(me)}
}

func (l readWriteLock) useAsReader(c zoo.Client, p recipe.Params) error {
	me, err := l.lock(c, read)
	if err != nil {
		return err
	}
	c.Phase(program.Reading, l.subject(me))
	if err := kit.Copy(c, p.Hold); err != nil {
		return err
	}
	return l.unlock(c, me)
}

// useAsWriter writes, then reads what it wrote before another writer can change it.
func (l readWriteLock) useAsWriter(c zoo.Client, p recipe.Params) error {
	me, err := l.lock(c, write)
	if err != nil {
		return err
	}
	c.Phase(program.Writing, l.subject(me))
	if err := kit.Revise(c, p.Hold); err != nil {
		return err
	}
	reader := read + strings.TrimPrefix(me, write)
	c.Phase(program.Reading, l.subject(reader)) // it writes no more, before others are let in to read
	if err := l.downgrade(c, me, reader); err != nil {
		return err
	}
	if err := kit.Copy(c, p.Hold); err != nil {
		return err
	}
	return l.unlock(c, reader)
}

// readWriteRole makes every third client a writer.
func readWriteRole(index, _ int) string {
	if index%3 == 1 {
		return program.Writer
	}
	return program.Reader
}

var readWriteLockRecipe = recipe.Recipe{
	Kind:     recipe.Right,
	Name:     "read-write-lock",
	Use:      recipe.ForReadWrite,
	File:     "read_write_lock.go",
	Promises: []string{promise.ReadersWriters, promise.NoOvertaking, promise.Progress, promise.Clean},
	Sources: []string{"ZooKeeper documentation, Recipes and Solutions: Shared Locks",
		"Apache Curator, InterProcessReadWriteLock"},
	MinClients: 2,
	Drawing:    event.Drawing{Stores: kit.Document()},
	Role:       readWriteRole,
	Parents:    recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		l, use := readWriteLock{p.Root}, readWriteLock.useAsReader
		if p.RoleOr(readWriteRole) == program.Writer {
			use = readWriteLock.useAsWriter
		}
		return kit.Repeat(c, p, func(p recipe.Params) error { return use(l, c, p) })
	}),
}
