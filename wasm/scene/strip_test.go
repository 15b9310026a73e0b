package scene_test

import (
	"testing"
	"time"
)

// Those who are told are counted for as long as the event is seen on its way, also where nothing says how long that is.
func TestToldWhileTheEventFlies(t *testing.T) {
	for ago, want := range map[time.Duration]string{
		200 * time.Millisecond: "3 told", 390 * time.Millisecond: "3 told", 410 * time.Millisecond: "3 waiting",
	} {
		s := queued("children-lock", 4)
		for i := range s.Watches {
			w := &s.Watches[i]
			w.Over, w.Fired, w.OverAt, w.Flight = true, true, now-ago, 0
		}
		says(t, s, want)
	}
}
