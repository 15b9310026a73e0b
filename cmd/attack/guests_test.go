package attack

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// How often guests ask, and how long each one waits.
const (
	visitorPause  = 250 * time.Millisecond
	clientPause   = 20 * time.Millisecond
	learnerPause  = 8 * time.Second
	newcomerPause = 1500 * time.Millisecond

	visitorWaits  = 10 * time.Second
	learnerWaits  = 15 * time.Second
	newcomerWaits = 5 * time.Second
)

// guests are polite users of a server: a visitor who loads pages, a ZooKeeper client, learners behind one address, a
// class with its teacher, and newcomers, each with a separate address.
type guests struct {
	server *server
	o      options
	secret string // of the class
	ours   []int  // permanent processes of the test
	all    sync.WaitGroup
	leave  context.CancelFunc
	served sync.Map // the kinds of requests answered at least once

	mu  sync.Mutex
	now result // since the last take
}

// answers records one kind of guest: how long each answer took, and why some failed.
type answers struct {
	took   []time.Duration
	failed []string
}

// quantile returns the duration at the share q of the sorted answers. It rounds the index down, so that one slow
// answer among few doesn't decide.
func (a answers) quantile(q float64) time.Duration {
	if len(a.took) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(a.took))[int(q*float64(len(a.took)-1))]
}

// String returns the median, the 99th percentile, the maximum, and the number of answers.
func (a answers) String() string {
	ms := func(q float64) float64 { return a.quantile(q).Seconds() * 1000 }
	return fmt.Sprintf("%.1f/%.0f/%.0f ms of %d", ms(0.5), ms(0.99), ms(1), len(a.took))
}

// invite starts the guests. They stay until leave is called or the test ends.
func invite(t *testing.T, s *server, o options) *guests {
	g := &guests{server: s, o: o, ours: []int{os.Getpid(), s.pid()}}
	var ctx context.Context
	ctx, g.leave = context.WithCancel(t.Context())
	g.all.Go(func() { g.visit(ctx) })
	g.all.Go(func() { g.work(ctx) })
	for i := range o.learners {
		g.all.Go(func() {
			sleep(ctx, learnerPause*time.Duration(i)/time.Duration(o.learners)) // not all at once
			g.learn(ctx)
		})
	}
	g.all.Go(func() { g.arrive(ctx) })
	var err error
	if s.class, g.secret, err = beginClass(ctx, s.pages, from{0, 5}); err != nil {
		t.Fatal(err)
	}
	g.all.Go(func() { g.teach(ctx) })
	t.Cleanup(func() { g.leave(); g.all.Wait() })
	return g
}

// take returns the figures since the last call.
func (g *guests) take() result {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.now
	g.now = result{}
	return r
}

// come makes a guest send one request after another until ctx ends. ask returns the kind of request.
func (g *guests) come(ctx context.Context, pause, patience time.Duration, into func(*result) *answers,
	ask func(ctx context.Context, i int) (kind string, err error)) {
	for i := 0; ctx.Err() == nil; i++ {
		inner, cancel := context.WithTimeout(ctx, patience)
		start := time.Now()
		kind, err := ask(inner, i)
		took := time.Since(start)
		cancel()
		if ctx.Err() != nil {
			return
		}
		g.mu.Lock()
		a := into(&g.now)
		a.took = append(a.took, took)
		if err != nil {
			a.failed = append(a.failed, fmt.Sprintf("%s: %v", kind, err))
		}
		g.mu.Unlock()
		if err == nil {
			g.served.Store(kind, true)
		}
		sleep(ctx, pause-took)
	}
}

// wantAllServed waits until each kind of request has been answered.
func (g *guests) wantAllServed(t *testing.T) {
	t.Helper()
	missing := ""
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); sleep(t.Context(), lookEvery) {
		missing = ""
		for _, kind := range []string{"/zoo", "setData", "open a run", "come back", "do a fault", "open a lesson",
			"look at the Zoo", "look at a cluster", "ask for figures", "come into a class", "answer in a class",
			"follow a teacher"} {
			if _, ok := g.served.Load(kind); !ok {
				missing += ", " + kind
			}
		}
		if missing == "" || g.server.death() != "" {
			return
		}
	}
	t.Errorf("nobody was served who wanted to%s", missing)
}

// visit loads pages, with new connections for each round.
func (g *guests) visit(ctx context.Context) {
	pages := []string{"/", "/lessons/the-herd", "/lab", "/recipes", "/live", "/zoo", "/static/app.css"}
	browser := from{0, 2}.browser()
	defer browser.CloseIdleConnections()
	g.come(ctx, visitorPause, visitorWaits, func(r *result) *answers { return &r.pages },
		func(ctx context.Context, i int) (string, error) {
			if i %= len(pages); i == 0 {
				browser.CloseIdleConnections()
			}
			return pages[i], load(ctx, browser, g.server.pages+pages[i], nil)
		})
}

// load downloads a whole page.
func load(ctx context.Context, browser *http.Client, url string, header http.Header) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	if header != nil {
		req.Header = header
	}
	resp, err := browser.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the server answered %s", resp.Status)
	}
	return nil
}

// polite is the znode below which guests work on the ZooKeeper inside.
const polite = "/polite"

// work creates an ephemeral znode, watches, changes and deletes it. It reconnects after a cut.
func (g *guests) work(ctx context.Context) {
	var p *peer.Peer
	defer func() {
		if p != nil {
			p.Abort()
		}
	}()
	own := polite + "-own"
	asks := []wire.Request{
		create(own, []byte("a"), zoo.Ephemeral),
		{Op: wire.OpGetData, Path: own, Watch: true},
		{Op: wire.OpSetData, Path: own, Data: []byte("b"), Version: -1},
		{Op: wire.OpExists, Path: own},
		{Op: wire.OpDelete, Path: own, Version: -1},
	}
	next := 0
	g.come(ctx, clientPause, visitorWaits, func(r *result) *answers { return &r.answers },
		func(ctx context.Context, _ int) (string, error) {
			if p == nil {
				var err error
				if p, err = (from{0, 3}).session(ctx, g.server.zookeeper, visitorWaits); err != nil {
					p = nil
					return "connect", err
				}
				p.Timeout = visitorWaits
				own += "-" // the earlier session may not have ended
				for i := range asks {
					asks[i].Path = own
				}
				next = 0
			}
			ask := asks[next%len(asks)]
			ask.Xid = int32(next + 1)
			next++
			answer, events, err := p.Do(ask)
			switch {
			case err != nil:
				p.Abort()
				p = nil
			case answer.Code != zoo.OK:
				err = answer.Code
			case ask.Op == wire.OpSetData && len(events) != 1:
				err = fmt.Errorf("%d watch events came before the answer, not 1", len(events))
			}
			return ask.Op.String(), err
		})
}

// create returns a request for a znode with an open ACL.
func create(path string, data []byte, mode zoo.CreateMode) wire.Request {
	return wire.Request{Op: wire.OpCreate, Path: path, Data: data, ACL: zoo.OpenACL(), Flags: int32(mode)}
}

// learn opens a big run, then injects faults and reconnects after a cut. If the server has dropped the run, it opens
// the run again, as our pages do.
func (g *guests) learn(ctx context.Context) {
	clients := max(10, int(200*g.o.scale))
	open := fmt.Sprintf(`{"do":"open","query":"recipe=children-lock&clients=%d"}`, clients)
	var p *page
	defer func() { p.cut() }()
	pause := time.Duration(float64(learnerPause) * g.o.scale)
	g.come(ctx, pause, learnerWaits, func(r *result) *answers { return &r.learners },
		func(ctx context.Context, i int) (kind string, err error) {
			defer func() {
				if err != nil {
					p.cut()
					p = nil
				}
			}()
			if p == nil {
				if p, err = openPage(ctx, from{0, 4}, g.server.pages); err != nil {
					return "open a run", err
				}
				return "open a run", p.ask(ctx, open, func() bool { return p.whole(0) })
			}
			if i%4 == 3 {
				return "do a fault", p.fault(ctx, clients, i)
			}
			if p, err = p.resume(ctx, from{0, 4}, g.server.pages); p != nil && p.dropped {
				return "open a run", p.ask(ctx, open, func() bool { return p.whole(0) })
			}
			return "come back", err
		})
}

// arrive sends newcomers in turn, each with one immediate request.
func (g *guests) arrive(ctx context.Context) {
	pause := time.Duration(float64(newcomerPause) * g.o.scale)
	g.come(ctx, pause, newcomerWaits, func(r *result) *answers { return &r.arrivals },
		func(ctx context.Context, i int) (kind string, err error) {
			who, subtree := from{2, byte(1 + i%250)}, fmt.Sprintf("%s/newcomer-%d", polite, i%250)
			var say string
			begun := func(p *page) bool { return p.last[0] > 0 }
			switch i % 4 {
			case 0:
				kind, say = "open a lesson", `{"do":"open","lesson":"the-herd"}`
				begun = func(p *page) bool { return p.whole(0) }
			case 1:
				kind, say = "look at the Zoo", fmt.Sprintf(`{"do":"zoo","path":%q}`, subtree)
			case 2:
				kind, say = "look at a cluster", fmt.Sprintf(`{"do":"observe","path":%q}`, subtree)
			case 3:
				browser := who.browser()
				defer browser.CloseIdleConnections()
				const where = "/api/figures?recipe=predecessor-lock&clients=10"
				return "ask for figures", load(ctx, browser, g.server.pages+where, nil)
			}
			p, err := openPage(ctx, who, g.server.pages)
			if err == nil {
				err = p.ask(ctx, say, func() bool { return begun(p) })
			}
			p.cut()
			return kind, err
		})
}
