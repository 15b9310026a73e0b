//go:build js && wasm

package bridge

import (
	"encoding/binary"
	"syscall/js"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/lessons/challenge"
	"github.com/zkviz/zkviz/wasm/player"
)

// Bridge joins a player to the server and to the page.
type Bridge struct {
	Player *player.Player
	// Wake is called when there is something to do for Update and Draw.
	Wake func()
	// Theme is called when the page changes its colours.
	Theme func(dark bool)

	wish    Wish
	query   string // the run's scenario, for a link
	inbox   inbox
	socket  socket
	decoder event.Decoder
	page    page
	link    string             // what is the matter with the connections, empty if nothing
	remark  string             // what there is to say of the last command: why it was refused, or what else it has done
	toEdge  bool               // the run that comes next, if it is live, is to be followed at its edge
	asked   bool               // for a fault: the branch that comes next is the answer
	failing int                // resumptions that brought nothing new
	attempt *challenge.Attempt // at the challenge that the reader has come to last, nil before the first
	atTask  bool               // the reader is at it
	back    *Comeback          // where to go in the run that was opened anew, nil for where a run begins
	asks    int                // how often a run was asked for
}

// New takes commands from the page and opens what the address asks for. Call it once, before the game.
func New(p *player.Player, w Wish, wake func(), theme func(dark bool)) *Bridge {
	b := &Bridge{Player: p, Wake: wake, Theme: theme, wish: w, page: newPage(), attempt: w.Attempt}
	if w.Still {
		p.Do("motion", "reduced")
	}
	b.takeCommands()
	b.connect()
	return b
}

// connect sets the socket up. Its callbacks only leave work for Update.
func (b *Bridge) connect() {
	location := js.Global().Get("location")
	host := location.Get("host").String()
	scheme := "ws://"
	if location.Get("protocol").String() == "https:" {
		scheme = "wss://"
	}
	later := func(f func()) {
		b.inbox.put(f)
		b.Wake()
	}
	b.socket = socket{
		address: scheme + host + "/ws",
		onOpen:  func() { later(b.greet) },
		onText:  func(m js.Value) { later(func() { b.hear(m) }) },
		onBytes: func(f []byte) { later(func() { b.take(f) }) },
		onClose: func() { later(func() { b.setLink(b.page.panes.Say("link.lost", host)) }) },
	}
	b.socket.dial()
}

// drainFor is how long one frame may take in what has arrived. A long log comes in over many frames.
const drainFor = 8 * time.Millisecond

// Drain does what has been left since the last time.
func (b *Bridge) Drain() {
	until := Now() + drainFor
	if !b.inbox.empty(func() bool { return Now() < until }) {
		b.Wake()
	}
}

// greet opens a run, or goes on with the one that there is.
func (b *Bridge) greet() {
	b.setLink("")
	run := b.Player.Run().ID
	if run == "" {
		run = b.wish.Run
	}
	if run == "" {
		b.ask()
		return
	}
	from := map[string]any{}
	for id, n := range b.Player.Have() {
		from[itoa(id)] = n + 1
	}
	b.socket.send(map[string]any{"do": "resume", "run": run, "from": from})
}

// open asks for something else.
func (b *Bridge) open() {
	b.wish.Run, b.back = "", nil
	b.Player.Open(player.Run{})
	b.ask()
}

// ask asks the server for what is wished for.
func (b *Bridge) ask() {
	b.asks++
	if b.socket.open {
		b.socket.send(b.wish.message())
	}
}

// askAgain asks once more after a while, unless something was asked for meanwhile.
func (b *Bridge) askAgain(wait time.Duration) {
	asks := b.asks
	after(wait, func() {
		b.inbox.put(func() {
			if b.deaf() && b.asks == asks {
				b.remark, b.page.stale = "", true
				b.ask()
			}
		})
		b.Wake()
	})
}

// deaf reports whether what comes is still of the run before: another one was asked for.
func (b *Bridge) deaf() bool { return b.Player.Run().ID == "" }

// hear takes a text message of the server.
func (b *Bridge) hear(m js.Value) {
	switch text(m, "say") {
	case "run":
		b.hearRun(m)
	case "branch":
		if !b.deaf() {
			b.hearBranch(m)
		}
	case "steps":
		if !b.deaf() {
			b.Player.PutSteps(steps(m))
		}
	case "contenders":
		b.page.mark("contenders", itoa(int(number(m, "clients"))))
	case "link":
		b.setLink("")
		switch {
		case truth(m, "failed"):
			b.setLink(b.page.panes.Say("link.failed", text(m, "text")))
		case !truth(m, "ok"):
			b.setLink(b.page.panes.Say("link.lost", text(m, "text")))
		}
	case "error":
		b.hearError(m)
	}
}

func (b *Bridge) hearRun(m js.Value) {
	r := player.Run{
		ID: text(m, "run"),
	}
	r.Header.Visit(headerReader{m.Get("header")})
	r.Lesson = b.wish.Lesson != "" && r.Header.Host.Traits().Recipe
	fresh := r.ID != b.Player.Run().ID
	if fresh {
		b.Player.Open(r)
		b.page.panes.Forget()
		b.decoder = event.Decoder{}
		b.page.mark("contenders", "0") // until the server says how many
	}
	each(m, "branches", func(v js.Value) { b.check(b.Player.PutBranch(branch(v), nil)) })
	b.Player.PutSteps(steps(m))
	b.query = text(m, "query")
	if place := b.wish.Place; fresh && place.Set && b.wish.Run != r.ID {
		b.Player.Show(place.At, place.Seq)
	}
	if fresh && b.toEdge && r.Live() {
		b.Player.ToEnd()
	}
	b.toEdge = b.toEdge && !fresh
	if fresh && b.back != nil {
		for _, f := range b.back.Faults() {
			b.socket.send(f)
		}
		b.comeBack()
	}
	if fresh && b.wish.Run == r.ID { // where it was before the frame was loaded again
		b.Player.Select(b.wish.Selected)
		b.Player.Do("branch", b.wish.Branch)
		if was := b.wish.Was; was.Seq > 0 {
			b.Player.Show(was.At, was.Seq)
		} else {
			b.Player.Seek(was.At)
		}
	}
	b.wish.Run = ""
}

func (b *Bridge) hearBranch(m js.Value) {
	br := branch(m)
	known := len(b.Player.Branches())
	b.check(b.Player.PutBranch(br, steps(m)))
	if b.asked && len(b.Player.Branches()) > known {
		b.asked = false
		b.Player.Watch(br.ID)
	}
	b.comeBack()
}

// comeBack goes to where the page was before the run was opened anew, if that is there by now.
func (b *Bridge) comeBack() {
	if b.back != nil && b.back.Go(b.Player) {
		b.back = nil
	}
}

// place is where the page is, or was before the frame was loaded again; nil if that cannot be gone back to.
func (b *Bridge) place() *Comeback {
	if b.wish.Run == "" {
		return ComebackTo(b.Player)
	}
	if w := b.wish; w.Host.Traits().Computed && w.Zoo == "" && w.Path == "" && (w.Branch == "" || w.Branch == "0") {
		return &Comeback{place: w.Was, selected: w.Selected}
	}
	return nil
}

// hearError shows what was refused. A run that is gone is opened anew, and the page says so; what the server is too busy
// for is asked for again.
func (b *Bridge) hearError(m js.Value) {
	if text(m, "do") == "resume" {
		back, said := b.place(), "link.anew"
		if back != nil {
			said = "link.same"
		}
		b.open()
		b.back, b.remark, b.page.stale = back, b.page.panes.Say(said), true
		return
	}
	b.asked = false
	b.remark, b.page.stale = text(m, "text"), true
	b.page.told = true
	if wait := millis(number(m, "again_ms")); wait > 0 && b.deaf() {
		b.askAgain(wait)
	}
}

// frameVersion is the first byte of a frame of events.
const frameVersion = 1

// take takes a frame of events.
func (b *Bridge) take(frame []byte) {
	if len(frame) < 2 || frame[0] != frameVersion || b.deaf() {
		return
	}
	id, n := binary.Uvarint(frame[1:])
	if n <= 0 {
		return
	}
	var events []event.Event
	for rest := frame[1+n:]; len(rest) > 0; {
		e, tail, err := b.decoder.Decode(rest)
		if err != nil {
			b.check(err)
			break
		}
		events, rest = append(events, e), tail
	}
	if b.check(b.Player.Append(int(id), events)) {
		b.failing = 0
	}
}

// check asks for what is missing when the server's account does not hold together; if that does not help, it
// says so and stops asking.
func (b *Bridge) check(err error) bool {
	if err == nil {
		return true
	}
	b.setLink(err.Error())
	if b.failing++; b.failing < 4 {
		b.socket.again()
	}
	return false
}

func (b *Bridge) setLink(text string) {
	b.link = text
	b.page.stale = true
}

func branch(v js.Value) player.Branch {
	return player.Branch{
		ID: int(number(v, "id")), Parent: int(number(v, "parent")), At: millis(number(v, "at_ms")),
		From: event.Seq(number(v, "from")), Fault: text(v, "fault"),
		Events: int(number(v, "events")), Ended: truth(v, "ended"),
	}
}

func steps(m js.Value) (all []player.Step) {
	each(m, "steps", func(v js.Value) {
		s := player.Step{
			Anchor: text(v, "anchor"), Branch: int(number(v, "branch")),
			Seq: event.Seq(number(v, "seq")), At: millis(number(v, "at_ms")),
		}
		each(v, "focus", func(id js.Value) { s.Focus = append(s.Focus, id.String()) })
		all = append(all, s)
	})
	return all
}

// flushEvery is how often, at most, the page round the stage is changed while time passes.
const flushEvery = 100 * time.Millisecond
