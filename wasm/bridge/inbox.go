package bridge

// inbox is what the browser's callbacks leave for the game's next Update. Nothing here runs at the same time
// as anything else: the browser has one thread.
type inbox struct{ waiting []func() }

// put leaves something to do.
func (b *inbox) put(f func()) { b.waiting = append(b.waiting, f) }

// empty does what is there, in order, while there is time for it. It reports false if something is left.
func (b *inbox) empty(more func() bool) bool {
	done := 0
	for done < len(b.waiting) && (done == 0 || more()) {
		b.waiting[done]()
		done++
	}
	left := copy(b.waiting, b.waiting[done:])
	clear(b.waiting[left:])
	b.waiting = b.waiting[:left]
	return left == 0
}
