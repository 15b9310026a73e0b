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
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/stage/player"
	"github.com/zkviz/zkviz/engine/stage/scene"
)

// takeCommands defines window.zkviz in the stage's frame: command(name, arg), link(), picture(title), open(buffer),
// fork() and position().
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

// ownCommands lists the commands that the page sends by itself and not about the run: they leave the remark alone.
var ownCommands = []string{"theme", "motion", "task", "beside", "in-step"}

// Command executes a command of the page and shows its effect at once, even if the browser draws no frames because the
// stage is out of sight.
func (b *Bridge) Command(name, arg string) bool {
	b.Drain()
	if !slices.Contains(ownCommands, name) {
		b.remark, b.page.stale = "", true
	}
	ok := b.carryOut(name, arg)
	b.Judge()
	b.KeepComparing()
	b.Flush(name != "seek") // seek comes with every move of the pointer
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
		return b.compare(arg)
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

// turn selects what leads to another page of the stage. It plans again, since the frame may be older than the last key.
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

// fault injects a fault at the playhead. A live run moves to its live edge first, where the fault happens.
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

// pointless says why a fault would have no effect, or returns "".
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

// share returns the query of a link to what is shown, or "". A live run can't be repeated: its link is to the scenario
// on the simulator.
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
	if b.address.Lesson != "" { // the lesson has its own scenario
		scenario = ""
	}
	link := Link(scenario, p.Branches(), p.Branch(), place)
	if b.comparison != nil && b.address.Lesson == "" {
		link += "&beside=" + url.QueryEscape(b.differs()) + "&in-step=" + string(b.inStep)
	}
	return link
}

// differs returns the parameters in which the second run differs, for a link. Equal faults needn't be repeated.
func (b *Bridge) differs() string {
	own := valuesOf("?"+b.query, "fault")
	if !b.comparison.pair.Twin() {
		other, err := url.ParseQuery(b.comparison.query)
		if err == nil && slices.Equal(other["fault"], own) {
			other.Del("fault")
		}
		return other.Encode()
	}
	faults := append(own, faultsOf(b.player.Branches(), b.comparison.player.Branch())...)
	if len(faults) == 0 {
		return "fault="
	}
	return url.Values{"fault": faults}.Encode()
}

// picture returns the stage as an SVG document.
func (b *Bridge) picture(title string) string {
	var svg strings.Builder
	if err := scene.WriteSVG(&svg, b.frame, title); err != nil {
		return ""
	}
	return svg.String()
}

// verify tells the page, once the moment in a link is shown, whether the run still equals the one linked.
func (b *Bridge) verify() {
	want, history := b.address.Place, b.player.History()
	if want.Sum == "" || history == nil || b.player.Waiting() || b.back != nil || b.file {
		return
	}
	b.address.Place.Sum = ""
	same := history.Len() >= int(want.Seq) && Sum(history.Lookup, want.Seq) == want.Sum
	b.page.mark("link", map[bool]string{true: "same", false: "differs"}[same])
}

// position returns what the frame's address needs to come back to the current position.
func (b *Bridge) position() string {
	p := b.player
	params := js.Global().Get("URLSearchParams").New()
	params.Call("set", "run", p.Run().ID)
	params.Call("set", "branch", p.Branch())
	params.Call("set", "selected", p.Selected())
	if b.comparison != nil {
		params.Call("set", "beside", b.comparison.written)
		params.Call("set", "in-step", string(b.inStep))
	}
	if b.attempt != nil {
		params.Call("set", "attempt", b.attempt.String())
	}
	place := Place{At: p.At()}
	if !p.Playing() { // it stands at an event, maybe not the last one of that moment
		place.Seq = p.Seq()
	}
	return params.Call("toString").String() + "&" + place.Query()
}
