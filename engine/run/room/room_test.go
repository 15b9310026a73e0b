package room

import (
	"sync"
	"testing"

	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// TestConnection lets many goroutines set at once whether a cluster is in reach. Each change happens once, by the
// first.
func TestConnection(t *testing.T) {
	r := &room{bell: new(hub.Bell)}
	for i, ok := range []bool{true, false, false, true} {
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() { r.setConnection(ok, sentence.Sentence{}) })
		}
		all.Wait()
		if want := []int{0, 1, 1, 2}[i]; r.version != want || want > 0 && r.connection.OK != ok {
			t.Errorf("said %v, it has changed %d times, want %d", ok, r.version, want)
		}
	}
}
