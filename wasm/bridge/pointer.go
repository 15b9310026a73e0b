//go:build js && wasm

package bridge

import (
	"math"
	"syscall/js"
)

// stray is how far, in CSS pixels, a finger may move and still have tapped.
const stray = 10

// Pointer lets mouse, pen and finger choose what lies under them. find says what that is. It works with the
// browser's own events, because Ebiten keeps a finger from scrolling the page; none of these reach it.
func (b *Bridge) Pointer(find func(x, y float64) (id string, ok bool)) {
	window := js.Global()
	var downX, downY float64
	down := false
	listen(window, "pointerdown", true, func(e js.Value) {
		downX, downY = e.Get("clientX").Float(), e.Get("clientY").Float()
		down = e.Get("isPrimary").Bool() && e.Get("button").Int() == 0
	})
	listen(window, "pointercancel", true, func(js.Value) { down = false })
	listen(window, "pointerup", true, func(e js.Value) {
		x, y := e.Get("clientX").Float(), e.Get("clientY").Float()
		if down && math.Hypot(x-downX, y-downY) <= stray {
			id, _ := find(x, y)
			b.Command("select", id)
		}
		down = false
	})
	canvas := window.Get("document").Call("querySelector", "canvas")
	canvas.Set("tabIndex", -1) // there is nothing to do with it by key
	was := ""
	listen(window, "pointermove", true, func(e js.Value) {
		id, _ := find(e.Get("clientX").Float(), e.Get("clientY").Float())
		if id == was {
			return
		}
		was = id
		cursor := "default"
		if id != "" {
			cursor = "pointer"
		}
		canvas.Get("style").Set("cursor", cursor)
		canvas.Set("title", id)
	})
}
