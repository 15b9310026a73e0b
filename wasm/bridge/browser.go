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

// afterOrSeen calls f once, after d, or when now is called or the reader comes back to the page or to the network.
func afterOrSeen(d time.Duration, f func()) (now func()) {
	events := map[string]js.Value{"visibilitychange": js.Global().Get("parent").Get("document"),
		"focus": js.Global().Get("parent"), "online": js.Global()}
	var seen js.Func
	due := true
	now = func() {
		if !due {
			return
		}
		due = false
		for name, target := range events {
			target.Call("removeEventListener", name, seen)
		}
		seen.Release()
		f()
	}
	seen = js.FuncOf(func(js.Value, []js.Value) any {
		if !events["visibilitychange"].Get("hidden").Bool() {
			now()
		}
		return nil
	})
	for name, target := range events {
		target.Call("addEventListener", name, seen)
	}
	after(d, now)
	return now
}

// awakeBeat is how often afterAwake looks whether the machine is awake.
const awakeBeat = 2 * time.Second

// afterAwake calls f once the machine has been awake for so long.
func afterAwake(long time.Duration, f func()) {
	awake := silence{every: awakeBeat, then: Now()}
	var beat func()
	beat = func() {
		if awake.beat(Now()) >= long {
			f()
			return
		}
		after(awakeBeat, beat)
	}
	after(awakeBeat, beat)
}

// listen adds a listener that is never removed.
func listen(target js.Value, name string, capture bool, f func(event js.Value)) {
	target.Call("addEventListener", name, js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(args[0])
		return nil
	}), capture)
}

func millis(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
