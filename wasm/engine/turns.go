//go:build js && wasm

package main

import "syscall/js"

// turnEvery is how long a computation runs, in milliseconds, before it gives the worker's event loop a turn. The loop
// has requests and timers. Go gets the only thread back when the loop has nothing else to do.
const turnEvery = 30

// turns gives the event loop turns.
type turns struct {
	clock js.Value
	port  js.Value      // a message to it comes back after all that wait
	back  chan struct{} // an entry for each message that is back
	last  float64       // when the last turn ended
}

func newTurns() *turns {
	channel := js.Global().Get("MessageChannel").New()
	t := &turns{clock: js.Global().Get("performance"), port: channel.Get("port1"), back: make(chan struct{}, mostAtOnce)}
	channel.Get("port2").Set("onmessage", js.FuncOf(func(js.Value, []js.Value) any {
		t.back <- struct{}{}
		return nil
	}))
	return t
}

// mostAtOnce is more than there are computations at a time, so that no message waits.
const mostAtOnce = 16

// yield gives the event loop a turn if it has had none for a while.
func (t *turns) yield() {
	if t.clock.Call("now").Float()-t.last < turnEvery {
		return
	}
	t.port.Call("postMessage", js.Null())
	<-t.back
	t.last = t.clock.Call("now").Float()
}
