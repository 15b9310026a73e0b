//go:build js && wasm

package bridge

import (
	"syscall/js"
)

// socket is a WebSocket to the server that comes back by itself.
type socket struct {
	address string
	value   js.Value
	open    bool
	tries   int

	onOpen  func()
	onText  func(message js.Value) // parsed
	onBytes func(frame []byte)
	onClose func()
}

// dial connects, or tries to; it goes on trying until it has.
func (s *socket) dial() {
	ws := js.Global().Get("WebSocket").New(s.address)
	ws.Set("binaryType", "arraybuffer")
	s.value = ws
	var handlers []js.Func
	on := func(name string, f func(event js.Value)) {
		h := js.FuncOf(func(_ js.Value, args []js.Value) any {
			f(args[0])
			return nil
		})
		handlers = append(handlers, h)
		ws.Set("on"+name, h)
	}
	on("open", func(js.Value) {
		s.open = true
		s.onOpen()
	})
	on("message", func(e js.Value) { s.receive(e.Get("data")) })
	on("close", func(js.Value) {
		s.open = false
		for _, h := range handlers {
			h.Release()
		}
		s.onClose()
		s.later()
	})
}

func (s *socket) receive(data js.Value) {
	s.tries = 0
	if data.Type() == js.TypeString {
		if m, ok := parseJSON(data); ok {
			s.onText(m)
		}
		return
	}
	view := js.Global().Get("Uint8Array").New(data)
	frame := make([]byte, view.Get("length").Int())
	js.CopyBytesToGo(frame, view)
	s.onBytes(frame)
}

func (s *socket) later() {
	after(backoff(s.tries), s.dial)
	s.tries++
}

// send sends an object as JSON. It reports false if there is no connection.
func (s *socket) send(object map[string]any) bool {
	if !s.open {
		return false
	}
	s.value.Call("send", js.Global().Get("JSON").Call("stringify", object))
	return true
}

// again closes the connection; it comes back, and with it what was missed.
func (s *socket) again() { s.value.Call("close") }
