package player

import (
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// MaxBranches is more than any server creates.
const MaxBranches = 1024

// Delay is how far, in wall time, a live run is shown behind the events received, so that it moves smoothly.
const Delay = 300 * time.Millisecond

// Log is the run, as far as it has arrived: its branches, and which one is shown.
type Log struct {
	run    Run
	tracks []*Track // by branch ID; nil until announced
	branch int
	heard  time.Duration // wall time since the last event arrived, for the live edge
	news   uint64
}

// Run returns the run being played.
func (l *Log) Run() Run { return l.run }

// News changes whenever something arrives, even if the picture doesn't show it yet: a live run goes on during a pause.
func (l *Log) News() uint64 { return l.news }

// Branch returns the ID of the branch that is shown.
func (l *Log) Branch() int { return l.branch }

// Shown returns the branch that is shown, nil if it can't be shown yet.
func (l *Log) Shown() *Track {
	if l.branch < len(l.tracks) {
		if t := l.tracks[l.branch]; t != nil && t.history != nil {
			return t
		}
	}
	return nil
}

// Branches returns all branches that the server has announced, by ID.
func (l *Log) Branches() []Branch {
	var all []Branch
	for _, t := range l.tracks {
		if t != nil {
			all = append(all, t.Branch)
		}
	}
	return all
}

// Have returns how many events of each branch have arrived: where to continue after a reconnect.
func (l *Log) Have() map[int]int {
	have := map[int]int{}
	for id, t := range l.tracks {
		if t != nil {
			have[id] = t.have()
		}
	}
	return have
}

// Descent returns the branches on the way from the first one, which it omits, to the given one.
func Descent(branches []Branch, id int) (all []Branch) {
	for id > 0 {
		i := slices.IndexFunc(branches, func(b Branch) bool { return b.ID == id })
		if i < 0 || branches[i].Parent >= id {
			break
		}
		all = append(all, branches[i])
		id = branches[i].Parent
	}
	slices.Reverse(all)
	return all
}

// announced reports whether the server has announced the branch.
func (l *Log) announced(id int) bool { return id >= 0 && id < len(l.tracks) && l.tracks[id] != nil }

// putBranch adds or changes a branch.
func (l *Log) putBranch(b Branch) error {
	first := b.Parent == -1
	if b.ID < 0 || b.ID >= MaxBranches || !first && (b.From < 1 || b.Parent >= b.ID || !l.announced(b.Parent)) {
		return fmt.Errorf("branch %d of %d: impossible", b.ID, b.Parent)
	}
	for len(l.tracks) <= b.ID {
		l.tracks = append(l.tracks, nil)
	}
	t := l.tracks[b.ID]
	if t == nil {
		t = &Track{judging: protocol.Judged(l.run.Header)}
		l.tracks[b.ID] = t
	}
	t.Branch = b
	l.inherit(t)
	l.news++
	return nil
}

// inherit gives a new branch the events that it shares with its parent, once they have arrived.
func (l *Log) inherit(t *Track) {
	switch {
	case t.history != nil:
		return
	case t.Parent < 0:
		t.history = view.NewHistoryFor(l.run.Header)
		return
	}
	parent := l.tracks[t.Parent]
	if parent.history == nil || parent.history.Len() < int(t.From)-1 {
		return
	}
	t.history = parent.history.Fork(t.From - 1)
	t.catchUp(atOnce)
	shared := sort.Search(len(parent.steps), func(i int) bool { return parent.steps[i].Seq >= t.From })
	t.putSteps(parent.steps[:shared])
	early := t.early
	t.early = nil
	for _, e := range early {
		t.put(e)
	}
}

// putSteps adds steps to their branches.
func (l *Log) putSteps(steps []Step) {
	of := map[*Track][]Step{}
	for _, s := range steps {
		if l.announced(s.Branch) {
			of[l.tracks[s.Branch]] = append(of[l.tracks[s.Branch]], s)
		}
	}
	for t, its := range of {
		t.putSteps(its)
	}
	l.news++
}

// take adds events of a branch, as far as none are missing.
func (l *Log) take(branch int, events []event.Event) error {
	if !l.announced(branch) {
		return fmt.Errorf("events of branch %d, which was not announced", branch)
	}
	l.news++
	t := l.tracks[branch]
	for _, e := range events {
		have := t.have()
		if int(e.Seq) <= have {
			continue
		}
		if int(e.Seq) != have+1 {
			return fmt.Errorf("branch %d goes from event %d to %d: some are missing", branch, have, e.Seq)
		}
		t.put(e)
	}
	t.Events = max(t.Events, event.Seq(t.have()))
	for _, later := range l.tracks { // a parent comes before its branches
		if later != nil {
			l.inherit(later)
		}
	}
	if branch == l.branch {
		l.heard = 0
	}
	return nil
}

// Edge returns how far the player can play now. A live run's edge advances even without events, Delay behind them.
func (l *Log) Edge() time.Duration {
	t := l.Shown()
	if t == nil || t.complete() || !l.run.Live() {
		return t.End()
	}
	return max(t.last()+l.heard-Delay, 0)
}

// Over reports whether the run was live and has ended.
func (l *Log) Over() bool {
	t := l.Shown()
	return l.run.Live() && t != nil && t.complete()
}
