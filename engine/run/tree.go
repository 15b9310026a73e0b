package run

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/packed"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// MaxBranches is the most branches of one run. None is ever discarded.
const MaxBranches = 64

// Branch is one history of a simulated run: its parent's up to the event before From, then its own.
type Branch struct {
	ID     int
	Parent int           // -1 for the first
	At     time.Duration // time of the fault that made it differ from its parent
	From   event.Seq     // its first own event
	Fault  string        // as written; empty for the first
	Header event.Header  // with all its faults
	Own    packed.Log    // all events from From on

	faults []fault.Fault // all of them
	end    time.Duration // time of the last event
}

// Last returns the sequence number of the branch's last event.
func (b Branch) Last() event.Seq { return b.Own.Next() - 1 }

// The memory of a branch apart from its events: itself and, for each of its faults, the fault, its text and the
// text's entry in the header.
const (
	branchSize = 1 << 10
	faultSize  = 160
)

// Size returns the branch's memory in bytes.
func (b Branch) Size() int {
	return branchSize + len(b.faults)*faultSize + b.Own.Size()
}

// Tree is a simulated run and its branches, each computed to its end. Several goroutines may use it at once.
type Tree struct {
	scenario Scenario

	mu       sync.Mutex
	branches []Branch
}

// First runs the scenario and returns branch 0 of its trees. It returns ErrTooLarge if the branch takes more than
// most bytes; 0 is no limit. Sinks in also get its events.
func First(ctx context.Context, s Scenario, most int, also ...event.Sink) (Branch, error) {
	s = s.inMemory()
	g := gatherer{most: most}
	if err := g.gather(ctx, s, append(event.Tee{&g}, also...)); err != nil {
		return Branch{}, err
	}
	return Branch{Parent: -1, From: 1, Header: s.Header(event.Simulated), Own: g.log.Log(), end: g.end, faults: s.Faults},
		nil
}

// TreeOf returns the tree of a scenario whose branch 0 exists already. Trees may share it.
func TreeOf(s Scenario, first Branch) *Tree {
	return &Tree{scenario: s.inMemory(), branches: []Branch{first}}
}

// inMemory returns the scenario with its defaults, and a limit on its log.
func (s Scenario) inMemory() Scenario {
	s.MaxEvents = cmp.Or(min(max(s.MaxEvents, 0), KeptEvents), KeptEvents)
	return s.WithDefaults()
}

// Most returns the most events that a branch may have.
func (t *Tree) Most() int { return t.scenario.MaxEvents }

// Try computes what would have happened in a branch if f had happened too. What comes before f's time is the same,
// event by event, and is shared. The tree doesn't change until Add. Try returns ErrTooLarge if the branch takes
// more than most bytes; 0 is no limit. Sinks in also get all events, from the first on.
func (t *Tree) Try(ctx context.Context, parent int, f fault.Fault, most int, also ...event.Sink) (Branch, error) {
	from, err := t.forkable(parent)
	if err != nil {
		return Branch{}, err
	}
	s := t.scenario
	s.Faults = append(slices.Clip(from.faults), f)
	tail := tail{parents: t.history(from), fault: f.String(), own: gatherer{most: most}}
	if err := tail.own.gather(ctx, s, append(event.Tee{&tail}, also...)); err != nil {
		return Branch{}, err
	}
	if tail.from == 0 {
		return Branch{}, sentence.Error("bad.fault.late", sentence.Quote(f.String()), sentence.Duration(from.end))
	}
	if tail.missed {
		return Branch{}, sentence.Error("bad.fault.missed", sentence.Quote(f.String()))
	}
	if tail.at < f.At {
		return Branch{}, sentence.Error("failed.fork", sentence.Quote(f.String()), sentence.Duration(tail.at),
			sentence.Number(tail.from))
	}
	return Branch{Parent: parent, At: f.At, From: tail.from, Fault: f.String(), Header: s.Header(event.Simulated),
		Own: tail.own.log.Log(), end: tail.own.end, faults: s.Faults}, nil
}

// Add appends a branch from Try, of this tree or of one with an equal parent, and numbers it.
func (t *Tree) Add(b Branch) (Branch, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, err := t.parent(b.Parent); err != nil {
		return Branch{}, err
	}
	b.ID = len(t.branches)
	t.branches = append(t.branches, b)
	return b, nil
}

// forkable finds a branch that may get another child.
func (t *Tree) forkable(id int) (Branch, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.parent(id)
}

func (t *Tree) parent(id int) (Branch, error) {
	if id < 0 || id >= len(t.branches) {
		return Branch{}, sentence.Error("bad.branch", sentence.Number(id))
	}
	if len(t.branches) >= MaxBranches {
		return Branch{}, sentence.Error("refused.branches", sentence.Number(MaxBranches))
	}
	return t.branches[id], nil
}

// Branches returns all branches so far, by ID.
func (t *Tree) Branches() []Branch {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clip(t.branches)
}

// stretch is a part of a branch's history: a log up to an event.
type stretch struct {
	log   packed.Log
	until event.Seq
}

// history returns the parts of a branch, from its first event on.
func (t *Tree) history(b Branch) (list []stretch) {
	all := t.Branches()
	for until := b.Last() + 1; ; b = all[b.Parent] {
		if b.From < until {
			list = append(list, stretch{b.Own, until})
			until = b.From
		}
		if b.Parent < 0 {
			slices.Reverse(list)
			return list
		}
	}
}

// tail is a Sink that keeps what differs from the parent, from the first difference on.
type tail struct {
	parents []stretch // which may still contain e
	reader  *packed.Reader
	from    event.Seq     // the first that differs, 0 while none does
	at      time.Duration // its time
	fault   string        // the fault that makes the difference
	missed  bool          // it strikes a message that isn't on its way
	own     gatherer
}

func (t *tail) Append(e event.Event) {
	if t.from == 0 {
		if t.same(e) {
			return
		}
		t.from, t.at = e.Seq, e.At
	}
	t.missed = t.missed || e.Text == t.fault && fault.Missed(e)
	t.own.Append(e)
}

// same reports whether the parent also has e.
func (t *tail) same(e event.Event) bool {
	for len(t.parents) > 0 && e.Seq >= t.parents[0].until {
		t.parents, t.reader = t.parents[1:], nil
	}
	if len(t.parents) == 0 {
		return false
	}
	if t.reader == nil {
		t.reader = t.parents[0].log.Reader(e.Seq)
	}
	return t.reader.Passes(e)
}
