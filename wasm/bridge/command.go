//go:build js && wasm

package bridge

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"syscall/js"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run/link"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/stage/player"
	"github.com/zkviz/zkviz/engine/stage/scene"
)

// takeCommands defines window.zkviz in the stage's frame: command(name, arg), link(), picture(title),
// open(buffer, name), save(takes), fork(), position() and next().
func (b *Bridge) takeCommands() {
	api := js.Global().Get("Object").New()
	answer(api, "command", func(args []js.Value) any {
		if len(args) == 0 {
			return false
		}
		arg := ""
		if len(args) > 1 && !args[1].IsUndefined() {
			arg = js.Global().Call("String", args[1]).String()
		}
		return b.Command(args[0].String(), arg)
	})
	answer(api, "link", func([]js.Value) any { return b.share() })
	answer(api, "picture", func(args []js.Value) any { return b.picture(args[0].String()) })
	answer(api, "open", func(args []js.Value) any { b.source.openFile(args[0], args[1].String()); return nil })
	answer(api, "save", func(args []js.Value) any {
		if len(args) == 0 {
			return b.source.saves()
		}
		return b.source.save(args[0], len(args) > 1)
	})
	answer(api, "fork", func([]js.Value) any { b.fork(); return nil })
	answer(api, "position", func([]js.Value) any { return b.position() })
	answer(api, "next", func([]js.Value) any { return b.next() })
	js.Global().Set("zkviz", api)
}

// answer lets the page call f by a name.
//
//go:noinline
func answer(api js.Value, name string, f func(args []js.Value) any) {
	api.Set(name, js.FuncOf(func(_ js.Value, args []js.Value) any { return f(args) }))
}

// ownCommands lists the commands that the page sends by itself and not about the run: they leave the remark alone.
var ownCommands = []string{"theme", "motion", "task", "meet", "beside", "in-step", "explore", "explore-stop", "follow"}

// Command executes a command of the page and shows its effect at once, even if the browser draws no frames because the
// stage is out of sight.
func (b *Bridge) Command(name, arg string) bool {
	b.Drain()
	if !slices.Contains(ownCommands, name) {
		b.page.remark, b.page.stale = "", true
		if back := b.source.back; back != nil && back.led {
			b.source.back = nil
		}
	}
	ok := b.carryOut(name, arg)
	b.Follow()
	b.Flush(name != "seek") // seek comes with every move of the pointer
	b.wake()
	return ok
}

func (b *Bridge) carryOut(name, arg string) bool {
	switch name {
	case "fault":
		return b.fault(arg)
	case "follow":
		return b.follow(arg)
	case "stop":
		return b.stop()
	case "explore":
		return b.exploration.begin(arg == "own")
	case "explore-stop":
		return b.exploration.stop()
	case "show":
		return b.source.show(arg)
	case "close-file":
		if b.source.file {
			b.source.open()
		}
	case "contenders":
		n, err := strconv.Atoi(arg)
		return err == nil && b.source.send(protocol.Request{Do: protocol.Contend, Clients: n})
	case "watches":
		return b.source.send(protocol.Request{Do: protocol.Watches})
	case "select-next":
		b.player.Select(b.frame.Next(b.player.Selected(), 1))
	case "select-previous":
		b.player.Select(b.frame.Next(b.player.Selected(), -1))
	case "turn":
		return b.turn(arg == "back")
	case "menu":
		return b.openMenuOfSelected(arg)
	case "meet":
		return b.source.meet(arg)
	case "beside":
		return b.Beside.compare(arg)
	case "in-step":
		return b.Beside.setInStep(arg)
	case "theme":
		b.theme(arg == "dark")
	case "task":
		return b.task.set(arg)
	case "retry":
		return b.task.retry()
	case "host":
		b.restarts()
		if host := event.Host(arg); host != b.source.address.Host {
			b.source.address.Host = host
			b.source.open()
		}
	case "again":
		b.restarts()
		b.Beside.again()
		return b.source.again()
	case "open-lesson":
		b.source.address, b.source.query = Address{Lesson: arg, Host: b.source.address.Host}, ""
		b.source.open()
	default:
		return b.player.Do(name, arg)
	}
	return true
}

// restarts restarts the reader's attempt because another run begins. At a challenge a live run is followed at its edge,
// since the reader acts on it instead of following its steps.
func (b *Bridge) restarts() {
	b.source.toEdge = b.source.toEdge || b.task.at
	b.task.restart()
}

// turn selects what leads to another page of the stage. It plans again, since the frame may be older than the last key.
func (b *Bridge) turn(back bool) bool {
	o := b.Options()
	o.Width, o.Height = b.frame.Width, b.frame.Height
	to := b.page.layout.Plan(b.player.State(), b.player.Head.At(), o).Turn(back)
	if to == "" {
		return false
	}
	b.player.Select(to)
	return true
}

// fault injects a fault at the playhead. A live run moves to its live edge first, where the fault happens.
func (b *Bridge) fault(arg string) bool {
	p := b.player
	if b.source.file {
		b.page.remark = b.page.panes.Say("file.readonly")
		return false
	}
	if b.page.remark = cmp.Or(b.task.forbidden(arg), b.pointless(arg)); b.page.remark != "" {
		return false
	}
	if p.Behind() {
		b.page.remark = b.page.panes.Say("fault.now", tenths(p.Log.Edge()+player.Delay))
	}
	if p.Log.Run().Live() {
		p.ToEnd()
	}
	request := protocol.Request{Do: protocol.Inject, Branch: p.Log.Branch(), Fault: FaultAt(arg, p.Head.At())}
	sent := b.source.send(request)
	if sent {
		b.task.acted()
		if len(b.source.pending) > 0 && !b.source.asking {
			b.page.setLink(b.page.panes.Say("engine.loading"))
		}
	}
	return sent
}

// pointless says why a fault would have no effect, or returns "".
func (b *Bridge) pointless(arg string) string {
	p := b.player
	s, by := p.State(), p.Head.At()
	if p.Log.Run().Live() {
		s, by = p.Log.Shown().Latest(), p.Log.Edge()
	}
	if p.Log.Over() {
		return b.page.panes.Say("fault.over", tenths(by))
	}
	return Pointless(s, arg, by, b.page.panes.Say)
}

// picture returns the stage as an SVG document.
func (b *Bridge) picture(title string) string {
	var svg strings.Builder
	if err := scene.WriteSVG(&svg, b.frame, title); err != nil {
		return ""
	}
	return svg.String()
}

// next returns who waits and who comes next, or "" before there is a run.
func (b *Bridge) next() string {
	h := b.player.Log.Shown().History()
	if h == nil {
		return ""
	}
	return Next(h, b.player.State())
}

// position returns what the frame's address needs to come back to the current position, and other pages to follow.
func (b *Bridge) position() string {
	p := b.player
	params := js.Global().Get("URLSearchParams").New()
	params.Call("set", "run", p.Log.Run().ID)
	params.Call("set", "branch", p.Log.Branch())
	params.Call("set", "selected", p.Selected())
	if b.source.file {
		params.Call("set", "file", b.source.name)
	}
	if b.Beside.second != nil {
		params.Call("set", "beside", b.Beside.second.written)
		params.Call("set", "in-step", string(b.Beside.inStep))
	}
	for _, f := range faultsOf(p.Log.Branches(), p.Log.Branch()) {
		params.Call("append", "fault", f)
	}
	if b.task.attempt != nil {
		params.Call("set", "attempt", b.task.attempt.String())
	}
	is := p.Place()
	q := params.Call("toString").String() + "&step=" + is.Step + "&" + link.Place{At: is.At, Seq: is.Seq}.Query()
	if is.Playing {
		q += "&playing="
	}
	if is.Tells {
		q += "&tells="
	}
	if p.Log.Run().Live() {
		q += "&live="
	}
	return q
}
