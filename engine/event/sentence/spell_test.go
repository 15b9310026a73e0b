package sentence_test

import (
	"math"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

func TestSpell(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 s", 1500: "1.5 µs", 50 * time.Microsecond: "50 µs", 3960 * time.Microsecond: "3.96 ms",
		40 * time.Millisecond: "40 ms", 2500 * time.Millisecond: "2.5 s", 10 * time.Second: "10 s",
		time.Minute: "1 min", 90 * time.Second: "1 min 30 s", 2 * time.Hour: "2 h",
		3661500 * time.Millisecond: "1 h 1 min 1.5 s",
		-time.Second:               "-1 s", math.MinInt64: "0 s", math.MaxInt64: "2562047 h 47 min 16.854775807 s",
	} {
		if got := sentence.Spell(d); got != want {
			t.Errorf("%v is spelled %q, not %q", d, got, want)
		}
	}
}
