//go:build js && wasm

package bridge

import (
	"syscall/js"
)

// takeCommands puts window.zkviz into the stage's frame: command(name, arg) and position().
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
	api.Set("position", js.FuncOf(func(js.Value, []js.Value) any { return b.position() }))
	js.Global().Set("zkviz", api)
}

// Command carries out a command of the page and shows its effect at once, even where the browser draws no
// frames because the stage is out of sight.
func (b *Bridge) Command(name, arg string) bool {
	b.Drain()
	b.refused, b.page.stale = "", true
	ok := b.carryOut(name, arg)
	b.Flush(name != "seek") // which comes with every move of the pointer
	b.Wake()
	return ok
}

func (b *Bridge) carryOut(name, arg string) bool {
	switch name {
	case "fault":
		return b.fault(arg)
	case "theme":
		b.Theme(arg == "dark")
	case "host":
		if arg != b.wish.Host {
			b.wish.Host = arg
			b.open()
		}
	case "open-lesson":
		b.wish = Wish{Lesson: arg, Host: b.wish.Host}
		b.open()
	default:
		return b.Player.Do(name, arg)
	}
	return true
}

func (b *Bridge) fault(arg string) bool {
	p := b.Player
	sent := b.socket.send(map[string]any{"do": "fault", "branch": p.Branch(), "fault": FaultAt(arg, p.At())})
	b.asked = sent && !p.Run().Live()
	return sent
}

// position is what the frame must find in its address to come back to where it is.
func (b *Bridge) position() string {
	p := b.Player
	params := js.Global().Get("URLSearchParams").New()
	params.Call("set", "run", p.Run().ID)
	params.Call("set", "branch", p.Branch())
	params.Call("set", "at", float64(p.At())/1e6)
	params.Call("set", "selected", p.Selected())
	return params.Call("toString").String()
}
