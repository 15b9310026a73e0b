package panes_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/stage/panes"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// TestCaptions checks that two runs are named by their differences.
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
		{lock, with(func(h *event.Header) { h.Faults = []string{"power server-2 at 2s for 1s"} }),
			[2]string{"lock · undisturbed", "lock · S2 loses power"}},
		{with(func(h *event.Header) { h.Faults = []string{"cut client-1 from server-3 at 2s for 1s"} }),
			with(func(h *event.Header) { h.Faults = []string{"partition server-1 | server-2 server-3 at 2s for 1s"} }),
			[2]string{"lock · A is cut off from S3", "lock · cut: S1 | S2 S3"}},
		{with(func(h *event.Header) { h.Systems = []event.System{{Servers: 3}} }),
			with(func(h *event.Header) { h.Systems = []event.System{{Servers: 4}} }),
			[2]string{"lock · 3 servers", "lock · 4 servers"}},
		{with(func(h *event.Header) { h.Systems = []event.System{{Servers: 1}} }),
			with(func(h *event.Header) { h.Systems = []event.System{{Servers: 3}} }),
			[2]string{"lock · 1 server", "lock · 3 servers"}},
		{with(func(h *event.Header) { h.Systems = []event.System{{Kind: event.EtcdSystem, Servers: 1}} }),
			with(func(h *event.Header) { h.Systems = []event.System{{Kind: event.RedisSystem, Servers: 2}} }),
			[2]string{"lock", "lock"}},
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

// TestCaptionsOfEveryFault checks that captions have words for every fault.
func TestCaptionsOfEveryFault(t *testing.T) {
	for _, k := range slices.Concat(fault.Kinds(), fault.EnsembleKinds(), fault.SystemKinds()) {
		f := fault.Fault{Kind: k, At: time.Second, A: 1 << 1, B: 1<<2 | 1<<3}
		switch k.Target() {
		case fault.ToClient:
			f.Client = 1
		case fault.ToClientAt:
			f.Client, f.Server = 1, 1
		case fault.ToOneServer:
			f.Server = 1
		case fault.ToNode:
			f.Node = 1
		}
		if k.Lasts() {
			f.For = time.Second
		}
		h := event.Header{Recipe: "lock", Clients: 3, Faults: []string{f.String()}}
		two := [2]*player.Player{player.Of(&event.Log{Header: h}), player.Of(&event.Log{Header: event.Header{Recipe: "lock",
			Clients: 3}})}
		if got := panes.Captions(two, say(t))[0]; strings.Contains(got, "beside.did") {
			t.Errorf("%s is called %q", f, got)
		}
	}
}
