//go:build js && wasm

package panes

// describe puts the picture into words while it stands still: an entry for each thing that can be selected. Elements
// stay in place, so that a reader's focus does.
func (d *Document) describe(f Facts) {
	list := d.page.el("described")
	if list.IsNull() || f.Playing {
		return
	}
	all := f.Told()
	key := ""
	for _, e := range all {
		key += e.ID + "\x00" + e.Text + "\n"
	}
	if !d.page.fresh("described", key) {
		return
	}
	items := list.Get("children")
	for items.Length() > len(all) {
		list.Get("lastElementChild").Call("remove")
	}
	for i, e := range all {
		if i == items.Length() {
			item, button := d.page.make("li", "", ""), d.page.make("button", "", "")
			button.Set("type", "button")
			button.Get("dataset").Set("command", "select")
			item.Call("append", button, d.page.make("p", "small", ""))
			list.Call("append", item)
		}
		button := items.Index(i).Get("firstElementChild")
		text := items.Index(i).Get("lastElementChild") // for an entry that nothing selects
		button.Set("hidden", e.ID == "")
		text.Set("hidden", e.ID != "")
		button.Set("textContent", e.Text)
		text.Set("textContent", e.Text)
		button.Get("dataset").Set("arg", e.ID)
	}
}
