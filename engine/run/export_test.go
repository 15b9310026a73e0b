package run

import (
	"context"
	"iter"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
)

// NewTree runs the scenario: its log is branch 0.
func NewTree(ctx context.Context, s Scenario) (*Tree, error) {
	first, err := First(ctx, s, 0)
	if err != nil {
		return nil, err
	}
	return TreeOf(s, first), nil
}

// Scenario returns what was run, defaults filled in.
func (t *Tree) Scenario() Scenario { return t.scenario }

// Fork computes what would have happened in a branch if f had happened too, and adds it.
func (t *Tree) Fork(ctx context.Context, parent int, f fault.Fault) (Branch, error) {
	b, err := t.Try(ctx, parent, f, 0)
	if err != nil {
		return Branch{}, err
	}
	return t.Add(b)
}

// Branch returns the branch with that ID.
func (t *Tree) Branch(id int) (Branch, bool) {
	all := t.Branches()
	if id < 0 || id >= len(all) {
		return Branch{}, false
	}
	return all[id], true
}

// Events yields a branch's events from the very first on, including its parents'. An unknown branch has none.
func (t *Tree) Events(id int) iter.Seq[event.Event] {
	return func(yield func(event.Event) bool) {
		b, ok := t.Branch(id)
		if !ok {
			return
		}
		for _, s := range t.history(b) {
			for e := range s.log.From(1) {
				if e.Seq >= s.until {
					break
				}
				if !yield(e) {
					return
				}
			}
		}
	}
}
