// Package player is the playhead over a run: on which branch, where, how fast, and where to stop.
//
// It holds the logs as they arrive, one view.History for each branch, and returns what to show now. It knows neither
// the browser nor the screen: wasm/bridge feeds it and gives it commands, wasm/main.go ticks and draws it. Times are
// the run's (nanoseconds since its start) unless they are called wall time.
//
// A step of a lesson is played in one to four seconds of wall time: spans with only heartbeats are played fast, and the
// rest as much faster or slower as needed. A step that looks back repeats an earlier one.
//
// pair.go keeps two runs in step.
package player

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/check"
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

// nearly is the delay behind the live edge that still counts as being there.
const nearly = time.Second

// Delay is how far, in wall time, a live run is shown behind the events received, so that it moves smoothly.
const Delay = 300 * time.Millisecond

// Player is the playhead. Call Open first: its zero value has no run.
type Player struct {
	run    Run
	tracks []*track // by branch ID; nil until announced
	branch int

	at      time.Duration // the time shown
	seq     event.Seq     // the last event that has happened; never later than at
	stood   time.Duration // where it last stood still
	playing bool
	follow  bool // stay at the live edge
	speed   float64
	boost   float64 // of the step being played; 0 for none
	still   bool    // reduced motion: steps jump
	shown   string  // anchor of the chosen step
	heading string  // anchor of the step being played, or ""
	chosen  string  // the selection: "client-3", a path or ""
	paired  bool    // another run follows this one

	pending *pending      // a place to go to once its events have arrived
	heard   time.Duration // wall time since the last event arrived, for the live edge
	version uint64
	news    uint64
}

// New returns a player without a run.
func New() *Player { return &Player{speed: 1} }

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

// Open starts another run and forgets the old one. Speed and motion stay.
func (p *Player) Open(r Run) {
	*p = Player{run: r, speed: p.speed, still: p.still, paired: p.paired, version: p.version + 1,
		news: p.news + 1}
	p.follow = r.Live() && !r.Lesson
	p.playing = r.ID != "" && (!r.Lesson || r.Live())
	if r.Lesson && !r.Live() {
		p.pending = &pending{first: true}
	}
}

// Version changes whenever anything but the time changes on the screen. The caller compares it and At with what it drew
// last.
func (p *Player) Version() uint64 { return p.version }

// News changes whenever something arrives, even if the picture doesn't show it yet: a live run goes on during a pause.
func (p *Player) News() uint64 { return p.news }

func (p *Player) touch() { p.version++ }

// Run returns the run being played.
func (p *Player) Run() Run { return p.run }

// At returns the time shown.
func (p *Player) At() time.Duration { return p.at }

// Seq returns the last event that has happened, 0 before the first.
func (p *Player) Seq() event.Seq { return p.seq }

// State returns everything known at the playhead. The player owns it: read it before the next call.
func (p *Player) State() *view.State {
	if t := p.track(); t != nil {
		return t.history.StateAtSeq(p.seq)
	}
	return view.New()
}

// Playing reports whether time passes.
func (p *Player) Playing() bool { return p.playing }

// Speed returns how many seconds of the run pass in a second.
func (p *Player) Speed() float64 { return p.speed }

// Still reports whether motion is reduced.
func (p *Player) Still() bool { return p.still }

// Selected returns "client-3", a znode's path or "".
func (p *Player) Selected() string { return p.chosen }

// Branch returns the ID of the branch that is shown.
func (p *Player) Branch() int { return p.branch }

// Branches returns all branches that the server has announced, by ID.
func (p *Player) Branches() []Branch {
	var all []Branch
	for _, t := range p.tracks {
		if t != nil {
			all = append(all, t.Branch)
		}
	}
	return all
}

// History returns the log of the branch that is shown, or nil.
func (p *Player) History() *view.History {
	if t := p.track(); t != nil {
		return t.history
	}
	return nil
}

// All returns the number of events of the branch that is shown, as far as known, including those yet to arrive.
func (p *Player) All() int {
	if t := p.track(); t != nil {
		return int(t.Events)
	}
	return 0
}

// Report returns the verdict on everything of the branch that has arrived, including what comes after the playhead. For
// a new branch of a long one it takes a while: see Judging.
func (p *Player) Report() check.Report {
	if t := p.track(); t != nil {
		return t.verdict()
	}
	return check.Report{}
}

// Judging reports whether some events that have arrived are not judged yet. Tick judges them.
func (p *Player) Judging() bool {
	t := p.track()
	return t != nil && t.unjudged() > 0
}

// Lags reports whether the verdict will be incomplete even after the next Tick.
func (p *Player) Lags() bool {
	t := p.track()
	return t != nil && t.unjudged() > atOnce
}

// Steps returns the steps reached on the branch that is shown, in order.
func (p *Player) Steps() []Step {
	if t := p.track(); t != nil {
		return t.steps
	}
	return nil
}

// Step returns the anchor of the step shown or being played, "" before the first.
func (p *Player) Step() string {
	if i := p.stepIndex(); i >= 0 {
		return p.Steps()[i].Anchor
	}
	return ""
}

// Heading returns the anchor of the step being played, or "".
func (p *Player) Heading() string { return p.heading }

// Focus returns what the current step is about. Nothing is emphasized on the way to a step.
func (p *Player) Focus() []string {
	if i := p.stepIndex(); i >= 0 && !p.playing {
		return p.Steps()[i].Focus
	}
	return nil
}

// Shows returns the figures that the current step is about.
func (p *Player) Shows() []string {
	if i := p.stepIndex(); i >= 0 {
		return p.Steps()[i].Shows
	}
	return nil
}

// End returns how far the branch that is shown can be played.
func (p *Player) End() time.Duration {
	if t := p.track(); t != nil {
		return t.end()
	}
	return 0
}

// Edge returns how far a live run can be shown now.
func (p *Player) Edge() time.Duration {
	if t := p.track(); t != nil {
		return p.limit(t)
	}
	return 0
}

// Behind reports whether a live run is ahead of the playhead.
func (p *Player) Behind() bool { return p.run.Live() && p.Edge()-p.at > nearly }

// Over reports whether the run was live and has ended.
func (p *Player) Over() bool {
	t := p.track()
	return p.run.Live() && t != nil && t.complete()
}

// Latest returns everything known of the branch, including what comes after the playhead. The player owns it: read it
// before the next call.
func (p *Player) Latest() *view.State {
	if t := p.track(); t != nil {
		return t.history.StateAtSeq(event.Seq(t.history.Len()))
	}
	return view.New()
}

// Ended reports whether nothing more will happen after the playhead.
func (p *Player) Ended() bool {
	t := p.track()
	return t != nil && t.complete() && p.at >= t.end()
}

// Waiting reports whether the playhead waits for the events of a place to go to.
func (p *Player) Waiting() bool { return p.pending != nil }

// track returns the branch that is shown, nil if it can't be shown yet.
func (p *Player) track() *track {
	if p.branch < len(p.tracks) {
		if t := p.tracks[p.branch]; t != nil && t.history != nil {
			return t
		}
	}
	return nil
}
