// Package player is the playhead over a run: on which branch, where, how fast, and where to stop.
//
// It holds the logs as they arrive, one view.History for each branch, and returns what to show now. It knows neither
// the browser nor the screen: wasm/bridge feeds it and gives it commands, wasm/main.go ticks and draws it. Times are
// the run's (nanoseconds since its start) unless they are called wall time.
//
// A step of a lesson is played in one to four seconds of wall time: spans with only heartbeats are played fast, and the
// rest as much faster or slower as needed. A step that looks back repeats an earlier one.
//
// A Player consists of parts, which callers ask: Log is what has arrived, each Track a branch of it, Head is where the
// playhead is, and Pace how fast it goes. pair.go keeps two players in step.
package player

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// Branch is one history of the run, and Step the place in it where a step of the lesson ends. The server announces
// both.
type (
	Branch = protocol.Row
	Step   = protocol.Step
)

// Run says what to play.
type Run struct {
	ID     string // the server's name for it
	Lesson bool   // it has steps to stop at
	File   bool   // a saved log: nothing is added to it
	Header event.Header
}

// Live reports whether the run happens now, on a real cluster.
func (r Run) Live() bool { return !r.File && r.Header.Host.Traits().RealTime }

// told reports whether the run is a recorded lesson, in which steps take the time that readers need.
func (r Run) told() bool { return r.Lesson && !r.Live() }

// nearly is the delay behind the live edge that still counts as being there.
const nearly = time.Second

// Player plays a run. Call Open first: its zero value has no run.
type Player struct {
	Log  Log
	Head Head
	Pace Pace

	telling telling
	chosen  string   // the selection: "client-3", a path or ""
	pending *pending // a place to go to once its events have arrived
	version uint64
}

// New returns a player without a run.
func New() *Player { return &Player{Pace: Pace{speed: 1}} }

// Of returns a player of a complete log.
func Of(log *event.Log) *Player {
	p := New()
	p.Open(Run{ID: "log", Header: log.Header, File: true})
	n := event.Seq(len(log.Events))
	if err := p.PutBranch(Branch{Parent: -1, From: 1, Events: n, Ended: true}, nil); err != nil {
		panic(err) // the first branch is always valid
	}
	if err := p.Append(0, log.Events); err != nil {
		panic(err) // a log's events are in order
	}
	return p
}

// Open starts another run and forgets the old one. The pace stays.
func (p *Player) Open(r Run) {
	*p = Player{Log: Log{run: r, news: p.Log.news + 1}, Pace: p.Pace, version: p.Version() + 1}
	p.Head.follow = r.Live() && !r.Lesson
	p.Head.playing = r.ID != "" && (!r.Lesson || r.Live())
	if r.told() {
		p.pending = &pending{first: true}
	}
}

// GoOn lets the same run go on under another name: who computed it has computed it again.
func (p *Player) GoOn(id string) { p.Log.run.ID = id }

// Version changes whenever anything but the time changes on the screen. The caller compares it and Head.At with what it
// drew last.
func (p *Player) Version() uint64 { return p.version + p.Head.moves }

func (p *Player) touch() { p.version++ }

// State returns everything known at the playhead. The player owns it: read it before the next call.
func (p *Player) State() *view.State {
	if t := p.Log.Shown(); t != nil {
		return t.history.StateAtSeq(p.Head.seq)
	}
	return view.New()
}

// Selected returns "client-3", a znode's path or "".
func (p *Player) Selected() string { return p.chosen }

// Step returns the step shown or being played, a zero one before the first.
func (p *Player) Step() Step {
	t := p.Log.Shown()
	if i := p.telling.index(t, &p.Head); i >= 0 {
		return t.steps[i]
	}
	return Step{}
}

// Heading returns the anchor of the step being played, or "".
func (p *Player) Heading() string { return p.telling.heading }

// Focus returns what the current step is about. Nothing is emphasized on the way to a step.
func (p *Player) Focus() []string {
	if p.Head.playing && p.telling.rest == 0 {
		return nil
	}
	return p.Step().Focus
}

// Fast reports whether playing is fast now, because only heartbeats pass.
func (p *Player) Fast() bool {
	t := p.Log.Shown()
	return p.Head.playing && t != nil && p.Pace.hurries(p.Log.run) && t.quiet.at(p.Head.at)
}

// Quiet returns the spans of the branch that are played fast, as far as it has arrived. The player owns the slice.
func (p *Player) Quiet() []Span {
	if t := p.Log.Shown(); t != nil && p.Pace.hurries(p.Log.run) {
		return t.quiet.spans
	}
	return nil
}

// Behind reports whether a live run is ahead of the playhead.
func (p *Player) Behind() bool { return p.Log.run.Live() && p.Log.Edge()-p.Head.at > nearly }

// Ended reports whether nothing more will happen after the playhead.
func (p *Player) Ended() bool {
	t := p.Log.Shown()
	return t != nil && t.complete() && p.Head.at >= t.End()
}

// Drawn returns the time that the picture shows. While a run beside this one goes on, this one's stands still.
func (p *Player) Drawn() time.Duration { return min(p.Head.at, p.Log.Shown().ownEnd()) }

// Waiting reports whether the playhead waits for the events of a place to go to.
func (p *Player) Waiting() bool { return p.pending != nil }

// PutBranch adds or changes a branch. A new branch must name an earlier one as its parent.
func (p *Player) PutBranch(b Branch, steps []Step) (err error) {
	p.arrive(func() { err = p.Log.putBranch(b) })
	if err != nil {
		return err
	}
	p.PutSteps(steps)
	return nil
}

// PutSteps adds the ends of steps, in any order, and replaces known ones. Branches made later share them.
func (p *Player) PutSteps(steps []Step) {
	p.arrive(func() { p.Log.putSteps(steps) })
	p.settle()
}

// Append adds events of a branch in order. It skips events that it has, so a server may repeat some after a reconnect.
// A gap is an error, and events after it are dropped.
func (p *Player) Append(branch int, events []event.Event) (err error) {
	p.arrive(func() { err = p.Log.take(branch, events) })
	if err != nil {
		return err
	}
	p.settle()
	return nil
}

// arrive takes what the server sent, and touches only if that changes the picture.
func (p *Player) arrive(take func()) {
	seen, step := p.Log.Shown() != nil, p.Step().Anchor
	take()
	if (p.Log.Shown() != nil) != seen || p.Step().Anchor != step {
		p.touch()
	}
}
