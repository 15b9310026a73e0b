package player

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// Track is a branch, as far as it has arrived. A nil one can't be shown yet: its exported methods return nothing.
type Track struct {
	Branch
	history *view.History // nil until all events shared with the parent have arrived
	early   []event.Event // its own events until then
	steps   []Step        // by Seq, including those inherited from the parent
	quiet   quiet
	read    int // how many events of the history quiet has read
	verdict verdict
	judging bool          // there will be a verdict
	beside  time.Duration // how far a run beside it can be played, 0 for none
}

// putSteps adds steps; the last one with an anchor counts. Later steps follow earlier ones at the same event.
func (t *Track) putSteps(steps []Step) {
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

func (t *Track) put(e event.Event) {
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

// catchUp looks for quiet spans in up to most of the unread events.
func (t *Track) catchUp(most int) {
	for to := min(t.read+most, t.history.Len()); t.read < to; t.read++ {
		t.quiet.take(t.history.Event(t.read))
	}
}

// CatchingUp reports whether some events that have arrived aren't read yet. Player.Tick reads them.
func (t *Track) CatchingUp() bool { return t != nil && t.history != nil && t.read < t.history.Len() }

// History returns the branch's log.
func (t *Track) History() *view.History {
	if t == nil {
		return nil
	}
	return t.history
}

// All returns the number of the branch's events, as far as known, including those yet to arrive.
func (t *Track) All() int {
	if t == nil {
		return 0
	}
	return int(t.Events)
}

// Latest returns everything known of the branch, including what comes after the playhead. The track owns it: read it
// before the next call.
func (t *Track) Latest() *view.State {
	if t == nil {
		return view.New()
	}
	return t.history.StateAtSeq(event.Seq(t.history.Len()))
}

// Steps returns the steps reached on the branch, in order.
func (t *Track) Steps() []Step {
	if t == nil {
		return nil
	}
	return t.steps
}

// have returns the last event of the branch that has arrived.
func (t *Track) have() int {
	if t.history == nil {
		return int(t.From) - 1 + len(t.early)
	}
	return t.history.Len()
}

// complete reports whether the whole branch has arrived.
func (t *Track) complete() bool { return t.Ended && t.history.Len() >= int(t.Events) }

// last returns the time of the last event that has arrived.
func (t *Track) last() time.Duration {
	if n := t.history.Len(); n > 0 {
		return t.history.Event(n - 1).At
	}
	return 0
}

// End returns how far the branch can be played: a little beyond its last event, so that its effects are seen to end,
// and as far as a step or a run beside it goes on.
func (t *Track) End() time.Duration {
	end := t.ownEnd()
	if t != nil && t.complete() {
		end = max(end, t.beside)
		for i := range t.steps {
			at, _ := t.place(t.steps[i])
			end = max(end, at)
		}
	}
	return end
}

// ownEnd returns the time after which nothing moves any more on the branch.
func (t *Track) ownEnd() time.Duration {
	switch {
	case t == nil:
		return 0
	case t.complete():
		return t.last() + view.Keep
	}
	return t.last()
}

// time returns the time of an event.
func (t *Track) time(seq event.Seq) time.Duration {
	e, _ := t.history.Lookup(seq)
	return e.At
}

// place returns the playhead's position at a step, or at the repeated one if it looks back, and so much later as the
// step lingers there.
func (t *Track) place(s Step) (time.Duration, event.Seq) {
	i := t.index(s.Again)
	if i < 0 {
		return t.told(s)
	}
	at, seq := t.told(t.steps[i])
	if s.Linger > 0 {
		at += s.Linger
		seq = max(seq, t.history.SeqAt(at))
	}
	return at, seq
}

// index returns the index of the step with the anchor, or -1.
func (t *Track) index(anchor string) int {
	if anchor == "" {
		return -1
	}
	return slices.IndexFunc(t.steps, func(s Step) bool { return s.Anchor == anchor })
}

// told returns the position up to which a step tells the run: its event, or its time with the events up to that.
func (t *Track) told(s Step) (time.Duration, event.Seq) {
	when := t.time(s.Seq)
	if s.At > when {
		return s.At, max(s.Seq, t.history.SeqAt(s.At))
	}
	return when, s.Seq
}

// reached counts the steps, from the first on, that end at or before the playhead.
func (t *Track) reached(h *Head) int {
	for i := range t.steps {
		if h.before(t.told(t.steps[i])) {
			return i
		}
	}
	return len(t.steps)
}

// beginning returns the place where a step begins: the end of the one before it in the run. One that looks back begins
// where the repeated one does and, if it loops, where the first of those that it plays does.
func (t *Track) beginning(i int) (time.Duration, event.Seq) {
	if again := t.index(cmp.Or(t.steps[i].Loop, t.steps[i].Again)); again >= 0 {
		i = again
	}
	for i--; i >= 0 && t.steps[i].Again != ""; {
		i--
	}
	if i < 0 {
		return 0, 0
	}
	return t.place(t.steps[i])
}
