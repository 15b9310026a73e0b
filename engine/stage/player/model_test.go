package player_test

import (
	"slices"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// model is an obvious player: it keeps lists of events and steps, and searches them for each question.
type model struct {
	run             player.Run
	branches        []*modelBranch // by ID, nil until announced
	branch          int
	at, stood       time.Duration
	seq             event.Seq
	playing, follow bool
	speed, boost    float64
	still           bool
	shown, chosen   string
	heading         string // the step being played
	goal            *goal
	heard           time.Duration
}

type modelBranch struct {
	player.Branch
	own   []event.Event // events that have arrived, from From on
	log   []event.Event // with the shared events
	whole bool          // the shared events have arrived
	steps []player.Step
	// verdict is the whole one that has arrived last.
	verdict player.Verdict
}

// goal is a place that the model waits for.
type goal struct {
	kind string // "step", "first", "end", "event" or "time"
	step string
	seq  event.Seq
	at   time.Duration
}

func newModel(r player.Run, speed float64, still bool) *model {
	m := &model{run: r, speed: speed, still: still}
	m.follow = r.Live() && !r.Lesson
	m.playing = r.Live() || !r.Lesson
	if r.Lesson && !r.Live() {
		m.goal = &goal{kind: "first"}
	}
	return m
}

// current returns the branch that is shown, nil if it can't be shown yet.
func (m *model) current() *modelBranch {
	if m.branch < len(m.branches) && m.branches[m.branch] != nil && m.branches[m.branch].whole {
		return m.branches[m.branch]
	}
	return nil
}

func (b *modelBranch) complete() bool { return b.Ended && len(b.log) >= int(b.Events) }

func (b *modelBranch) last() time.Duration {
	if len(b.log) == 0 {
		return 0
	}
	return b.log[len(b.log)-1].At
}

func (b *modelBranch) end() time.Duration {
	if b.complete() {
		return b.last() + view.Keep
	}
	return b.last()
}

// time returns an event's time, 0 if it hasn't arrived.
func (b *modelBranch) time(seq event.Seq) time.Duration {
	for _, e := range b.log {
		if e.Seq == seq {
			return e.At
		}
	}
	return 0
}

// upTo returns the last event up to a time.
func (b *modelBranch) upTo(at time.Duration) (n event.Seq) {
	for _, e := range b.log {
		if e.At <= at {
			n = e.Seq
		}
	}
	return n
}

// place returns the end of a step. A step that looks back ends where the repeated step does.
func (b *modelBranch) place(s player.Step) (time.Duration, event.Seq) {
	for _, o := range b.steps {
		if s.Again != "" && o.Anchor == s.Again {
			return b.told(o)
		}
	}
	return b.told(s)
}

// findStep returns the index of a step, or -1.
func (b *modelBranch) findStep(anchor string) int {
	for i, s := range b.steps {
		if anchor != "" && s.Anchor == anchor {
			return i
		}
	}
	return -1
}

// told returns the position up to which a step tells the run: its event, or a later time with the events up to it.
func (b *modelBranch) told(s player.Step) (time.Duration, event.Seq) {
	if at := b.time(s.Seq); s.At <= at {
		return at, s.Seq
	}
	return s.At, max(s.Seq, b.upTo(s.At))
}

// reached counts the steps that end at or before the playhead.
func (m *model) reached(b *modelBranch) (n int) {
	for _, s := range b.steps {
		at, seq := b.told(s)
		if at > m.at || at == m.at && seq > m.seq {
			break
		}
		n++
	}
	return n
}

// step returns the index of the step that is shown: of those with the same end as the last reached, the chosen one.
func (m *model) step() int {
	b := m.current()
	if b == nil {
		return -1
	}
	if i := b.findStep(m.heading); i >= 0 {
		return i
	}
	if i := b.findStep(m.shown); i >= 0 && b.steps[i].Again != "" {
		return i
	}
	last := -1
	for i, s := range b.steps[:m.reached(b)] {
		if s.Again == "" {
			last = i
		}
	}
	for i := range b.steps[:last+1] {
		if b.steps[i].Seq == b.steps[last].Seq && b.steps[i].Anchor == m.shown {
			return i
		}
	}
	return last
}

func (m *model) putBranch(b player.Branch, steps []player.Step) bool {
	parent := b.Parent >= 0 && b.Parent < b.ID && b.Parent < len(m.branches) && m.branches[b.Parent] != nil && b.From >= 1
	if b.ID < 0 || b.ID >= player.MaxBranches || !parent && b.Parent != -1 {
		return false
	}
	for len(m.branches) <= b.ID {
		m.branches = append(m.branches, nil)
	}
	if m.branches[b.ID] == nil {
		m.branches[b.ID] = &modelBranch{}
	}
	m.branches[b.ID].Branch = b
	m.inherit(m.branches[b.ID])
	m.putSteps(steps)
	return true
}

// putVerdict takes a verdict in one part.
func (m *model) putVerdict(v player.Verdict) bool {
	if v.Branch < 0 || v.Branch >= len(m.branches) || m.branches[v.Branch] == nil {
		return false
	}
	was := &m.branches[v.Branch].verdict
	if v.From > len(was.Deeds) {
		return false
	}
	v.Deeds = slices.Concat(was.Deeds[:v.From], v.Deeds)
	*was = v
	return true
}

// inherit gives a branch the events that it shares with its parent, once they have all arrived.
func (m *model) inherit(b *modelBranch) {
	switch {
	case b.whole:
		return
	case b.Parent < 0:
		b.whole = true
		return
	}
	parent, shared := m.branches[b.Parent], int(b.From)-1
	if !parent.whole || len(parent.log) < shared {
		return
	}
	b.whole = true
	b.log = append(slices.Clone(parent.log[:shared]), b.own...)
	for _, s := range parent.steps {
		if int(s.Seq) <= shared {
			b.putStep(s)
		}
	}
}

func (b *modelBranch) putStep(s player.Step) {
	var before, after []player.Step
	for _, o := range b.steps {
		switch {
		case o.Anchor == s.Anchor:
		case o.Seq <= s.Seq:
			before = append(before, o)
		default:
			after = append(after, o)
		}
	}
	b.steps = append(append(before, s), after...)
}

func (m *model) putSteps(steps []player.Step) {
	for _, s := range steps {
		if s.Branch >= 0 && s.Branch < len(m.branches) && m.branches[s.Branch] != nil {
			m.branches[s.Branch].putStep(s)
		}
	}
	m.settle()
}

func (b *modelBranch) have() int {
	if !b.whole {
		return int(b.From) - 1 + len(b.own)
	}
	return len(b.log)
}

// append takes events up to the first gap.
func (m *model) append(id int, events []event.Event) bool {
	if id < 0 || id >= len(m.branches) || m.branches[id] == nil {
		return false
	}
	b := m.branches[id]
	for _, e := range events {
		if int(e.Seq) > b.have()+1 {
			return false
		}
		if int(e.Seq) <= b.have() {
			continue
		}
		if b.own = append(b.own, e); b.whole {
			b.log = append(b.log, e)
		}
	}
	b.Events = max(b.Events, event.Seq(b.have()))
	for _, o := range m.branches {
		if o != nil {
			m.inherit(o)
		}
	}
	if id == m.branch {
		m.heard = 0
	}
	m.settle()
	return true
}

// releases returns the hand-overs among the events that have arrived.
func (b *modelBranch) releases() (all []event.Seq) {
	s := view.New()
	for _, e := range b.log {
		s.Apply(e)
	}
	for _, r := range s.Wakeups.Releases {
		all = append(all, r.Seq)
	}
	return all
}

func (m *model) edge() time.Duration {
	b := m.current()
	switch {
	case b == nil:
		return 0
	case m.run.Live() && !b.complete():
		return max(b.last()+m.heard-player.Delay, 0)
	}
	return b.end()
}

func (m *model) ended() bool {
	b := m.current()
	return b != nil && b.complete() && m.at >= b.end()
}

// stop moves the playhead there and pauses.
func (m *model) stop(at time.Duration, seq event.Seq) {
	m.at, m.seq, m.stood = at, seq, at
	m.playing, m.follow, m.boost, m.goal, m.heading = false, false, 0, nil, ""
}

func (m *model) stopAtStep(b *modelBranch, i int) {
	m.shown = b.steps[i].Anchor
	m.stop(b.place(b.steps[i]))
}

// toward goes to a place, or waits for it.
func (m *model) toward(g goal) {
	m.playing, m.follow, m.boost, m.goal, m.heading = false, false, 0, &g, ""
	m.settle()
}

func (m *model) settle() {
	b := m.current()
	if m.goal == nil || b == nil {
		return
	}
	g := *m.goal
	at, seq, step, there := b.find(g)
	switch {
	case there:
		playing := m.playing
		m.shown = step
		m.stop(at, seq)
		m.playing = playing && !m.ended()
	case b.complete():
		m.goal = nil
	}
}

// find returns the position of a goal, and whether everything up to it has arrived.
func (b *modelBranch) find(g goal) (at time.Duration, seq event.Seq, step string, there bool) {
	switch g.kind {
	case "end":
		return b.end(), event.Seq(len(b.log)), "", b.complete()
	case "event":
		return max(b.time(g.seq), min(g.at, b.end())), g.seq, "", int(g.seq) <= len(b.log)
	case "time":
		at = min(g.at, b.end())
		return at, b.upTo(at), "", g.at <= b.last() || b.complete()
	}
	for _, s := range b.steps {
		if g.kind == "first" || s.Anchor == g.step {
			at, seq = b.place(s)
			return at, seq, s.Anchor, int(seq) <= len(b.log) && (at <= b.last() || b.complete())
		}
	}
	return 0, 0, "", false
}

// number parses a number from least to most.
func number(arg string, least, most float64) (float64, bool) {
	f, err := strconv.ParseFloat(arg, 64)
	return f, err == nil && f >= least && f <= most
}
