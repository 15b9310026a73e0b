//go:build js && wasm

package bridge

// Lens returns how many CSS pixels one of the picture's takes. For an audience that's two, so that no word is smaller
// than 20 pixels.
func (b *Bridge) Lens() float64 {
	if b.page.marks.Get("present").Truthy() {
		return 2
	}
	return 1
}
