package observe_test

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

// gone is why observations of these tests end.
const gone = "the server that observed is gone"

// resume goes on with a log, until everything that exists is in it, and returns it without its end.
func resume(t *testing.T, servers []string, root string, log []event.Event) []event.Event {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	o := &observing{recorder: recorder{events: slices.Clone(log)}}
	whole := sync.OnceFunc(stop)
	err := observe.Observation{Servers: servers, Path: root, After: slices.Values(log), Why: gone,
		Whole: whole}.Run(ctx, o)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("after %d events: %v", len(log), err)
	}
	all := o.log()
	return all[:len(all)-1]
}

// checkLog checks that events are a log that each reader accepts, and that it goes on properly after the first cut of
// them.
func checkLog(t *testing.T, log []event.Event, cut int) {
	t.Helper()
	says := func(e event.Event, what string) {
		(&recorder{events: log}).dump(t)
		t.Fatalf("cut after %d: event %d %s", cut, e.Seq, what)
	}
	away := false
	clients := map[event.Actor]bool{}
	for i, e := range log {
		switch {
		case e.Seq != event.Seq(i+1):
			says(e, fmt.Sprintf("is at %d", i+1))
		case e.Valid() != nil:
			says(e, e.Valid().Error())
		case i > 0 && e.At < log[i-1].At:
			says(e, "is too early")
		case (e.Kind == event.RunStarted) != (i == 0), e.Kind == event.RunEnded:
			says(e, "begins or ends the log")
		case e.Kind == event.ClientStarted && clients[e.Actor]:
			says(e, "introduces a client again")
		case e.Kind == event.SessionSeen && !clients[e.Peer]:
			says(e, "is about an unknown client")
		case e.Kind == event.Reconnected && !away:
			says(e, "reconnects what is connected")
		case away && e.Kind != event.Disconnected && e.Kind != event.Reconnected:
			says(e, "comes during an outage")
		}
		clients[e.Actor] = clients[e.Actor] || e.Kind == event.ClientStarted
		switch e.Kind {
		case event.Disconnected:
			away = true
		case event.Reconnected:
			away = false
		}
	}
	if cut > 0 && cut < len(log) && !slices.ContainsFunc(log[:cut+1], func(e event.Event) bool {
		return e.Kind == event.Disconnected && e.Text == gone
	}) {
		says(log[cut], "doesn't say why")
	}
}

// TestResume plays random histories on an embedded server, and cuts an observation's log off after each of its
// events. Another observer goes on with it, when all the rest has already happened, and one more after that. Their
// logs must fold to what a walk through the tree finds, and have or miss no more changes than there were.
func TestResume(t *testing.T) {
	const seeds, steps = 16, 120
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			h := newHistory(t, seed)
			counter := h.counter(t)
			o := watch(t, h.relay.addr(), top)
			for i := range steps {
				switch i {
				case steps / 3:
					h.relay.cut()
					o.awaitMore(t, event.Disconnected)
				case steps / 2:
					h.relay.heal()
					o.awaitMore(t, event.Reconnected)
				}
				h.step(t)
				if h.rand.IntN(4) == 0 && !h.secrets && (i < steps/3 || i > steps/2) {
					h.agrees(t, o)
				}
			}
			o.stop(t)
			o.done <- nil
			log := o.log()
			log = log[:len(log)-1]
			fresh := resume(t, []string{h.relay.addr()}, top, nil)
			want, most := lacking(fresh), counter()
			there := map[string]found{}
			h.walk(t, top, there)
			comparable(there, there)
			for cut := range len(log) + 1 {
				once := resume(t, []string{h.relay.addr()}, top, log[:cut])
				again := cut
				if len(once) > cut {
					again += h.rand.IntN(len(once) - cut)
				}
				for _, got := range [][]event.Event{once, resume(t, []string{h.relay.addr()}, top, once[:again])} {
					checkLog(t, got, cut)
					r := &observing{recorder: recorder{events: got}}
					sum := r.folds(t, h.secrets)
					comparable(sum.nodes, there)
					if why := sum.differs(there); why != "" {
						r.dump(t)
						t.Fatalf("cut after %d, the log does not come to what is there: %s", cut, why)
					}
					if n := r.changes(); n > most && !h.secrets {
						r.dump(t)
						t.Fatalf("cut after %d, the log has or misses %d changes, and there were %d", cut, n, most)
					}
					if left := lacking(got); !slices.Equal(left, want) {
						r.dump(t)
						t.Fatalf("cut after %d, the log lacks\n%v\nnot\n%v", cut, left, want)
					}
				}
			}
		})
	}
}

// comparable leaves out what walk doesn't find, below znodes that may not be read, and which znodes are sequential: an
// observer guesses that.
func comparable(nodes, there map[string]found) {
	for at, n := range nodes {
		n.mode &^= zoo.PersistentSequential
		nodes[at] = n
		for up := at; up != top; {
			if up = path.Dir(up); there[up].secret {
				delete(nodes, at)
			}
		}
	}
}

// lacking returns what a log leaves out in the end, as texts.
func lacking(log []event.Event) (all []string) {
	last := event.NoReason
	for _, e := range log {
		switch {
		case e.Kind != event.RecipeNote:
			last = event.NoReason
			continue
		case e.Reason == event.LeftMissed, e.Reason == event.LeftHidden: // how far the search is varies
			continue
		case e.Reason <= last || last == event.NoReason:
			all = nil
		}
		if last = e.Reason; e.Reason != event.LeftNothing {
			all = append(all, fmt.Sprintf("%s %s %d %d", e.Reason, e.Path, e.N, e.Code))
		}
	}
	return all
}

// TestResumeLikeOutage checks that an observer that goes on with a log says what the observer of that log says after
// an outage. It may count fewer changes as missed.
func TestResumeLikeOutage(t *testing.T) {
	const seeds, rounds = 8, 3
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			h := newHistory(t, seed)
			o := watch(t, h.relay.addr(), top)
			o.await(t, "a first look", func(e event.Event) bool { return e.Kind != event.RunStarted })
			for range rounds {
				h.agrees(t, o)
				h.relay.cut()
				o.awaitMore(t, event.Disconnected)
				log := o.log()
				for range 1 + h.rand.IntN(12) {
					h.step(t)
				}
				h.relay.heal()
				o.awaitMore(t, event.Reconnected)
				last := slices.IndexFunc(log, func(e event.Event) bool { return e.Seq == log[len(log)-1].Seq })
				for log[last].Kind == event.Disconnected {
					last--
				}
				got := resume(t, []string{h.relay.addr()}, top, log[:last+1])
				said, missed := told(got[last+1:])
				var want []string
				wantMissed := 0
				for end := time.Now().Add(longest); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
					if want, wantMissed = told(o.log()[last+1:]); slices.Equal(said, want) && missed <= wantMissed {
						break
					}
				}
				if !slices.Equal(said, want) || missed > wantMissed {
					o.dump(t)
					t.Fatalf("it misses %d changes, not %d, and says\n%q\nnot\n%q", missed, wantMissed, said, want)
				}
			}
		})
	}
}

// told returns events about the tree as texts, and how many changes they count as missed.
func told(log []event.Event) (all []string, missed int) {
	for _, e := range log {
		switch e.Kind {
		case event.RecipeNote:
			if e.Reason == event.LeftMissed {
				missed += int(e.N)
			}
		case event.Disconnected, event.Reconnected:
		default:
			e.Seq, e.At = 0, 0
			all = append(all, eventtext.Of(e))
		}
	}
	return all, missed
}

// TestResumeApache cuts the log of an observation of a real ZooKeeper off after each of its events.
func TestResumeApache(t *testing.T) {
	t.Parallel()
	srv := zktest.Start(t)
	c := direct(t, srv)
	for _, root := range []string{"/r", "/"} {
		must(c.Create("/r", []byte("one"), 0, anyone))
		must(c.Create("/r/stays", nil, 0, anyone))
		o := watch(t, srv.Addr, root)
		o.await(t, "all", at(event.ZnodeFound, "/r/stays"))
		own := must(c.Create("/r/own-", []byte("x"), 3, anyone)) // ephemeral and sequential
		o.await(t, "a new one", at(event.ZnodeCreated, own))
		must(c.Set("/r", []byte("two"), -1))
		o.await(t, "a change", at(event.ZnodeChanged, "/r"))
		if err := c.Delete("/r/stays", -1); err != nil {
			t.Fatal(err)
		}
		o.await(t, "an end", at(event.ZnodeDeleted, "/r/stays"))
		o.stop(t)
		o.done <- nil
		must(c.Set("/r", []byte("three"), -1))
		must(c.Create("/r/late", nil, 0, anyone))
		log := o.log()
		log = log[:len(log)-1]
		_, stat, err := c.Get("/r")
		must(0, err)
		for cut := range len(log) + 1 {
			got := resume(t, []string{srv.Addr}, root, log[:cut])
			checkLog(t, got, cut)
			text, zxid, there := "", int64(0), map[string]int{}
			for _, e := range got {
				switch e.Kind {
				case event.ZnodeFound, event.ZnodeCreated, event.ZnodeChanged:
					if e.Path == "/r" && (e.Kind != event.ZnodeFound || e.Introduces()) {
						text, zxid = e.Text, e.Zxid
					}
					if e.Kind == event.ZnodeCreated || e.Introduces() {
						there[e.Path]++
					}
				case event.ZnodeDeleted:
					there[e.Path]--
				}
			}
			knows := slices.ContainsFunc(log[:cut], at(event.ZnodeFound, "/r"))
			if text != "three" || knows && zxid != stat.Mzxid || there[own] != 1 || there["/r/late"] != 1 ||
				there["/r/stays"] != 0 {
				(&recorder{events: got}).dump(t)
				t.Fatalf("cut after %d, /r is %q at %d, and there are %v", cut, text, zxid, there)
			}
		}
		for _, p := range []string{"/r/late", own, "/r"} {
			if err := c.Delete(p, -1); err != nil {
				t.Fatal(err)
			}
		}
	}
}
