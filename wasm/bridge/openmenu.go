//go:build js && wasm

package bridge

import (
	"syscall/js"

	"github.com/zkviz/zkviz/wasm/scene"
)

// openMenu tells the page what can be done to what was hit, and where that is; without any it closes the menu.
func (b *Bridge) openMenu(hit scene.Hit, byKey bool) bool {
	m := Menu{}
	if b.player.History() != nil && !b.file {
		m = MenuOf(b.player.State(), b.player.At(), hit, b.page.panes.Say)
	}
	all := make([]any, len(m.Deeds))
	for i, d := range m.Deeds {
		all[i] = map[string]any{
			"kind": d.Kind.String(), "who": d.To(), "own": d.Target != "", "lasts": d.Kind.Lasts(), "span": d.Kind.Span(),
			"at": d.At, "label": d.Label,
		}
	}
	b.page.tell("zkviz-menu", map[string]any{
		"title": m.Title, "deeds": all, "byKey": byKey,
		"x": hit.X, "y": hit.Y, "width": hit.W, "height": hit.H,
	})
	return len(all) > 0
}

// openMenuOfSelected is openMenu for those who have no pointer. The first that can be is selected if nothing is.
func (b *Bridge) openMenuOfSelected() bool {
	if b.player.Selected() == "" {
		b.Command("select-next", "")
	}
	hit, ok := b.frame.Find(b.player.Selected())
	return ok && b.openMenu(hit, true)
}

// tell has the page's script hear of something.
func (p *page) tell(name string, detail map[string]any) {
	e := js.Global().Get("parent").Get("CustomEvent").New(name, map[string]any{"detail": detail})
	p.document.Call("dispatchEvent", e)
}
