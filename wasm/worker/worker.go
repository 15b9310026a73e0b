//go:build js && wasm

package worker

import "syscall/js"

// Serve tells the page that the program is ready, and handles the page's messages from then on. It doesn't return.
func Serve(receive func(m js.Value)) {
	js.Global().Set("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		receive(args[0].Get("data"))
		return nil
	}))
	Post("ready", 0, js.Undefined())
	select {}
}

// Post sends the page a message. An ArrayBuffer changes hands.
func Post(kind string, id int, data js.Value) {
	m := js.Global().Get("Object").New()
	m.Set("kind", kind)
	m.Set("id", id)
	m.Set("data", data)
	if data.Type() == js.TypeObject {
		js.Global().Call("postMessage", m, js.Global().Get("Array").New(data))
		return
	}
	js.Global().Call("postMessage", m)
}

// Buffer copies bytes into an ArrayBuffer.
func Buffer(b []byte) js.Value {
	view := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(view, b)
	return view.Get("buffer")
}

// Bytes copies an ArrayBuffer.
func Bytes(buffer js.Value) []byte {
	view := js.Global().Get("Uint8Array").New(buffer)
	b := make([]byte, view.Get("length").Int())
	js.CopyBytesToGo(b, view)
	return b
}
