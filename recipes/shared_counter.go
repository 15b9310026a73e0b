package recipes

import (
	"errors"
	"strconv"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// sharedCounter is a number in a znode that many raise: read it, and write one more if nobody else has
// written meanwhile.
type sharedCounter struct {
	path    string
	authors string // the parent of one ephemeral znode for each client, with the last number that it wrote
}

func (s sharedCounter) raise(c zoo.Client, author string) (int64, error) {
	for {
		n, version, err := s.read(c)
		if err != nil {
			return 0, err
		}
		next := []byte(strconv.FormatInt(n+1, 10))
		// The author notes it in the same transaction. That the counter shows the number would prove nothing:
		// another may have written it, or written a greater one over ours.
		_, err = c.Multi(zoo.SetOp(s.path, next, version), zoo.SetOp(author, next, zoo.AnyVersion))
		if kit.Unknown(err) {
			err = s.ask(c, author, string(next))
		}
		if !errors.Is(err, zoo.ErrBadVersion) {
			return n + 1, err
		}
		// Somebody was faster: read again.
	}
}

// read is the number, 0 in an empty znode, and its version.
func (s sharedCounter) read(c zoo.Client) (int64, int32, error) {
	for {
		text, stat, err := c.Get(s.path)
		if kit.Unknown(err) {
			continue
		}
		if err != nil || len(text) == 0 {
			return 0, stat.Version, err
		}
		n, err := strconv.ParseInt(string(text), 10, 64)
		return n, stat.Version, err
	}
}

// ask finds out whether a write whose answer was lost went through. If not, it is as one that came too late.
func (s sharedCounter) ask(c zoo.Client, author, text string) error {
	for {
		wrote, _, err := c.Get(author)
		switch {
		case kit.Unknown(err):
			continue
		case err == nil && string(wrote) != text:
			return zoo.ErrBadVersion
		}
		return err
	}
}

func useSharedCounter(c zoo.Client, p recipe.Params) error {
	s := sharedCounter{path: p.Root + "/counter", authors: p.Root + "/authors"}
	author, err := kit.Join(c, s.authors, "author-")
	if err != nil {
		return err
	}
	for range p.Rounds {
		n, err := s.raise(c, s.authors+"/"+author)
		if err != nil {
			return err
		}
		c.Phase(program.Counted, program.Subject{Path: s.path, Fence: n})
		if err := kit.Invoice(c, n, p.Hold); err != nil {
			return err
		}
	}
	return nil
}

var sharedCounterRecipe = recipe.Recipe{
	Kind:       recipe.Right,
	Name:       "shared-counter",
	File:       "shared_counter.go",
	Promises:   []string{promise.Unique, promise.Progress, promise.Clean},
	Sources:    []string{"Apache Curator, DistributedAtomicLong", "kazoo, Counter"},
	MinClients: 1,
	Drawing:    event.Drawing{Stores: kit.Invoices(), Shows: event.ShowReads},
	Parents:    func(root string) []string { return []string{root, root + "/counter", root + "/authors"} },
	Main:       recipe.OnZooKeeper(useSharedCounter),
}
