package panes_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/wasm/panes"
	"github.com/zkviz/zkviz/wasm/player"
)

// Two runs are called by what sets them apart.
func TestCaptions(t *testing.T) {
	of := func(h event.Header) *player.Player { return player.Of(&event.Log{Header: h}) }
	lock := event.Header{Recipe: "lock", Clients: 3, Seed: 1}
	with := func(change func(*event.Header)) event.Header {
		h := lock
		change(&h)
		return h
	}
	for _, c := range []struct {
		one, two event.Header
		want     [2]string
	}{
		{lock, lock, [2]string{"lock", "lock"}},
		{lock, with(func(h *event.Header) { h.Recipe = "other" }), [2]string{"lock", "other"}},
		{lock, with(func(h *event.Header) { h.Seed = 7 }), [2]string{"lock · seed 1", "lock · seed 7"}},
		{lock, with(func(h *event.Header) { h.Clients = 9 }), [2]string{"lock · 3 clients", "lock · 9 clients"}},
		{lock, with(func(h *event.Header) { h.Faults = []string{"crash client-2 at 2s"} }),
			[2]string{"lock · undisturbed", "lock · B crashes"}},
		{with(func(h *event.Header) { h.Faults = []string{"expire client-1 at 1s"} }),
			with(func(h *event.Header) { h.Faults = []string{"expire client-1 at 3s"} }), [2]string{"lock", "lock"}},
		{lock, with(func(h *event.Header) { h.Faults = []string{"vanish client-1"} }),
			[2]string{"lock · undisturbed", "lock · vanish A"}},
	} {
		if got := panes.Captions([2]*player.Player{of(c.one), of(c.two)}, say(t)); got != c.want {
			t.Errorf("%+v beside %+v: %q", c.two, c.one, got)
		}
	}
}
