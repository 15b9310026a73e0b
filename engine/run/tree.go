package run

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
)

// MaxBranches is the most branches of one run. None is ever discarded.
const MaxBranches = 64

// Branch is one history of a simulated run: its parent's up to the event before From, then its own.
type Branch struct {
	ID     int
	Parent int           // -1 for the first
	At     time.Duration // of the fault that made it differ from its parent
	From   event.Seq     // its first own event
	Fault  string        // as written; empty for the first
	Header event.Header  // with all its faults
	Own    []event.Event // from From on, complete; never changed
}

// Last is the sequence number of the branch's last event.
func (b Branch) Last() event.Seq { return b.From + event.Seq(len(b.Own)) - 1 }

// Tree is a simulated run and its branches, each computed to its end. It may be used by several
// goroutines at once.
type Tree struct {
	scenario Scenario

	fork     sync.Mutex // held while a branch is computed
	mu       sync.Mutex // guards what follows
	branches []Branch
	faults   [][]fault.Fault // of each branch
}

// NewTree runs the scenario: its log is branch 0.
func NewTree(ctx context.Context, s Scenario) (*Tree, error) {
	s.MaxEvents = min(max(s.MaxEvents, 0), KeptEvents)
	setDefault(&s.MaxEvents, KeptEvents)
	s = s.WithDefaults()
	var log event.Log
	if err := Sim(ctx, s, &log); err != nil {
		return nil, err
	}
	t := &Tree{scenario: s}
	t.add(Branch{Parent: -1, From: 1, Header: s.Header("sim"), Own: log.Events}, s.Faults)
	return t, nil
}

// Scenario is what was run, defaults filled in.
func (t *Tree) Scenario() Scenario { return t.scenario }

// Fork computes what would have happened in a branch, had f happened too. What comes before f's time is
// the same, event by event, and is shared.
func (t *Tree) Fork(ctx context.Context, parent int, f fault.Fault) (Branch, error) {
	t.fork.Lock()
	defer t.fork.Unlock()
	from, faults, err := t.forkable(parent)
	if err != nil {
		return Branch{}, err
	}
	s := t.scenario
	s.Faults = append(slices.Clip(faults), f)
	tail := tail{tree: t, parent: from, last: from.Last()}
	if err := Sim(ctx, s, &tail); err != nil {
		return Branch{}, err
	}
	if len(tail.own) == 0 {
		return Branch{}, fmt.Errorf("fault %q: the run ended at %s, before it", f, from.end())
	}
	if first := tail.own[0]; first.At < f.At {
		return Branch{}, fmt.Errorf("fault %q changed what happened before it, at %s (event %d); please report this", f, first.At, first.Seq)
	}
	b := Branch{Parent: parent, At: f.At, From: tail.own[0].Seq, Fault: f.String(), Header: s.Header("sim"), Own: tail.own}
	return t.add(b, s.Faults), nil
}

func (t *Tree) forkable(parent int) (Branch, []fault.Fault, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if parent < 0 || parent >= len(t.branches) {
		return Branch{}, nil, fmt.Errorf("there is no branch %d", parent)
	}
	if len(t.branches) == MaxBranches {
		return Branch{}, nil, fmt.Errorf("this run has %d branches, which is the most: start it anew to go on", MaxBranches)
	}
	return t.branches[parent], t.faults[parent], nil
}

func (t *Tree) add(b Branch, faults []fault.Fault) Branch {
	t.mu.Lock()
	defer t.mu.Unlock()
	b.ID = len(t.branches)
	t.branches = append(t.branches, b)
	t.faults = append(t.faults, faults)
	return b
}

// Branches are all branches so far, by ID.
func (t *Tree) Branches() []Branch {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clip(t.branches)
}

// Branch is the branch with that ID.
func (t *Tree) Branch(id int) (Branch, bool) {
	all := t.Branches()
	if id < 0 || id >= len(all) {
		return Branch{}, false
	}
	return all[id], true
}

// Events are a branch's events from the very first on, its parents' included. There are none if there is
// no such branch.
func (t *Tree) Events(id int) iter.Seq[event.Event] {
	return func(yield func(event.Event) bool) {
		b, ok := t.Branch(id)
		for seq := event.Seq(1); ok && seq <= b.Last(); seq++ {
			if !yield(t.event(b, seq)) {
				return
			}
		}
	}
}

// event finds the event seq, at most b.Last(), in b or the parent that it comes from.
func (t *Tree) event(b Branch, seq event.Seq) event.Event {
	for seq < b.From {
		b, _ = t.Branch(b.Parent)
	}
	return b.Own[seq-b.From]
}

func (b Branch) end() time.Duration {
	if len(b.Own) == 0 {
		return b.At
	}
	return b.Own[len(b.Own)-1].At
}

// tail is a Sink that keeps what differs from the parent, from the first difference on.
type tail struct {
	tree   *Tree
	parent Branch
	last   event.Seq // of the parent
	own    []event.Event
}

func (t *tail) Append(e event.Event) {
	if len(t.own) == 0 && e.Seq <= t.last {
		if t.tree.event(t.parent, e.Seq) == e {
			return
		}
	}
	t.own = append(t.own, e)
}
