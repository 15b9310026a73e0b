//go:build js && wasm

package bridge

import (
	"strconv"
	"syscall/js"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
)

// openMenu tells the page what can be done to a hit, and where it is; an empty menu closes it.
func (b *Bridge) openMenu(hit display.Hit, byKey bool) bool {
	m := Menu{}
	if b.player.Log.Shown().History() != nil && !b.source.file {
		m = MenuOf(b.player.State(), b.player.Log.Shown().History(), b.player.Head.At(), hit, b.page.panes.Say)
	}
	all := make([]any, len(m.Actions))
	for i, d := range m.Actions {
		all[i] = map[string]any{
			"kind": d.Kind.String(), "who": d.To(), "own": d.Own(), "lasts": d.Kind.Lasts(), "span": d.Span(),
			"at": d.At, "label": d.Label, "opens": float64(d.Opens),
		}
	}
	lens := float32(b.Lens())
	b.page.tell("zkviz-menu", map[string]any{
		"title": m.Title, "deeds": all, "byKey": byKey,
		"x": hit.X * lens, "y": hit.Y * lens, "width": hit.W * lens, "height": hit.H * lens,
	})
	return len(all) > 0
}

// openMenuOfSelected opens the menu for a reader without a pointer. If nothing is selected, it selects the first. If
// that is a server, message may be the event that sent a message of its own: then it opens that one's menu.
func (b *Bridge) openMenuOfSelected(message string) bool {
	if b.player.Selected() == "" {
		b.Command("select-next", "")
	}
	hit, ok := b.frame.Find(b.player.Selected())
	if seq, err := strconv.Atoi(message); err == nil {
		hit.Part, hit.Message = display.MessagePart, event.Seq(seq)
	}
	return ok && b.openMenu(hit, true)
}

// tell sends an event to the page's script.
func (p *page) tell(name string, detail map[string]any) {
	e := js.Global().Get("parent").Get("CustomEvent").New(name, map[string]any{"detail": detail})
	p.document.Call("dispatchEvent", e)
}
