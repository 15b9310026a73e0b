package holds_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/holds"
	"github.com/zkviz/zkviz/engine/event"
)

const (
	began  = 1_700_000_000_000
	minute = 60_000
)

// TestPast compares a Past that is short of room with an oracle that keeps everything: what a Past has are the latest
// of the oracle's, it never has more than its limit, and it counts all of them.
func TestPast(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 1))
		var p holds.Past
		var all []holds.Hold
		most, now := 4+r.IntN(60), int64(began)
		for i := range 2000 {
			now += int64(r.IntN(4 + int(seed)*2000))
			h := holds.Hold{Session: int64(r.IntN(9)), Znode: fmt.Sprintf("/l/lock-%010d", i), Data: fmt.Sprint("host-", i%7),
				MadeMS: now - 30, GotMS: now - 20, LostMS: now, Zxid: int64(i), Reason: event.ByOp, By: 3, Had: i%5 == 0,
				Unsure: i%11 == 0, AtOnce: i%13 == 0}
			all = append(all, h)
			if r.IntN(3) == 0 {
				p.Expire(now)
			}
			p.Add("/l", &h, most)
			if r.IntN(500) == 0 && most > 4 {
				most /= 2
				p.Limit(most)
			}
			if p.Len() > most {
				t.Fatalf("seed %d: it keeps %d, of %d at most", seed, p.Len(), most)
			}
			if i%37 == 0 {
				compare(t, p.History("/l", began, now), all, now)
			}
		}
	}
}

// compare compares a History with all holds that ended, oldest first.
func compare(t *testing.T, got holds.History, all []holds.Hold, nowMS int64) {
	t.Helper()
	since := max(nowMS/minute*minute-holds.Span.Milliseconds(), began)
	var want []holds.Hold
	for _, h := range slices.Backward(all) {
		if h.LostMS >= since {
			want = append(want, h)
		}
	}
	if got.Of != len(want) || got.SinceMS != since {
		t.Fatalf("it counts %d since %d, want %d since %d", got.Of, got.SinceMS-began, len(want), since-began)
	}
	if !slices.Equal(got.Ended, want[:len(got.Ended)]) {
		t.Fatalf("these aren't the latest: %v", got.Ended)
	}
	for _, h := range want[len(got.Ended):] {
		if h.LostMS > got.FromMS {
			t.Fatalf("one that ended at %d is left out, though all from %d on should be there", h.LostMS, got.FromMS)
		}
	}
	if len(got.Ended) == len(want) && got.FromMS != since {
		t.Fatalf("all are there, but it says from %d on", got.FromMS-since)
	}
	if got.Usual != holds.UsualOf(got.Ended) {
		t.Fatalf("it says %v are usual", got.Usual)
	}
}

// TestPastUsual checks that what is usual is the same whether a History is made for it or not.
func TestPastUsual(t *testing.T) {
	var p holds.Past
	for i := range int64(500) {
		h := holds.Hold{Znode: "/l/a", MadeMS: began + i*minute, GotMS: began + i*minute + i, LostMS: began + i*minute + 3*i}
		p.Add("/l", &h, 1000)
	}
	now := int64(began + 500*minute)
	h := p.History("/l", 0, now)
	if got := p.Usual(now); got != h.Usual || len(h.Ended) != 61 && len(h.Ended) != 60 {
		t.Errorf("%v are usual, but of the %d in the history %v", got, len(h.Ended), h.Usual)
	}
	if p.Expire(now); p.Len() != len(h.Ended) {
		t.Errorf("it keeps %d, and shows %d", p.Len(), len(h.Ended))
	}
	if p.Expire(now + 90*minute); p.Len() != 0 {
		t.Errorf("it keeps %d after everything is too old", p.Len())
	}
}

// BenchmarkPast adds holds, and says how much memory each needs.
func BenchmarkPast(b *testing.B) {
	var p holds.Past
	i := int64(0)
	for b.Loop() {
		h := holds.Hold{Session: i % 100, Znode: fmt.Sprintf("/l/lock-%010d", i), Data: "host-1", GotMS: began + i,
			LostMS: began + i}
		p.Add("/l", &h, 4096)
		i++
	}
}
