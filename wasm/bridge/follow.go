//go:build js && wasm

package bridge

// follow goes to the position that somebody else's page says: see Led. It makes no remarks, and leaves a real cluster
// alone. It reports whether the page is there, or on its way.
func (b *Bridge) follow(query string) bool {
	s := &b.source
	if s.file || s.unanswered() || s.player.Log.Run().Live() {
		return false
	}
	b.task.restart()
	s.unchecked, s.back = false, Led(query)
	return s.makeBranch()
}
