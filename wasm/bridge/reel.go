//go:build js && wasm

package bridge

import (
	"syscall/js"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// reel is the transport of a site of files: it answers requests for the runs in a file, and refuses all others.
type reel struct {
	receiver
	address string
	takes   []protocol.Take // nil until the file is there
	ended   bool
	tries   int
}

// errNoTake refuses a request for anything that isn't in the file.
var errNoTake = sentence.Error("refused.reel")

// reelAddress returns the address of the page's reel, or "" if a server answers.
func reelAddress() string {
	document := js.Global().Get("parent").Get("document")
	address := document.Get("documentElement").Get("dataset").Get("reel")
	if address.Type() != js.TypeString {
		return ""
	}
	return js.Global().Get("URL").New(address, document.Get("baseURI")).Get("href").String()
}

func openReel(address string, r receiver) *reel {
	x := &reel{receiver: r, address: address}
	x.load()
	return x
}

// load reads the file, and retries until it succeeds.
func (x *reel) load() {
	fetchBytes(x.address, func(file []byte) {
		takes, err := protocol.ParseReel(file)
		switch {
		case x.ended:
		case err != nil:
			x.closed()
			x.later()
		default:
			x.takes = takes
			x.opened()
		}
	})
}

func (x *reel) later() {
	after(backoff(x.tries), func() {
		if !x.ended {
			x.load()
		}
	})
	x.tries++
}

// send answers a request from the file, if only by a refusal.
func (x *reel) send(r protocol.Request) bool {
	if x.takes == nil {
		return false
	}
	take, ok := protocol.FindTake(x.takes, r)
	if !ok {
		x.text(protocol.AppendMessage(nil, &protocol.Refusal{Do: r.Do, Why: sentence.From(errNoTake)}))
		return true
	}
	for _, a := range take.Answers {
		if a.Frame {
			x.frame(a.Body)
		} else {
			x.text(a.Body)
		}
	}
	return true
}

// again does nothing: the file doesn't change.
func (x *reel) again() {}

func (x *reel) end() { x.ended = true }

// fetchBytes hands the file at an address to got, or nil if it can't be read.
func fetchBytes(address string, got func([]byte)) {
	var body, settled, failed js.Func
	end := func(file []byte) {
		body.Release()
		settled.Release()
		failed.Release()
		got(file)
	}
	body = js.FuncOf(func(_ js.Value, args []js.Value) any {
		if !args[0].Get("ok").Bool() {
			return js.Null()
		}
		return args[0].Call("arrayBuffer")
	})
	settled = js.FuncOf(func(_ js.Value, args []js.Value) any {
		var file []byte
		if !args[0].IsNull() {
			file = bytesOf(args[0])
		}
		end(file)
		return nil
	})
	failed = js.FuncOf(func(js.Value, []js.Value) any {
		end(nil)
		return nil
	})
	js.Global().Call("fetch", address).Call("then", body).Call("then", settled, failed)
}
