package alarm

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/ensemble"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/run/cluster/follow"
)

// cluster answers each look with its report.
type cluster struct {
	mu     sync.Mutex
	report follow.Report
	err    error
	looks  int
	herds  bool

	servers ensemble.State // none has been told if its Number is 0
}

func (c *cluster) Ensemble(context.Context) (ensemble.State, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.servers, c.servers.Number > 0
}

func (c *cluster) Report(_ context.Context, path string, herds bool) (follow.Report, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.looks++
	c.herds = c.herds || herds || path != "/"
	return c.report, c.err
}

func (c *cluster) set(r follow.Report, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.report, c.err = r, err
}

func (c *cluster) looked() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.looks
}

// start runs a watch until stop is called.
func start(t *testing.T, cfg WatchConfig) (w *Watch, stop func()) {
	w = NewWatch(cfg)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { w.Run(ctx) })
	return w, func() { cancel(); running.Wait() }
}

// held is a report of a lock that is held for too long.
func held() follow.Report {
	return follow.Report{Summary: locks.Summary{FromMS: 1, Rows: []locks.Row{{Path: "/app/l", Use: "lock", Inside: 1,
		Alerts: []locks.Alert{{Sentence: sentence.Of("trouble.held")}}}}}}
}

// TestLooksWhileAsked checks that a watch looks only while somebody asks, and never asks for watches.
func TestLooksWhileAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cluster{report: held()}
		w, stop := start(t, WatchConfig{Locks: c, Paths: []string{"/app"}})
		time.Sleep(time.Hour)
		if c.looked() != 0 {
			t.Errorf("it looks %d times before anybody asks", c.looked())
		}
		if s, seen := w.State(); seen {
			t.Errorf("at first it says %+v", s)
		}
		synctest.Wait()
		s, seen := w.State()
		if !seen || len(s.Tallies) != 2 || s.Tallies[1].Path != "/app" || s.Tallies[1].Uses["lock"].Held != 1 ||
			s.Tallies[0].Troubles[locks.Held] != 1 {
			t.Errorf("then it says %v, %+v", seen, s)
		}
		time.Sleep(time.Hour)
		if most := int(askedFor/lookEvery) + 1; c.looked() < most-1 || c.looked() > most || c.herds {
			t.Errorf("it has looked %d times, and asked for watches: %v", c.looked(), c.herds)
		}
		if s, seen := w.State(); seen {
			t.Errorf("an hour later it says %+v", s)
		}
		stop()
	})
}

// TestUnseen checks that nothing is said of locks that can't be seen, and that stale figures go.
func TestUnseen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cluster{report: held()}
		w, stop := start(t, WatchConfig{Locks: c, Asks: true})
		seen := func() bool {
			w.State()
			time.Sleep(2 * lookEvery)
			_, seen := w.State()
			return seen
		}
		away, reading, noQuorum, partial, untold := held(), held(), held(), held(), held()
		away.Away, reading.Reading, noQuorum.ReadOnly, partial.Partial = "out of reach", true, true, true
		untold.Untold = []sentence.Sentence{sentence.Of("sessions.refused")}
		for name, r := range map[string]follow.Report{"away": away, "reading": reading, "without a quorum": noQuorum} {
			if c.set(held(), nil); !seen() {
				t.Error("it sees nothing")
			}
			if c.set(r, nil); seen() {
				t.Errorf("%s, it sees something", name)
			}
		}
		if c.set(held(), errors.New("no")); seen() {
			t.Error("after an error it sees something")
		}
		joined := held()
		joined.Joined = true
		for _, k := range []struct {
			r     follow.Report
			knows string
			left  bool
		}{{held(), "blocked deadlock flaps grows held quiet stuck vacant waits", false},
			{partial, "blocked deadlock flaps grows held quiet stuck vacant waits", true},
			{untold, "blocked deadlock flaps grows held stuck vacant waits", false},
			{joined, "blocked deadlock expired flaps grows held members quiet stuck vacant waits", false}} {
			c.set(k.r, nil)
			seen()
			s, _ := w.State()
			var knows []string
			for _, kind := range locks.Kinds() {
				if s.Knows(kind) {
					knows = append(knows, string(kind))
				}
			}
			if got := strings.Join(knows, " "); got != k.knows || s.LeftOut != k.left {
				t.Errorf("it knows %s, not %s; something is left out: %v", got, k.knows, s.LeftOut)
			}
		}
		stop()
	})
}

// TestTellsTheWebhook checks that a watch with a webhook looks although nobody asks, and sends each trouble and its end
// once, however often it comes and goes meanwhile, and whether or not it can be seen.
func TestTellsTheWebhook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hook(t)
		c := &cluster{report: held()}
		_, stop := start(t, WatchConfig{Cluster: "", Place: "zk:2181", Locks: c, Webhook: h.Webhook})
		time.Sleep(time.Second) // so that no report changes at the moment of a look
		fine := follow.Report{Summary: locks.Summary{FromMS: 1}}
		away := follow.Report{Away: "out of reach"}
		for _, r := range []follow.Report{held(), fine, held(), away, held(), fine, held(), away, fine} {
			c.set(r, nil)
			time.Sleep(lookEvery)
		}
		time.Sleep(time.Minute)
		stop()
		h.stop()
		if len(h.got) != 2 || !strings.Contains(h.got[0], `"state":"new","cluster":"zk:2181","path":"/app/l","kind":"held"`) ||
			!strings.Contains(h.got[1], `"state":"ended","cluster":"zk:2181","path":"/app/l","kind":"held"`) {
			t.Errorf("the webhook gets %q", h.got)
		}
	})
}

// TestTellsTheWebhookOfServers checks that a webhook learns once of a lost quorum and its end, of servers that are out
// of reach, and of a new leader, though not of what was before.
func TestTellsTheWebhookOfServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hook(t)
		c := &cluster{report: held()}
		was := ensemble.Change{Number: 1, Kind: ensemble.NewLeader, Leader: "zk1:1", Epoch: 4}
		is := ensemble.Change{Number: 2, Kind: ensemble.NewLeader, MS: 7, Leader: "zk2:1", Was: "zk1:1", Epoch: 5,
			WasEpoch: 4}
		fine := ensemble.State{Quorum: ensemble.Serves, Changes: []ensemble.Change{was}}
		other := ensemble.State{Quorum: ensemble.Serves, Changes: []ensemble.Change{was, is}}
		lost, away, untold := fine, fine, fine
		lost.Quorum, away.Quorum, untold.Quorum = ensemble.Lost, ensemble.Unreached, ensemble.Unknown
		for i, s := range []ensemble.State{fine, lost, fine, lost, lost, away, away, away, untold, untold, untold, lost,
			other, other, other, other} {
			s.Number, s.AtMS = i+1, int64(i)*5000
			s.Since = ensemble.Since{MS: s.AtMS}
			c.mu.Lock()
			c.servers = s
			c.mu.Unlock()
			if i == 0 {
				_, stop := start(t, WatchConfig{Place: "zk:2181", Locks: c, Webhook: h.Webhook})
				defer stop()
				time.Sleep(time.Second)
			}
			time.Sleep(lookEvery)
		}
		h.stop()
		const quorum, reach = `"cluster":"zk:2181","kind":"quorum"`, `"cluster":"zk:2181","kind":"unreached"`
		var got []string
		for _, line := range h.got {
			if !strings.Contains(line, `"path"`) {
				got = append(got, line)
			}
		}
		for i, want := range []string{`05.000Z","state":"new",` + quorum, `25.000Z","state":"new",` + reach,
			`40.000Z","state":"ended",` + reach,
			`00.007Z","state":"happened","cluster":"zk:2181","kind":"leader","text":"ensemble.change.leader(`,
			`01:00.000Z","state":"ended",` + quorum} {
			if i >= len(got) || !strings.Contains(got[i], want) {
				t.Errorf("%d: there is no %s in %q", i, want, got)
			}
		}
		if len(got) != 5 {
			t.Errorf("the webhook gets %q", got)
		}
	})
}

// TestCountsLeaders checks that each change of leader counts once, however often it is told, and that what nobody
// tells any more isn't known.
func TestCountsLeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cluster{report: held()}
		w, stop := start(t, WatchConfig{Locks: c})
		defer stop()
		change := func(n int, k ensemble.Kind) ensemble.Change { return ensemble.Change{Number: n, Kind: k} }
		for i, told := range []struct {
			changes []ensemble.Change
			leaders int64
		}{
			{nil, 0},
			{[]ensemble.Change{change(1, ensemble.NewLeader)}, 1},
			{[]ensemble.Change{change(1, ensemble.NewLeader), change(2, ensemble.QuorumLost)}, 1},
			{[]ensemble.Change{change(2, ensemble.QuorumLost), change(3, ensemble.QuorumBack),
				change(4, ensemble.NewLeader)}, 2},
		} {
			c.mu.Lock()
			c.servers = ensemble.State{Number: i + 1, Quorum: ensemble.Serves, Changes: told.changes}
			c.mu.Unlock()
			w.State()
			time.Sleep(2 * lookEvery)
			if s, n, known := w.Ensemble(); n != told.leaders || !known || s.Number != i+1 {
				t.Errorf("%d: %d leaders, %v, %+v", i, n, known, s)
			}
		}
		c.mu.Lock()
		c.servers = ensemble.State{}
		c.mu.Unlock()
		w.State()
		time.Sleep(2 * lookEvery)
		if _, _, known := w.Ensemble(); known {
			t.Error("it knows what nobody tells")
		}
	})
}
