//go:build js && wasm

package bridge

import (
	"math"
	"syscall/js"

	"github.com/zkviz/zkviz/engine/stage/scene/display"
)

// stray is how far, in CSS pixels, a finger may move during a tap.
const stray = 10

// broad is how far, in CSS pixels, a finger may be from its target.
const broad = 10

// Pointer lets mouse, pen and finger select what lies under them, and opens its menu. It uses the browser's own events,
// because Ebiten keeps a finger from scrolling the page; none of them reach Ebiten.
func (b *Bridge) Pointer() {
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
			b.choose(x, y, e.Get("pointerType").String() != "mouse")
		}
		down = false
	})
	listen(window, "contextmenu", true, func(e js.Value) { // the other button, or a long press
		e.Call("preventDefault")
		down = false
		b.choose(e.Get("clientX").Float(), e.Get("clientY").Float(), true)
	})
	canvas := window.Get("document").Call("querySelector", "canvas")
	canvas.Set("tabIndex", -1) // it has no use by key
	was := ""
	listen(window, "pointermove", true, func(e js.Value) {
		hit, found := b.under(e.Get("clientX").Float(), e.Get("clientY").Float(), 0)
		cursor, title := "default", hit.ID
		if found {
			cursor = "pointer"
		}
		if hit.Part != display.Whole {
			title = ""
		}
		if cursor+title == was {
			return
		}
		was = cursor + title
		canvas.Get("style").Set("cursor", cursor)
		canvas.Set("title", title)
	})
}

// choose selects what is there, and opens its menu.
func (b *Bridge) choose(x, y float64, finger bool) {
	slack := 0.0
	if finger {
		slack = broad
	}
	hit, _ := b.under(x, y, slack)
	hit = b.Beside.here(hit)
	b.Command("select", hit.ID)
	b.openMenu(hit, false)
}

// under returns what is drawn at a place in the window, or as near to it as slack. All are in CSS pixels.
func (b *Bridge) under(x, y, slack float64) (display.Hit, bool) {
	lens := b.Lens()
	return b.frame.Under(x/lens, y/lens, slack/lens)
}
