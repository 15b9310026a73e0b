package cluster_test

import "testing"

// TestLeaderKilled holds up all recipes in the middle on three servers, and kills the leader under them: they still
// keep their promises.
func TestLeaderKilled(t *testing.T) {
	t.Parallel()
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		s, _ := embedded(t)
		heldUp(t, s.addrs, func() { s.kill(s.leader()) }, func() {})
	})
	t.Run("Apache", func(t *testing.T) {
		t.Parallel()
		s := ofApache(t)
		heldUp(t, s.addrs, func() { s.kill(s.leader()) }, func() {})
	})
}
