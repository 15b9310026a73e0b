//go:build js && wasm

package bridge

import (
	"syscall/js"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// reel is the transport of a site of files: it answers requests for the runs in a file, and lacks all others.
type reel struct {
	receiver
	address string
	open    bool            // the file is there
	takes   []protocol.Take // what is in it
	ended   bool
	tries   int
}

// onFiles reports whether the page is one of a site of files, and the address of its reel, "" if there is none.
func onFiles() (reel string, ok bool) {
	document := js.Global().Get("parent").Get("document")
	address := document.Get("documentElement").Get("dataset").Get("reel")
	if !address.Truthy() {
		return "", address.Type() == js.TypeString
	}
	return js.Global().Get("URL").New(address, document.Get("baseURI")).Get("href").String(), true
}

func openReel(address string, r receiver) *reel {
	x := &reel{receiver: r, address: address}
	if address == "" {
		x.begin(nil)
	} else {
		x.load()
	}
	return x
}

func (x *reel) begin(takes []protocol.Take) {
	x.open, x.takes = true, takes
	x.opened()
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
			x.begin(takes)
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

// send answers a request from the file.
func (x *reel) send(r protocol.Request) bool {
	if !x.open {
		return false
	}
	take, ok := protocol.FindTake(x.takes, r)
	switch {
	case !ok && r.Do == protocol.Resume: // an engine had the run before the frame was reloaded
		x.text(protocol.AppendMessage(nil, &protocol.Refusal{Do: r.Do, Why: sentence.Sentence{Key: "refused.gave-way"}}))
		return true
	case !ok:
		return false
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

// reach is for what isn't in the file.
func (x *reel) reach() bool { return x.open && x.lacks() }

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
