//go:build js && wasm

package bridge

import (
	"strings"
	"syscall/js"
	"time"

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
	drop    func()  // ends the connection, or what should become one
	quiet   silence // since the server last said something
	retry   func()  // tries now what is to be tried later; nil while there is nothing to try
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

const (
	// socketBeat is how often the page looks after its connection.
	socketBeat = 2 * time.Second
	// pingAfter is how long the server may say nothing before it's asked whether it's there, and lostAfter before it
	// counts as lost.
	pingAfter = 4 * time.Second
	lostAfter = 10 * time.Second
)

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
	s.drop = func() {
		s.open, s.drop = false, func() {}
		for _, name := range []string{"open", "message", "close"} {
			ws.Set("on"+name, nil)
		}
		for _, h := range handlers {
			h.Release()
		}
		ws.Call("close")
		if !s.ended {
			s.closed()
			s.later()
		}
	}
	on("open", func(js.Value) {
		s.open = true
		s.opened()
	})
	on("message", func(e js.Value) { s.receive(e.Get("data")) })
	on("close", func(js.Value) { s.drop() })
	s.quiet = silence{every: socketBeat, then: Now()}
	after(socketBeat, func() { s.beat(ws) })
}

// beat looks after a connection, until that is another one: a server that hangs closes none.
func (s *socket) beat(ws js.Value) {
	if s.ended || !ws.Equal(s.value) || s.retry != nil {
		return
	}
	switch long := s.quiet.beat(Now()); {
	case long >= lostAfter:
		s.drop()
		return
	case long >= pingAfter:
		s.send(protocol.Request{Do: protocol.Ping})
	}
	after(socketBeat, func() { s.beat(ws) })
}

func (s *socket) receive(data js.Value) {
	s.tries = 0
	s.quiet.end()
	if data.Type() != js.TypeString {
		s.frame(bytesOf(data))
	} else if text := data.String(); text != protocol.SaysPong {
		s.text([]byte(text))
	}
}

// bytesOf copies an ArrayBuffer.
func bytesOf(buffer js.Value) []byte {
	view := js.Global().Get("Uint8Array").New(buffer)
	b := make([]byte, view.Get("length").Int())
	js.CopyBytesToGo(b, view)
	return b
}

// later dials again after a while, or when the reader comes back to the page: a hidden one's timers may be late.
func (s *socket) later() {
	s.retry = afterOrSeen(backoff(s.tries), func() {
		if s.retry = nil; !s.ended {
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

// reach tries at once to come back.
func (s *socket) reach() bool {
	if s.retry != nil {
		s.retry()
	}
	return s.open
}

func (s *socket) again() { s.drop() }

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
