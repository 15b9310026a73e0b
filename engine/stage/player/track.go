package player

import (
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// MaxBranches is more than any server creates.
const MaxBranches = 1024

// track is a branch, as far as it has arrived.
type track struct {
	Branch
	history *view.History // nil until all events shared with the parent have arrived
	early   []event.Event // its own events until then
	steps   []Step        // by Seq, including those inherited from the parent
	read    int           // how many events of the history these two have read:
	quiet   quiet
	checker *check.Checker
	report  check.Report // on the first judged of them
	judged  int
}

// PutBranch adds or changes a branch. A new branch must name an earlier one as its parent.
func (p *Player) PutBranch(b Branch, steps []Step) error {
	first := b.Parent == -1
	if b.ID < 0 || b.ID >= MaxBranches || !first && (b.From < 1 || b.Parent >= b.ID || !p.announced(b.Parent)) {
		return fmt.Errorf("branch %d of %d: impossible", b.ID, b.Parent)
	}
	for len(p.tracks) <= b.ID {
		p.tracks = append(p.tracks, nil)
	}
	t := p.tracks[b.ID]
	if t == nil {
		t = &track{}
		p.tracks[b.ID] = t
	}
	p.arrive(func() {
		t.Branch = b
		p.inherit(t)
	})
	p.PutSteps(steps)
	return nil
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
func (p *Player) announced(id int) bool { return id >= 0 && id < len(p.tracks) && p.tracks[id] != nil }

// arrive takes what the server sent, and touches only if that changes the picture.
func (p *Player) arrive(take func()) {
	seen, step := p.track() != nil, p.Step()
	take()
	p.news++
	if (p.track() != nil) != seen || p.Step() != step {
		p.touch()
	}
}

// inherit gives a new branch the events that it shares with its parent, once they have arrived.
func (p *Player) inherit(t *track) {
	switch {
	case t.history != nil:
		return
	case t.Parent < 0:
		t.history, t.checker = view.NewHistoryFor(p.run.Header), check.New(p.run.Header.Rules(), p.run.Header)
		return
	}
	parent := p.tracks[t.Parent]
	if parent.history == nil || parent.history.Len() < int(t.From)-1 {
		return
	}
	t.history, t.checker = parent.history.Fork(t.From-1), check.New(p.run.Header.Rules(), p.run.Header)
	t.catchUp(atOnce)
	shared := sort.Search(len(parent.steps), func(i int) bool { return parent.steps[i].Seq >= t.From })
	t.putSteps(parent.steps[:shared])
	early := t.early
	t.early = nil
	for _, e := range early {
		t.put(e)
	}
}

// PutSteps adds the ends of steps, in any order, and replaces known ones. Branches made later share them.
func (p *Player) PutSteps(steps []Step) {
	p.arrive(func() {
		of := map[*track][]Step{}
		for _, s := range steps {
			if p.announced(s.Branch) {
				of[p.tracks[s.Branch]] = append(of[p.tracks[s.Branch]], s)
			}
		}
		for t, its := range of {
			t.putSteps(its)
		}
	})
	p.settle()
}

// putSteps adds steps; the last one with an anchor counts. Later steps follow earlier ones at the same event.
func (t *track) putSteps(steps []Step) {
	last := make(map[string]int, len(steps))
	for i, s := range steps {
		last[s.Anchor] = i
	}
	t.steps = slices.DeleteFunc(t.steps, func(old Step) bool { _, again := last[old.Anchor]; return again })
	for i, s := range steps {
		if last[s.Anchor] == i {
			t.steps = append(t.steps, s)
		}
	}
	sort.SliceStable(t.steps, func(i, j int) bool { return t.steps[i].Seq < t.steps[j].Seq })
}

// Append adds events of a branch in order. It skips events that it has, so a server may repeat some after a reconnect.
// A gap is an error, and events after it are dropped.
func (p *Player) Append(branch int, events []event.Event) error {
	if !p.announced(branch) {
		return fmt.Errorf("events of branch %d, which was not announced", branch)
	}
	var err error
	p.arrive(func() { err = p.take(branch, events) })
	if err != nil {
		return err
	}
	if branch == p.branch {
		p.heard = 0
	}
	p.settle()
	return nil
}

func (p *Player) take(branch int, events []event.Event) error {
	t := p.tracks[branch]
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
	for _, later := range p.tracks { // a parent comes before its branches
		if later != nil {
			p.inherit(later)
		}
	}
	return nil
}

func (t *track) put(e event.Event) {
	if t.history == nil {
		t.early = append(t.early, e)
		return
	}
	t.history.Append(e)
	if t.read == t.history.Len()-1 {
		t.catchUp(1)
	}
}

// atOnce is the number of events that catchUp reads in one go: a branch may share millions with its parent.
const atOnce = 10_000

// catchUp judges up to most of the unjudged events.
func (t *track) catchUp(most int) {
	for to := min(t.read+most, t.history.Len()); t.read < to; t.read++ {
		e := t.history.Event(t.read)
		t.checker.Append(e)
		t.quiet.take(e)
	}
}

// unjudged counts the events that have arrived and are not judged yet.
func (t *track) unjudged() int {
	if t.history == nil {
		return 0
	}
	return t.history.Len() - t.read
}

// have returns the last event of the branch that has arrived.
func (t *track) have() int {
	if t.history == nil {
		return int(t.From) - 1 + len(t.early)
	}
	return t.history.Len()
}

// Have returns how many events of each branch have arrived: where to continue after a reconnect.
func (p *Player) Have() map[int]int {
	have := map[int]int{}
	for id, t := range p.tracks {
		if t != nil {
			have[id] = t.have()
		}
	}
	return have
}

// complete reports whether the whole branch has arrived.
func (t *track) complete() bool { return t.Ended && t.history.Len() >= int(t.Events) }

// last returns the time of the last event that has arrived.
func (t *track) last() time.Duration {
	if n := t.history.Len(); n > 0 {
		return t.history.Event(n - 1).At
	}
	return 0
}

// end returns how far the branch can be played: a little beyond its last event, so that its effects are seen to end.
func (t *track) end() time.Duration {
	if t.complete() {
		return t.last() + view.Keep
	}
	return t.last()
}

// time returns the time of an event.
func (t *track) time(seq event.Seq) time.Duration {
	e, _ := t.history.Lookup(seq)
	return e.At
}

// place returns the playhead's position at a step, or at the repeated one if it looks back.
func (t *track) place(s Step) (time.Duration, event.Seq) {
	if i := t.index(s.Again); i >= 0 {
		s = t.steps[i]
	}
	return t.told(s)
}

// index returns the index of the step with the anchor, or -1.
func (t *track) index(anchor string) int {
	if anchor == "" {
		return -1
	}
	return slices.IndexFunc(t.steps, func(s Step) bool { return s.Anchor == anchor })
}

// told returns the position up to which a step tells the run: its event, or its time with the events up to that.
func (t *track) told(s Step) (time.Duration, event.Seq) {
	when := t.time(s.Seq)
	if s.At > when {
		return s.At, max(s.Seq, t.history.SeqAt(s.At))
	}
	return when, s.Seq
}

// verdict returns the checker's verdict on what it has read.
func (t *track) verdict() check.Report {
	if n := t.read; n != t.judged {
		t.report, t.judged = t.checker.Report(), n
	}
	return t.report
}
