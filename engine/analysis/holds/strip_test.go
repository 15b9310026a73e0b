package holds_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/holds"
	"github.com/zkviz/zkviz/engine/event"
)

// TestStrip checks where holds are drawn: x and width of each bar, its lane and its client, and how many it stands for.
func TestStrip(t *testing.T) {
	one := func(session, got, lost int64) holds.Hold {
		return holds.Hold{Session: session, GotMS: got, LostMS: lost, Reason: event.ByOp, By: session}
	}
	expired := one(3, 600, 700)
	expired.Reason = event.BySessionExpired
	for name, c := range map[string]struct {
		all  []holds.Hold
		from int64
		want string
	}{
		"one after the other":  {[]holds.Hold{one(2, 480, 960), one(1, 0, 240)}, 0, "0+240 c0 | 480+480 c1"},
		"in progress":          {[]holds.Hold{{Session: 1, GotMS: 900}}, 0, "900+60 c0"},
		"before the beginning": {[]holds.Hold{one(1, -500, 96)}, 0, "0+96 c0"},
		"at a time": {[]holds.Hold{one(1, 0, 500), one(2, 100, 200), one(2, 300, 400), one(3, 450, 600)}, 0,
			"0+500 c0 | 100+100 c1 lane 1 | 300+100 c1 lane 1 | 450+150 c2 lane 1"},
		"short ones":   {[]holds.Hold{one(1, 100, 100), one(2, 101, 101), one(3, 105, 106)}, 0, "100+2 c0 x2 | 105+2 c2"},
		"after a long": {[]holds.Hold{one(1, 0, 100), one(2, 100, 101)}, 0, "0+100 c0 | 100+2 c1"},
		"an expiry":    {[]holds.Hold{expired}, 0, "600+100 c0 | expired 700"},
		"thinned":      {[]holds.Hold{one(1, 500, 600)}, 480, "500+100 c0 | left out 480"},
		"too many at a time": {[]holds.Hold{one(1, 0, 9), one(2, 1, 9), one(3, 2, 9), one(4, 3, 9), one(5, 4, 9)}, 0,
			"0+9 c0 | 1+8 c1 lane 1 | 2+7 c2 lane 2 | 3+6 c3 lane 3 | 1 more"},
	} {
		h := holds.History{FromMS: c.from, UntilMS: holds.StripWidth}
		s := h.Strip(c.all)
		var all []string
		for _, b := range s.Bars {
			text := fmt.Sprintf("%.0f+%.0f c%d", b.X, b.Width, b.Client)
			if b.Lane > 0 {
				text += fmt.Sprint(" lane ", b.Lane)
			}
			if b.N > 1 {
				text += fmt.Sprint(" x", b.N)
			}
			all = append(all, text)
		}
		for _, x := range s.Expired {
			all = append(all, fmt.Sprint("expired ", x))
		}
		if s.LeftOut > 0 {
			all = append(all, fmt.Sprint("left out ", s.LeftOut))
		}
		if s.More > 0 {
			all = append(all, fmt.Sprint(s.More, " more"))
		}
		if got := strings.Join(all, " | "); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestStripBounds checks that a strip stands for each hold once, that bars of a lane don't overlap, and that there are
// not too many, whatever the holds.
func TestStripBounds(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 5))
		var all []holds.Hold
		const span = 3_600_000
		for range 2000 {
			got := r.Int64N(span)
			h := holds.Hold{Session: r.Int64N(20), GotMS: got, LostMS: got + r.Int64N(1+int64(seed)*2000),
				Reason: event.BySessionExpired}
			if r.IntN(500) == 0 {
				h.LostMS = 0
			}
			all = append(all, h)
		}
		h := holds.History{UntilMS: span}
		s := h.Strip(all)
		n, ends := s.More, map[int]float64{}
		for _, b := range s.Bars {
			if n += b.N; b.X < ends[b.Lane] {
				t.Fatalf("seed %d: a bar begins at %g, before %g", seed, b.X, ends[b.Lane])
			}
			ends[b.Lane] = b.X + b.Width
		}
		if n != len(all) || s.Lanes > holds.MostLanes || len(s.Bars) > s.Lanes*holds.StripWidth ||
			len(s.Expired) > holds.StripWidth {
			t.Fatalf("seed %d: %d bars in %d lanes stand for %d of %d, with %d marks", seed, len(s.Bars), s.Lanes, n, len(all),
				len(s.Expired))
		}
	}
}
