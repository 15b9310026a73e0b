package lessons

import (
	"slices"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// Position is where a step stops in a log. A step that looks back stops where the earlier step did,
// or so much later as it lingers.
type Position struct {
	Anchor string
	Seq    event.Seq     // the event that ended the step
	At     time.Duration // the time to show: that event's, plus the step's linger
}

// Tracker finds the steps' positions while a log grows. It is an event.Sink.
type Tracker struct {
	steps     []Step
	lingers   bool
	seen      []int // by step: matches of its condition so far
	blocked   map[event.Actor]bool
	inside    map[event.Actor]bool
	positions []Position
	told      time.Duration // how far the run has been told: the last stop of a step that doesn't look back
}

// NewTracker returns a Tracker before the first event. A simulated run lingers after a step's event; a live one,
// where everything takes less than a millisecond, stops at it.
func NewTracker(l *Lesson, live bool) *Tracker {
	return &Tracker{
		steps: l.Steps, lingers: !live, seen: make([]int, len(l.Steps)),
		blocked: map[event.Actor]bool{}, inside: map[event.Actor]bool{},
	}
}

// Positions returns those reached so far, in the order of the steps.
func (t *Tracker) Positions() []Position { return t.positions }

// Told returns how far the run has been told at the step of Positions()[i]: to its stop or, if it looks back, to
// the stop of the last one before it that doesn't.
func (t *Tracker) Told(i int) Position {
	for t.steps[i].Again != "" {
		i--
	}
	return t.positions[i]
}

// Lingers returns how much later the step of Positions()[i] stops than the one that it looks back at.
func (t *Tracker) Lingers(i int) time.Duration {
	if s := &t.steps[i]; t.lingers && s.Again != "" {
		return s.Linger
	}
	return 0
}

// Steps returns the lesson's steps: Positions()[i] is where Steps()[i] stops.
func (t *Tracker) Steps() []Step { return t.steps }

// Append takes the log's next event.
func (t *Tracker) Append(e event.Event) {
	t.note(e)
	t.count(e)
	if len(t.positions) == len(t.steps) || !t.reached() {
		return
	}
	t.stop(e)
	for len(t.positions) < len(t.steps) && t.steps[len(t.positions)].Until == nil {
		s := t.steps[len(t.positions)]
		then := t.positions[slices.IndexFunc(t.positions, func(p Position) bool { return p.Anchor == s.Again })]
		then.Anchor = s.Anchor
		then.At += t.Lingers(len(t.positions))
		t.positions = append(t.positions, then)
	}
}

func (t *Tracker) stop(e event.Event) {
	s := t.steps[len(t.positions)]
	p := Position{Anchor: s.Anchor, Seq: e.Seq, At: e.At}
	if t.lingers {
		p.At += s.Linger
	}
	p.At = max(p.At, t.told)
	t.told = p.At
	t.positions = append(t.positions, p)
}

// note records who is blocked and who is inside. A client is blocked from the moment it waits for a watch until it
// does anything else, and inside from when it reports so until it reports something else.
func (t *Tracker) note(e event.Event) {
	switch e.Kind {
	case event.ClientBlocked:
		t.blocked[e.Actor] = true
	case event.WatchDelivered, event.OpSent, event.RecipePhase, event.ClientExited, event.ClientCrashed:
		delete(t.blocked, e.Actor)
	}
	switch e.Kind {
	case event.RecipePhase:
		if program.Phase(e.Text).Inside() {
			t.inside[e.Actor] = true
		} else {
			delete(t.inside, e.Actor)
		}
	case event.ClientExited, event.ClientCrashed:
		delete(t.inside, e.Actor)
	}
}

// count counts e for the current step, and for the later ones that count from the start.
func (t *Tracker) count(e event.Event) {
	for i := len(t.positions); i < len(t.steps); i++ {
		c := t.steps[i].Until
		if c != nil && c.Kind != 0 && (c.Ever || i == len(t.positions)) && c.matches(e) {
			t.seen[i]++
		}
	}
}

func (t *Tracker) reached() bool {
	i := len(t.positions)
	c := t.steps[i].Until
	return (c.Kind == 0 || t.seen[i] >= c.Nth) && len(t.blocked) >= c.Blocked && len(t.inside) >= c.Inside
}

func (c *Condition) matches(e event.Event) bool {
	return e.Kind == c.Kind &&
		(c.Client == 0 || c.Client == about(e)) &&
		(c.Server == 0 || event.Server(c.Server) == e.Actor) &&
		(c.Text == "" || c.Text == e.Text) &&
		(c.Op == event.NoOp || c.Op == e.Op) &&
		strings.HasSuffix(e.Path, c.Path) &&
		(!c.Failed || e.Code != 0)
}

// Positions finds every step's position in a whole log. It is shorter than the steps if the log ends early.
func Positions(l *Lesson, log *event.Log) []Position {
	t := NewTracker(l, log.Header.Host.Traits().Late)
	for _, e := range log.Events {
		t.Append(e)
	}
	return t.Positions()
}
