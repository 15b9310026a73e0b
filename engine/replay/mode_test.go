package replay_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/replay"
	"github.com/zkviz/zkviz/engine/zoo"
)

// TestGuessMode guesses from a name and from whether there is an owner.
func TestGuessMode(t *testing.T) {
	for path, sequential := range map[string]bool{
		"/a": false, "/lock-0000000001": true, "/lock-000000001": false, "/0000000001": true, "/lock-00000000x1": false,
		"/lock--000000001": false, "/lock-12345678901": true,
	} {
		for ephemeral, mode := range map[bool]zoo.CreateMode{false: zoo.Persistent, true: zoo.Ephemeral} {
			if sequential {
				mode |= zoo.PersistentSequential
			}
			if got := replay.GuessMode(path, ephemeral); got != mode {
				t.Errorf("%s, ephemeral %t, is taken for %v, not %v", path, ephemeral, got, mode)
			}
		}
	}
}
