//go:build js && wasm

package bridge

import (
	"strconv"
	"syscall/js"
	"time"
)

// after calls f once, d from now.
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

// parseJSON lets the browser do it. It reports false for anything but an object.
func parseJSON(text js.Value) (v js.Value, ok bool) {
	defer func() {
		if recover() != nil { // JSON.parse threw
			ok = false
		}
	}()
	v = js.Global().Get("JSON").Call("parse", text)
	return v, v.Type() == js.TypeObject
}

// The parts of a parsed message: of another type than expected, they are empty.

func text(v js.Value, key string) string {
	if s := v.Get(key); s.Type() == js.TypeString {
		return s.String()
	}
	return ""
}

func number(v js.Value, key string) float64 {
	if n := v.Get(key); n.Type() == js.TypeNumber {
		return n.Float()
	}
	return 0
}

func truth(v js.Value, key string) bool { return v.Get(key).Truthy() }

func each(v js.Value, key string, f func(js.Value)) {
	list := v.Get(key)
	if list.Type() != js.TypeObject {
		return
	}
	for i := range list.Length() {
		f(list.Index(i))
	}
}

func millis(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

func itoa(n int) string { return strconv.Itoa(n) }
