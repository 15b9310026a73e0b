//go:build js && wasm

package bridge

import (
	"syscall/js"
	"time"
)

// after calls f once, after d.
func after(d time.Duration, f func()) {
	var once js.Func
	once = js.FuncOf(func(js.Value, []js.Value) any {
		once.Release()
		f()
		return nil
	})
	js.Global().Call("setTimeout", once, d.Milliseconds())
}

// listen adds a listener that is never removed.
func listen(target js.Value, name string, capture bool, f func(event js.Value)) {
	target.Call("addEventListener", name, js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(args[0])
		return nil
	}), capture)
}

func millis(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
