//go:build js && wasm

package bridge

import (
	"strconv"
	"syscall/js"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/challenge"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/stage/player"
	"github.com/zkviz/zkviz/engine/stage/scene"
)

// Bridge connects a player to the server and to the page.
type Bridge struct {
	feed
	wake  func()          // called when Update and Draw have something to do
	theme func(dark bool) // called when the page changes its colours
	frame *scene.Frame    // the frame on the stage

	address    Address
	query      string // the run's scenario, for a link
	inbox      inbox
	page       page
	link       string             // what is wrong with the connections, or ""
	remark     string             // remark on the last command: why it was refused, or its side effects
	toEdge     bool               // follow the next run, if it is live, at its edge
	asked      bool               // a fault was requested: the next branch is the answer
	attempt    *challenge.Attempt // the last challenge's, nil before the first
	atTask     bool               // the reader is at a challenge
	back       *Resumption        // where to go in the reopened run, nil for its start
	asks       int                // number of runs requested
	reading    *File              // the reader's last opened file, nil for none
	file       bool               // a reader's file is shown: the server is not involved
	comparison *comparison        // the second run, nil for none
	inStep     player.InStep      // how the two are kept in step
}

// New takes commands from the page and opens what the address requests. Call it once, before the game. It calls wake
// when Update and Draw have something to do, and theme when the page changes its colours. It reads the frame that is
// drawn.
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

// connect sets up the transport.
func (b *Bridge) connect() {
	b.server = b.dial(receiver{
		opened: b.begun, text: b.takeMessage, frame: b.takeFrame, closed: b.lost,
	})
}

// dial returns a transport whose callbacks only leave work for Update.
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

// drainFor is the minimum time that a frame may spend on the inbox. It may take as long as drawing a frame takes, but
// not more than drainMost, since that time includes this. A long log arrives over many frames.
const drainFor, drainMost = 8 * time.Millisecond, 50 * time.Millisecond

// Drain does the work left since the last call.
func (b *Bridge) Drain() {
	until := Now() + min(max(drainFor, b.page.took), drainMost)
	if !b.inbox.empty(func() bool { return Now() < until }) {
		b.wake()
	}
}

// begun opens a run, or continues the current one.
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

// open requests something else.
func (b *Bridge) open() {
	b.address.Run, b.address.Faults, b.back = "", nil, nil
	b.reading, b.file = nil, false
	b.leaveBranch()
	b.player.Open(player.Run{})
	b.ask()
}

// ask requests what the address says.
func (b *Bridge) ask() {
	b.asks++
	b.server.send(b.address.request())
}

// askAgain repeats the request after a while, unless there was another one meanwhile.
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

// unanswered reports whether the requested run hasn't arrived: messages still belong to the one before.
func (b *Bridge) unanswered() bool { return b.player.Run().ID == "" }

// takeMessage handles a message. It ignores one that it can't parse.
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
	if fresh && b.address.Run == r.ID { // its position before the frame was reloaded
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
		b.compare(b.address.Beside)
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

// resume goes to the page's position before the run was reopened, if that has arrived.
func (b *Bridge) resume() {
	if b.back != nil && b.back.Go(b.player) {
		b.back = nil
	}
}

// place returns the page's position, also that before a reload, or nil if it can't be restored.
func (b *Bridge) place() *Resumption {
	if b.address.Run == "" {
		return ResumptionOf(b.player)
	}
	if w := b.address; w.Host.Traits().Computed && w.Zoo == "" && w.Path == "" && (w.Branch == "" || w.Branch == "0") {
		return &Resumption{place: w.Was, selected: w.Selected}
	}
	return nil
}

// takeRefusal shows a refusal. It reopens an evicted run, and says so on the page, and retries later if the server is
// too busy.
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
		b.back = nil // the branch to go to will not exist
	}
	b.remark, b.page.stale = b.page.panes.Says(m.Why), true
	b.page.told = true
	if wait := time.Duration(m.AgainMS) * time.Millisecond; wait > 0 && b.unanswered() {
		b.askAgain(wait)
	}
}

// takeFrame handles a frame of events.
func (b *Bridge) takeFrame(frame []byte) {
	if b.unanswered() || b.file {
		return
	}
	b.takeEvents(frame)
	b.goToMoment()
}

// goToMoment shows the moment that the address names as soon as it has arrived. If the log doesn't reach back that far,
// it says so and shows the end.
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

// flushEvery is the minimum time between two updates of the page while playing.
const flushEvery = 100 * time.Millisecond

// flushAlways is the maximum of that time, even if updates are slow.
const flushAlways = time.Second
