//go:build js && wasm

package bridge

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall/js"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/protocol"
	"github.com/zkviz/zkviz/wasm/player"
	"github.com/zkviz/zkviz/wasm/scene"
)

// takeCommands puts window.zkviz into the stage's frame: command(name, arg), link(), picture(title),
// open(buffer), fork() and position().
func (b *Bridge) takeCommands() {
	api := js.Global().Get("Object").New()
	api.Set("command", js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) == 0 {
			return false
		}
		arg := ""
		if len(args) > 1 && !args[1].IsUndefined() {
			arg = js.Global().Call("String", args[1]).String()
		}
		return b.Command(args[0].String(), arg)
	}))
	api.Set("link", js.FuncOf(func(js.Value, []js.Value) any { return b.share() }))
	api.Set("picture", js.FuncOf(func(_ js.Value, args []js.Value) any { return b.picture(args[0].String()) }))
	api.Set("open", js.FuncOf(func(_ js.Value, args []js.Value) any {
		view := js.Global().Get("Uint8Array").New(args[0])
		text := make([]byte, view.Get("length").Int())
		js.CopyBytesToGo(text, view)
		b.openFile(text)
		return nil
	}))
	api.Set("fork", js.FuncOf(func(js.Value, []js.Value) any { return b.fork() }))
	api.Set("position", js.FuncOf(func(js.Value, []js.Value) any { return b.position() }))
	js.Global().Set("zkviz", api)
}

// ownCommands are those that the page gives by itself, and not about the run: they say nothing of the command before.
var ownCommands = []string{"theme", "motion", "task", "beside", "in-step"}

// Command carries out a command of the page and shows its effect at once, even where the browser draws no
// frames because the stage is out of sight.
func (b *Bridge) Command(name, arg string) bool {
	b.Drain()
	if !slices.Contains(ownCommands, name) {
		b.remark, b.page.stale = "", true
	}
	ok := b.carryOut(name, arg)
	b.Judge()
	b.KeepBeside()
	b.Flush(name != "seek") // which comes with every move of the pointer
	b.wake()
	return ok
}

func (b *Bridge) carryOut(name, arg string) bool {
	switch name {
	case "fault":
		return b.fault(arg)
	case "close-file":
		if b.file {
			b.open()
		}
	case "contenders":
		n, err := strconv.Atoi(arg)
		return err == nil && b.server.send(protocol.Request{Do: protocol.Contend, Clients: n})
	case "watches":
		return b.server.send(protocol.Request{Do: protocol.Watches})
	case "select-next":
		b.player.Select(b.frame.Next(b.player.Selected(), 1))
	case "select-previous":
		b.player.Select(b.frame.Next(b.player.Selected(), -1))
	case "turn":
		return b.turn(arg == "back")
	case "menu":
		return b.openMenuOfSelected()
	case "beside":
		return b.setBeside(arg)
	case "in-step":
		return b.setInStep(arg)
	case "theme":
		b.theme(arg == "dark")
	case "task":
		return b.setTask(arg)
	case "retry":
		return b.retry()
	case "host":
		b.restarts()
		if host := event.Host(arg); host != b.address.Host {
			b.address.Host = host
			b.open()
		}
	case "again":
		b.restarts()
		if r := b.player.Run(); !r.Live() || !r.Header.Host.Traits().Recipe {
			return b.player.Do("start", "")
		}
		b.open()
	case "open-lesson":
		b.address = Address{Lesson: arg, Host: b.address.Host}
		b.open()
	default:
		return b.player.Do(name, arg)
	}
	return true
}

// turn selects what leads to another page of the stage. It doesn't go by the frame, which may be from before the last
// key.
func (b *Bridge) turn(back bool) bool {
	o := b.Options()
	o.Width, o.Height = b.frame.Width, b.frame.Height
	to := b.page.layout.Plan(b.player.State(), b.player.At(), o).Turn(back)
	if to == "" {
		return false
	}
	b.player.Select(to)
	return true
}

// fault has something done to a client at the playhead: what runs live is taken to its live edge for that,
// since there it is done.
func (b *Bridge) fault(arg string) bool {
	p := b.player
	if b.file {
		b.remark = b.page.panes.Say("file.readonly")
		return false
	}
	if b.remark = cmp.Or(b.forbidden(arg), b.pointless(arg)); b.remark != "" {
		return false
	}
	if p.Behind() {
		b.remark = b.page.panes.Say("fault.now", tenths(p.Edge()+player.Delay))
	}
	if p.Run().Live() {
		p.ToEnd()
	}
	sent := b.server.send(protocol.Request{Do: protocol.Inject, Branch: p.Branch(), Fault: FaultAt(arg, p.At())})
	b.asked = sent && !p.Run().Live()
	if sent {
		b.acted()
	}
	return sent
}

// pointless says why a fault would change nothing, empty if it may.
func (b *Bridge) pointless(arg string) string {
	p := b.player
	s, by := p.State(), p.At()
	if p.Run().Live() {
		s, by = p.Latest(), p.Edge()
	}
	who, ok := FaultOn(arg)
	switch c := s.Client(who); {
	case p.Over():
		return b.page.panes.Say("fault.over", tenths(by))
	case ok && c != nil && (c.Exited || c.Crashed):
		return b.page.panes.Say("fault.ended."+string(p.Run().Header.Host), who.Letter(), tenths(by))
	}
	return ""
}

func tenths(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) }

// share is the query of a link to what is shown, empty while there is nothing to link to. A live run cannot be
// shown again: the link is to its scenario on the simulator.
func (b *Bridge) share() string {
	p := b.player
	history := p.History()
	switch {
	case b.query == "" || history == nil || b.file:
		return ""
	case p.Run().Live() && b.address.Lesson != "":
		return ""
	case p.Run().Live():
		return b.query
	}
	place := Place{At: p.At(), Seq: p.Seq()}
	place.Sum = Sum(history.Lookup, place.Seq)
	scenario := b.query
	if b.address.Lesson != "" { // which is the lesson's
		scenario = ""
	}
	link := Link(scenario, p.Branches(), p.Branch(), place)
	if b.beside != nil && b.address.Lesson == "" {
		link += "&beside=" + url.QueryEscape(b.differs()) + "&in-step=" + string(b.inStep)
	}
	return link
}

// differs is what is different in the run beside, as a link has it: the same faults need not be said.
func (b *Bridge) differs() string {
	own := valuesOf("?"+b.query, "fault")
	if !b.beside.pair.Twin() {
		other, err := url.ParseQuery(b.beside.query)
		if err == nil && slices.Equal(other["fault"], own) {
			other.Del("fault")
		}
		return other.Encode()
	}
	faults := append(own, faultsOf(b.player.Branches(), b.beside.player.Branch())...)
	if len(faults) == 0 {
		return "fault="
	}
	return url.Values{"fault": faults}.Encode()
}

// picture is what is on the stage as an SVG document.
func (b *Bridge) picture(title string) string {
	var svg strings.Builder
	if err := scene.WriteSVG(&svg, b.frame, title); err != nil {
		return ""
	}
	return svg.String()
}

// verify tells the page, once the moment that a link named is shown, whether the run is still the one that
// the link was made from.
func (b *Bridge) verify() {
	want, history := b.address.Place, b.player.History()
	if want.Sum == "" || history == nil || b.player.Waiting() || b.back != nil || b.file {
		return
	}
	b.address.Place.Sum = ""
	same := history.Len() >= int(want.Seq) && Sum(history.Lookup, want.Seq) == want.Sum
	b.page.mark("link", map[bool]string{true: "same", false: "differs"}[same])
}

// position is what the frame must find in its address to come back to where it is.
func (b *Bridge) position() string {
	p := b.player
	params := js.Global().Get("URLSearchParams").New()
	params.Call("set", "run", p.Run().ID)
	params.Call("set", "branch", p.Branch())
	params.Call("set", "selected", p.Selected())
	if b.beside != nil {
		params.Call("set", "beside", b.beside.written)
		params.Call("set", "in-step", string(b.inStep))
	}
	if b.attempt != nil {
		params.Call("set", "attempt", b.attempt.String())
	}
	place := Place{At: p.At()}
	if !p.Playing() { // it stands at an event, not at the last one of that moment
		place.Seq = p.Seq()
	}
	return params.Call("toString").String() + "&" + place.Query()
}
