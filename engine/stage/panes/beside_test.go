package panes_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
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
		case fault.ToMessage:
			f.Message = fault.Message{Op: event.Ack, Nth: 1, From: event.Server(1), To: event.Server(2)}
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

// TestCaptionsJudge checks what a caption says of a run: a broken promise, what isn't promised, clients that wait for
// each other, that it has kept what the other has broken, and nothing where neither has broken anything, or both the
// same. If a step names a rule, the caption is about that.
func TestCaptionsJudge(t *testing.T) {
	const path = "/l/lock-0000000001"
	log := func(h event.Header, blocked bool) *player.Player {
		events := []event.Event{
			{Kind: event.ClientStarted, Actor: 1},
			{Kind: event.SessionCreated, Peer: 1, Session: 1, N: int64(10 * time.Second)},
			{Kind: event.ConnOpened, Actor: 1, Session: 1},
			{Kind: event.ZnodeCreated, Peer: 1, Session: 1, Path: path, Mode: uint8(zoo.EphemeralSequential)},
			{Kind: event.WatchSet, Peer: 1, Path: path, Watch: event.DataWatch},
		}
		if blocked {
			events = append(events, event.Event{Kind: event.ClientBlocked, Actor: 1, Path: path})
		}
		for i := range events {
			events[i].Seq, events[i].At = event.Seq(i+1), time.Duration(i+1)*time.Millisecond
		}
		h.Recipe, h.Clients = "lock", 1
		return player.Of(&event.Log{Header: h, Events: events})
	}
	broke := func(rules ...string) (all []promise.Violation) {
		for _, rule := range rules {
			all = append(all, promise.Violation{Rule: rule, Seq: 2, Clients: []event.Actor{2, 1},
				Sentence: sentence.Of("broken.progress.stuck.one", sentence.Client(1), sentence.Time(0))})
		}
		return all
	}
	const inside, wakeups = promise.TruthExclusion, promise.OneWakeup
	const noTwo, manyWoken = "✗ A and B inside at once", "✗ A and B woken by one release"
	const oneWoken, oneInside = "✓ so far: A release wakes at most one", "✓ so far: At most one client is inside"
	truth, progress, both := []string{inside}, []string{promise.Progress}, []string{inside, wakeups}
	for _, c := range []struct {
		h       event.Header
		blocked bool
		broken  []promise.Violation
		other   []promise.Violation
		rule    string
		want    string
		bad     bool
	}{
		{event.Header{Promises: truth}, false, nil, nil, "", "", false},
		{event.Header{Promises: truth}, true, nil, nil, "", "✗ stuck: A", true},
		{event.Header{Promises: progress}, false, nil, broke(promise.Progress), "", "", false},
		{event.Header{Promises: progress}, true, nil, nil, "", "✗ stuck: A", true},
		{event.Header{Promises: truth}, true, broke(inside), nil, "", noTwo, true},
		{event.Header{Promises: progress, Limits: truth}, false, broke(inside), nil, "",
			"A and B inside at once (not promised)", false},
		{event.Header{Promises: truth}, false, nil, broke(inside), "", oneInside, false},
		{event.Header{Promises: progress}, false, nil, broke(inside), "", "", false},
		{event.Header{Promises: both}, false, broke(inside), broke(inside), "", "", false},
		{event.Header{Limits: truth}, false, broke(inside), broke(inside), "", "", false},
		{event.Header{Promises: both}, false, broke(inside, wakeups), broke(inside), "", manyWoken, true},
		{event.Header{Promises: both}, false, broke(inside), broke(inside, wakeups), "", oneWoken, false},
		{event.Header{Promises: both}, false, broke(wakeups), broke(inside), "", oneInside, false},
		{event.Header{Promises: both}, false, broke(inside), broke(wakeups), "", noTwo, true},
		{event.Header{Promises: []string{wakeups}, Limits: truth}, false, broke(inside), broke(wakeups), "", oneWoken, false},
		{event.Header{Promises: both}, false, broke(inside, wakeups), nil, wakeups, manyWoken, true},
		{event.Header{Promises: both}, false, broke(inside), broke(wakeups), wakeups, oneWoken, false},
		{event.Header{Promises: both}, false, broke(inside), nil, wakeups, "", false},
		{event.Header{Promises: truth}, false, broke(inside), broke(wakeups), wakeups, "", false},
		{event.Header{Promises: truth}, false, nil, broke(inside), "none", "", false},
	} {
		p, other := log(c.h, c.blocked), log(event.Header{Promises: both}, false)
		for of, broken := range map[*player.Player][]promise.Violation{p: c.broken, other: c.other} {
			if err := of.PutVerdict(player.Verdict{Events: 6, Deeds: broken}); err != nil {
				t.Fatal(err)
			}
			of.Show(time.Second, event.Seq(of.Log.Shown().All()))
		}
		pair := player.NewPair(p, other, player.ByTime)
		got := panes.Pictures(p, pair, [2]string{"one", "two"}, c.rule, say(t))[0]
		if got.Verdict != c.want || got.Broken != c.bad || got.Title != "one" {
			t.Errorf("%+v, blocked: %v, beside one that broke %v: %q, bad: %v", c.h, c.blocked, c.other, got.Verdict,
				got.Broken)
		}
		brief, _, _ := strings.Cut(c.want, ": ")
		switch {
		case strings.HasSuffix(c.want, "(not promised)"):
			brief = "not kept"
		case c.bad && brief == c.want:
			brief = "✗ broken"
		}
		if got.Brief != brief {
			t.Errorf("%q has the short form %q", c.want, got.Brief)
		}
	}
}
