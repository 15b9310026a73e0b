// Package player is the playhead over a run: which branch, where on it, how fast, and where to stop.
//
// It holds the logs as they arrive (one view.History for each branch) and answers what is to be shown now. It
// knows neither the browser nor the screen: wasm/bridge feeds it and gives it commands, wasm/main.go ticks
// and draws it. Times are the run's (nanoseconds since its start) unless they are called wall time.
//
// A step of a lesson is played in one to four seconds of wall time: stretches in which only heartbeats pass are played
// fast, and the rest as much faster or slower as it takes. A step that looks back shows again what an earlier one did.
package player

import (
	"time"

	"github.com/zkviz/zkviz/engine/check"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/protocol"
	"github.com/zkviz/zkviz/engine/view"
)

// Branch is one history of the run, and Step the place in one where a step of the lesson ends, as the server announces
// them.
type (
	Branch = protocol.Row
	Step   = protocol.Step
)

// Run says what is played.
type Run struct {
	ID     string // the server's name for it
	Lesson bool   // it has steps to stop at
	File   bool   // it is a log that was saved: nothing is added to it
	Header event.Header
}

// Live reports whether the run happens now, on a ZooKeeper in real time.
func (r Run) Live() bool { return !r.File && r.Header.Host.Traits().RealTime }

// nearly is how little behind the live edge counts as being there.
const nearly = time.Second

// Delay is how far, in wall time, a live run is shown behind what has arrived, so that it moves smoothly.
const Delay = 300 * time.Millisecond

// Player is the playhead. Its zero value has no run; call Open.
type Player struct {
	run    Run
	tracks []*track // by branch ID; nil until announced
	branch int

	at      time.Duration // what the clock shows
	seq     event.Seq     // the last event that counts as happened; never later than at
	stood   time.Duration // when it last stood still
	playing bool
	follow  bool // pinned to the live edge
	speed   float64
	boost   float64 // of the step that is played towards; 0 for none
	still   bool    // reduced motion: steps jump
	shown   string  // anchor of the step that was gone to
	heading string  // anchor of the step that is played towards, empty for none
	chosen  string  // what is selected: "client-3", a path or empty
	paired  bool    // another run stands beside this one

	pending *pending      // a place to go to when its events are there
	heard   time.Duration // wall time since the last event arrived, for the live edge
	version uint64
	news    uint64
}

// New is a player without a run.
func New() *Player { return &Player{speed: 1} }

// Of is a player of a log that is all there.
func Of(log *event.Log) *Player {
	p := New()
	p.Open(Run{ID: "log", Header: log.Header, File: true})
	n := event.Seq(len(log.Events))
	if err := p.PutBranch(Branch{Parent: -1, From: 1, Events: n, Ended: true}, nil); err != nil {
		panic(err) // it is the first
	}
	if err := p.Append(0, log.Events); err != nil {
		panic(err) // a log's events are in order
	}
	return p
}

// Open starts on another run and forgets the one before. Speed and motion stay.
func (p *Player) Open(r Run) {
	*p = Player{run: r, speed: p.speed, still: p.still, paired: p.paired, version: p.version + 1,
		news: p.news + 1}
	p.follow = r.Live() && !r.Lesson
	p.playing = r.ID != "" && (!r.Lesson || r.Live())
	if r.Lesson && !r.Live() {
		p.pending = &pending{first: true}
	}
}

// Version changes whenever anything but the time does that is to be shown. The one who draws remembers the
// version that was drawn, and At.
func (p *Player) Version() uint64 { return p.version }

// News changes whenever something has arrived, which the picture shows only when the playhead gets there: a
// live run goes on while the picture stands still.
func (p *Player) News() uint64 { return p.news }

func (p *Player) touch() { p.version++ }

// Run is what is played.
func (p *Player) Run() Run { return p.run }

// At is the time that is shown.
func (p *Player) At() time.Duration { return p.at }

// Seq is the last event that has happened by then, 0 before the first.
func (p *Player) Seq() event.Seq { return p.seq }

// State is everything known there. It is the player's: read it before the next call.
func (p *Player) State() *view.State {
	if t := p.track(); t != nil {
		return t.history.StateAtSeq(p.seq)
	}
	return view.New()
}

// Playing reports whether time passes.
func (p *Player) Playing() bool { return p.playing }

// Speed is how many seconds of the run pass in a second.
func (p *Player) Speed() float64 { return p.speed }

// Still reports whether motion is reduced.
func (p *Player) Still() bool { return p.still }

// Selected is "client-3", a znode's path or empty.
func (p *Player) Selected() string { return p.chosen }

// Branch is the ID of the branch that is shown.
func (p *Player) Branch() int { return p.branch }

// Branches are all branches that the server has announced, by ID.
func (p *Player) Branches() []Branch {
	var all []Branch
	for _, t := range p.tracks {
		if t != nil {
			all = append(all, t.Branch)
		}
	}
	return all
}

// History is the log of the branch that is shown, nil while there is none.
func (p *Player) History() *view.History {
	if t := p.track(); t != nil {
		return t.history
	}
	return nil
}

// All is how many events the branch that is shown has, as far as is known: those that have not arrived included.
func (p *Player) All() int {
	if t := p.track(); t != nil {
		return int(t.Events)
	}
	return 0
}

// Report is the verdict on all of the branch that is shown that has arrived, what comes after the playhead
// included. Of a branch that has just been made from a long one it comes after a while: see Judging.
func (p *Player) Report() check.Report {
	if t := p.track(); t != nil {
		return t.verdict()
	}
	return check.Report{}
}

// Judging reports whether events that are there are still to be judged. Tick does it.
func (p *Player) Judging() bool {
	t := p.track()
	return t != nil && t.unjudged() > 0
}

// Lags reports whether the verdict is not on all that is there, and will not be with the next Tick.
func (p *Player) Lags() bool {
	t := p.track()
	return t != nil && t.unjudged() > atOnce
}

// Steps are the steps reached on the branch that is shown, in order.
func (p *Player) Steps() []Step {
	if t := p.track(); t != nil {
		return t.steps
	}
	return nil
}

// Step is the anchor of the step that is shown or played towards, empty before the first.
func (p *Player) Step() string {
	if i := p.stepIndex(); i >= 0 {
		return p.Steps()[i].Anchor
	}
	return ""
}

// Heading is the anchor of the step that is played towards, empty if none is.
func (p *Player) Heading() string { return p.heading }

// Focus is what the step that is shown is about. Nothing is stressed on the way to the next one.
func (p *Player) Focus() []string {
	if i := p.stepIndex(); i >= 0 && !p.playing {
		return p.Steps()[i].Focus
	}
	return nil
}

// Shows are the figures that the step that is shown or played towards is about.
func (p *Player) Shows() []string {
	if i := p.stepIndex(); i >= 0 {
		return p.Steps()[i].Shows
	}
	return nil
}

// End is how far the branch that is shown can be played.
func (p *Player) End() time.Duration {
	if t := p.track(); t != nil {
		return t.end()
	}
	return 0
}

// Edge is how far a live run can be shown by now.
func (p *Player) Edge() time.Duration {
	if t := p.track(); t != nil {
		return p.limit(t)
	}
	return 0
}

// Behind reports whether a live run has gone on since what is shown.
func (p *Player) Behind() bool { return p.run.Live() && p.Edge()-p.at > nearly }

// Over reports whether what is shown ran live and has ended.
func (p *Player) Over() bool {
	t := p.track()
	return p.run.Live() && t != nil && t.complete()
}

// Latest is everything known of the branch that is shown, what comes after the playhead included. It is the
// player's: read it before the next call.
func (p *Player) Latest() *view.State {
	if t := p.track(); t != nil {
		return t.history.StateAtSeq(event.Seq(t.history.Len()))
	}
	return view.New()
}

// Ended reports whether the playhead is where nothing more will happen.
func (p *Player) Ended() bool {
	t := p.track()
	return t != nil && t.complete() && p.at >= t.end()
}

// Waiting reports whether the playhead is on its way to a place whose events have not arrived.
func (p *Player) Waiting() bool { return p.pending != nil }

// track is the branch that is shown, nil while nothing can be shown of it.
func (p *Player) track() *track {
	if p.branch < len(p.tracks) {
		if t := p.tracks[p.branch]; t != nil && t.history != nil {
			return t
		}
	}
	return nil
}
