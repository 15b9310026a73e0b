//go:build js && wasm

package bridge

import (
	"strings"
	"syscall/js"

	"github.com/zkviz/zkviz/engine/run/protocol"
)

// socket is the transport over a WebSocket to the page's server.
type socket struct {
	receiver
	address string
	value   js.Value
	open    bool
	ended   bool
	tries   int
}

func dialSocket(r receiver) transport {
	location := js.Global().Get("location")
	scheme := "ws://"
	if location.Get("protocol").String() == "https:" {
		scheme = "wss://"
	}
	// The stage's path is next to it, in the language of its page.
	path := strings.TrimSuffix(location.Get("pathname").String(), "stage") + "ws"
	s := &socket{receiver: r, address: scheme + location.Get("host").String() + path}
	s.dial()
	return s
}

// dial connects, and retries until it succeeds.
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
		s.opened()
	})
	on("message", func(e js.Value) { s.receive(e.Get("data")) })
	on("close", func(js.Value) {
		s.open = false
		for _, h := range handlers {
			h.Release()
		}
		if s.ended {
			return
		}
		s.closed()
		s.later()
	})
}

func (s *socket) receive(data js.Value) {
	s.tries = 0
	if data.Type() == js.TypeString {
		s.text([]byte(data.String()))
		return
	}
	s.frame(bytesOf(data))
}

// bytesOf copies an ArrayBuffer.
func bytesOf(buffer js.Value) []byte {
	view := js.Global().Get("Uint8Array").New(buffer)
	b := make([]byte, view.Get("length").Int())
	js.CopyBytesToGo(b, view)
	return b
}

func (s *socket) later() {
	after(backoff(s.tries), func() {
		if !s.ended {
			s.dial()
		}
	})
	s.tries++
}

func (s *socket) send(r protocol.Request) bool {
	if !s.open {
		return false
	}
	s.value.Call("send", string(protocol.AppendRequest(nil, r)))
	return true
}

func (s *socket) again() { s.value.Call("close") }

func (s *socket) end() {
	s.ended = true
	s.again()
}

// dialServer returns a transport to the page's server, or on a site of files, to the page's reel.
func dialServer(r receiver) transport {
	if address, ok := onFiles(); ok {
		return openReel(address, r)
	}
	return dialSocket(r)
}
