//go:build js && wasm

package bridge

import (
	"strings"
	"syscall/js"
	"time"
)

// ReadAddress reads the frame's address. What the page leaves out of
// colours and motion, the system decides.
func ReadAddress() Address {
	location := js.Global().Get("location")
	query := strings.TrimPrefix(location.Get("search").String(), "?")
	w := AddressOf(query, strings.TrimPrefix(location.Get("hash").String(), "#"))
	w.Dark = w.Dark || !strings.Contains(query, "theme=") && media("(prefers-color-scheme: dark)")
	w.Still = w.Still || !strings.Contains(query, "motion=") && media("(prefers-reduced-motion: reduce)")
	return w
}

func media(query string) bool {
	return js.Global().Call("matchMedia", query).Get("matches").Bool()
}

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
