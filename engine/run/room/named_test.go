package room

import (
	"errors"
	"testing"
	"testing/synctest"
)

// TestNamedClusters adds a cluster while others run, observes it, and removes it: a room that observes it stays.
func TestNamedClusters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := observable{try: func() error { return errors.New("nobody answers") }}
		s := New(Config{Named: map[string]ZooKeeper{"a": &gone}})
		defer s.Close()
		sees := func(name string, want bool) *room {
			t.Helper()
			r, err := s.observe("me", name, "/")
			if (err == nil) != want {
				t.Errorf("%s: %v", name, err)
			}
			return r
		}
		sees("a", true)
		sees("b", false)
		s.Named().Add("b", &gone)
		before := sees("b", true)
		if again := sees("b", true); again != before {
			t.Error("one who comes later observes it anew")
		}
		s.Named().Remove("b")
		sees("b", false)
		sees("a", true)
		if before.over() {
			t.Error("who observed it can't any more")
		}
	})
}
