package bridge

// inbox holds what the browser's callbacks leave for the game's next Update. Nothing here runs concurrently: the
// browser has one thread.
type inbox struct{ waiting []func() }

// put adds work.
func (b *inbox) put(f func()) { b.waiting = append(b.waiting, f) }

// empty does the work, in order, while more returns true. It reports false if some is left.
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
