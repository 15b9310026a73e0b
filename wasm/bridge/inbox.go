package bridge

// inbox is what the browser's callbacks leave for the game's next Update. Nothing here runs at the same time
// as anything else: the browser has one thread.
type inbox struct{ waiting []func() }

// put leaves something to do.
func (b *inbox) put(f func()) { b.waiting = append(b.waiting, f) }

// empty does all of it, in order, and what is put there meanwhile as well.
func (b *inbox) empty() {
	for i := 0; i < len(b.waiting); i++ {
		b.waiting[i]()
	}
	clear(b.waiting)
	b.waiting = b.waiting[:0]
}
