//go:build js && wasm

package bridge

import (
	"strconv"
	"syscall/js"
	"time"

	"github.com/zkviz/zkviz/engine/protocol"
	"github.com/zkviz/zkviz/lessons/challenge"
	"github.com/zkviz/zkviz/wasm/player"
	"github.com/zkviz/zkviz/wasm/scene"
)

// Bridge joins a player to the server and to the page.
type Bridge struct {
	feed
	wake  func()          // there is something to do for Update and Draw
	theme func(dark bool) // the page changes its colours
	frame *scene.Frame    // what is on the stage

	address Address
	query   string // the run's scenario, for a link
	inbox   inbox
	page    page
	link    string             // what is the matter with the connections, empty if nothing
	remark  string             // what there is to say of the last command: why it was refused, or what else it has done
	toEdge  bool               // the run that comes next, if it is live, is to be followed at its edge
	asked   bool               // for a fault: the branch that comes next is the answer
	attempt *challenge.Attempt // at the challenge that the reader has come to last, nil before the first
	atTask  bool               // the reader is at it
	back    *Resumption        // where to go in the run that was opened anew, nil for where a run begins
	asks    int                // how often a run was asked for
	reading *File              // the file of the reader's that was opened last, nil for none
	file    bool               // what is shown is a file of the reader's: the server has no part in it
	beside  *beside            // the run beside the one on the stage, nil for none
	inStep  player.InStep      // what those two have in step
}

// New takes commands from the page and opens what the address asks for. Call it once, before the game. It calls wake
// when there is something to do for Update and Draw, and theme when the page changes its colours. It reads the frame
// that is drawn.
func New(p *player.Player, w Address, wake func(), theme func(dark bool), frame *scene.Frame) *Bridge {
	b := &Bridge{wake: wake, theme: theme, frame: frame, address: w, page: newPage(), attempt: w.Attempt}
	b.player, b.inStep = p, player.ByTime
	b.setInStep(w.InStep)
	b.damaged = func(err error) { b.setLink(b.page.panes.Say("link.damaged", err.Error())) }
	if w.Still {
		p.Do("motion", "reduced")
	}
	b.takeCommands()
	b.followDetails()
	b.connect()
	if w.File {
		b.page.tell("zkviz-wanted", nil)
	}
	return b
}

// connect sets the transport up.
func (b *Bridge) connect() {
	b.server = b.dial(receiver{
		opened: b.begun, text: b.takeMessage, frame: b.takeFrame, closed: b.lost,
	})
}

// dial is a transport whose callbacks only leave work for Update.
func (b *Bridge) dial(r receiver) transport {
	later := func(f func()) {
		b.inbox.put(f)
		b.wake()
	}
	return dialSocket(receiver{
		opened: func() { later(r.opened) },
		text:   func(text []byte) { later(func() { r.text(text) }) },
		frame:  func(frame []byte) { later(func() { r.frame(frame) }) },
		closed: func() { later(r.closed) },
	})
}

func (b *Bridge) lost() {
	if !b.file {
		b.setLink(b.page.panes.Say("link.lost", js.Global().Get("location").Get("host").String()))
	}
}

// drainFor is how long one frame may take in what has arrived, or for as long as a frame takes, if that is more; but
// never longer than drainMost, since what a frame takes includes this. A long log comes in over many frames.
const drainFor, drainMost = 8 * time.Millisecond, 50 * time.Millisecond

// Drain does what has been left since the last time.
func (b *Bridge) Drain() {
	until := Now() + min(max(drainFor, b.page.took), drainMost)
	if !b.inbox.empty(func() bool { return Now() < until }) {
		b.wake()
	}
}

// begun opens a run, or goes on with the one that there is.
func (b *Bridge) begun() {
	if b.file || b.address.File {
		return
	}
	b.setLink("")
	run := b.player.Run().ID
	if run == "" {
		run = b.address.Run
	}
	if run == "" {
		b.ask()
		return
	}
	b.goOn(run)
}

// open asks for something else.
func (b *Bridge) open() {
	b.address.Run, b.address.Faults, b.back = "", nil, nil
	b.reading, b.file = nil, false
	b.leaveTwin()
	b.player.Open(player.Run{})
	b.ask()
}

// ask asks the server for what the address does.
func (b *Bridge) ask() {
	b.asks++
	b.server.send(b.address.request())
}

// askAgain asks once more after a while, unless something was asked for meanwhile.
func (b *Bridge) askAgain(wait time.Duration) {
	asks := b.asks
	after(wait, func() {
		b.inbox.put(func() {
			if b.unanswered() && b.asks == asks {
				b.remark, b.page.stale = "", true
				b.ask()
			}
		})
		b.wake()
	})
}

// unanswered reports whether what comes is still of the run before: the one that was asked for has not come.
func (b *Bridge) unanswered() bool { return b.player.Run().ID == "" }

// takeMessage takes a message. One that cannot be read is left out.
func (b *Bridge) takeMessage(text []byte) {
	m, err := protocol.ParseMessage(text)
	if err != nil || b.file {
		return
	}
	switch m := m.(type) {
	case *protocol.Run:
		b.takeRun(m)
	case *protocol.Branch:
		if !b.unanswered() {
			b.takeBranch(m)
		}
	case *protocol.Steps:
		if !b.unanswered() {
			b.player.PutSteps(m.Steps)
		}
	case *protocol.Contenders:
		b.page.mark("contenders", strconv.Itoa(m.Clients))
	case *protocol.Connection:
		b.setLink("")
		switch {
		case m.Failed:
			b.setLink(b.page.panes.Say("link.failed", b.page.panes.Says(m.Why)))
		case !m.OK:
			b.setLink(b.page.panes.Say("link.lost", b.page.panes.Says(m.Why)))
		}
	case *protocol.Refusal:
		b.takeRefusal(m)
	}
}

func (b *Bridge) takeRun(m *protocol.Run) {
	r := player.Run{
		ID: m.Run, Header: m.Header, Lesson: b.address.Lesson != "" && m.Header.Host.Traits().Recipe,
		File: b.address.Window != "",
	}
	fresh := r.ID != b.player.Run().ID
	if fresh {
		b.begin(r)
		b.page.panes.Forget()
		b.page.mark("contenders", "0") // until the server says how many
	}
	b.putRows(m.Branches)
	b.player.PutSteps(m.Steps)
	b.query = m.Query
	if place := b.address.Place; fresh && place.Set && b.address.Run != r.ID {
		b.player.Show(place.At, place.Seq)
	}
	if fresh && b.toEdge && r.Live() {
		b.player.ToEnd()
	}
	b.toEdge = b.toEdge && !fresh
	if fresh && b.back == nil && len(b.address.Faults) > 0 && b.address.Run != r.ID {
		b.back = ResumptionTo(b.address.Faults, b.address.Place)
	}
	if fresh && b.back != nil {
		for _, f := range b.back.Faults() {
			b.server.send(f)
		}
		b.resume()
	}
	if fresh && b.address.Run == r.ID { // where it was before the frame was loaded again
		b.player.Select(b.address.Selected)
		b.player.Do("branch", b.address.Branch)
		if was := b.address.Was; was.Seq > 0 {
			b.player.Show(was.At, was.Seq)
		} else {
			b.player.Seek(was.At)
		}
	}
	b.address.Run = ""
	if fresh && b.address.Beside != "" {
		b.setBeside(b.address.Beside)
		b.address.Beside = ""
	}
}

func (b *Bridge) takeBranch(m *protocol.Branch) {
	known := len(b.player.Branches())
	b.check(b.player.PutBranch(m.Row, m.Steps))
	if b.asked && len(b.player.Branches()) > known {
		b.asked = false
		b.player.Watch(m.ID)
	}
	b.resume()
}

// resume goes to where the page was before the run was opened anew, if that is there by now.
func (b *Bridge) resume() {
	if b.back != nil && b.back.Go(b.player) {
		b.back = nil
	}
}

// place is where the page is, or was before the frame was loaded again; nil if that cannot be gone back to.
func (b *Bridge) place() *Resumption {
	if b.address.Run == "" {
		return ResumptionOf(b.player)
	}
	if w := b.address; w.Host.Traits().Computed && w.Zoo == "" && w.Path == "" && (w.Branch == "" || w.Branch == "0") {
		return &Resumption{place: w.Was, selected: w.Selected}
	}
	return nil
}

// takeRefusal shows what was refused. A run that is gone is opened anew, and the page says so; what the server is too
// busy for is asked for again.
func (b *Bridge) takeRefusal(m *protocol.Refusal) {
	if m.Do == protocol.Resume {
		back, said := b.place(), "link.anew"
		if back != nil {
			said = "link.same"
		}
		b.open()
		b.back, b.remark, b.page.stale = back, b.page.panes.Say(said), true
		return
	}
	b.asked = false
	if m.Do == protocol.Inject {
		b.back = nil // the branch to go to will not be there
	}
	b.remark, b.page.stale = b.page.panes.Says(m.Why), true
	b.page.told = true
	if wait := time.Duration(m.AgainMS) * time.Millisecond; wait > 0 && b.unanswered() {
		b.askAgain(wait)
	}
}

// takeFrame takes a frame of events.
func (b *Bridge) takeFrame(frame []byte) {
	if b.unanswered() || b.file {
		return
	}
	b.takeEvents(frame)
	b.goToMoment()
}

// goToMoment shows the moment that the address names as soon as that is there. What the log doesn't reach back to it
// says, and shows how it is at the end.
func (b *Bridge) goToMoment() {
	m := b.address.Moment
	if m == 0 {
		return
	}
	at, seq, reach := m.In(b.player.History(), b.player.All())
	if reach == NotYet {
		return
	}
	b.address.Moment = 0
	b.player.Select(b.address.Select)
	if reach == There {
		b.player.Show(at, seq)
		return
	}
	b.player.ToEnd()
	b.remark, b.page.stale = b.page.panes.Say("link.before"), true
}

func (b *Bridge) setLink(text string) {
	b.link = text
	b.page.stale = true
}

// flushEvery is how often, at most, the page round the stage is changed while time passes.
const flushEvery = 100 * time.Millisecond

// flushAlways is after how long it is changed even if that takes much time.
const flushAlways = time.Second
