package bridge

import (
	"testing"
	"time"
)

// TestSilence checks what counts as silence: beats in which the machine was awake, since something was last said.
func TestSilence(t *testing.T) {
	s := silence{every: second}
	for i, beat := range []struct {
		at   int // in seconds
		said bool
		want int
	}{
		{at: 1, want: 1}, {at: 2, want: 2}, {at: 3, said: true, want: 0}, {at: 4, want: 1},
		{at: 3600, want: 1}, // it has slept
		{at: 3601, want: 2}, {at: 3661, want: 2}, {at: 3721, want: 2}, {at: 3722, want: 3},
	} {
		if beat.said {
			s.end()
		}
		if got := s.beat(second * time.Duration(beat.at)); got != second*time.Duration(beat.want) {
			t.Errorf("beat %d: %s, want %d s", i, got, beat.want)
		}
	}
}
