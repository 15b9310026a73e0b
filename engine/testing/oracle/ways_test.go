package oracle

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe"
	"github.com/zkviz/zkviz/engine/observe/feed"
	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/observe/tap"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/run/cluster/follow"
	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// way is one of zkviz's ways to look.
type way string

// The ways. Each one that follows events has a stage, whose log goes to a handover.Log. The first two also have a
// page with all locks.
const (
	joined     way = "joined"
	joinedPage way = "joined, the page of locks"
	read       way = "read"
	readPage   way = "read, the page of locks"
	tapped     way = "tapped"
	files      way = "files"
)

const (
	sessionTimeout = 10 * time.Second
	patience       = 10 * time.Minute // bounds every wait, even on a slow machine
)

// top is the znode below which the programs work.
const top = "/oracle"

// looks holds all of the ways, on one ensemble.
type looks struct {
	tb      testing.TB
	servers *apache.Ensemble
	own     *zk.Conn // our own connection, which no tap sees
	tap     *tap.Tap
	feed    *feed.Feed
	stages  map[way]*stage
	pages   map[way]*follow.Locks
}

// steady configures servers that wait long for each other, for a machine that stalls now and then.
var steady = apache.EnsembleConfig{Servers: 3, Direct: true, Config: apache.Config{HeapMB: 200,
	Settings: []string{"initLimit=300", "syncLimit=300"}}}

// look starts an ensemble, and observes it in each of the ways until the test ends.
func look(t *testing.T) *looks {
	t.Helper()
	e, err := apache.StartEnsemble(steady)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	own, _, err := zk.Connect(strings.Split(e.ConnectString(), ","), time.Minute, zk.WithLogger(quiet{}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(own.Close)
	l := &looks{tb: t, servers: e, own: own, pages: map[way]*follow.Locks{}}
	l.make(top)
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	t.Cleanup(all.Wait)
	t.Cleanup(stop)
	addrs := strings.Split(e.ConnectString(), ",")
	l.tap, err = tap.Listen(tap.Config{Listen: "127.0.0.1:0", Servers: addrs})
	if err != nil {
		t.Fatal(err)
	}
	l.feed = feed.New(feed.Config{Servers: e.Quorum()})
	all.Go(func() { _ = l.feed.Run(ctx) })
	all.Go(func() { _ = l.tap.Serve(ctx) })
	l.pages[joinedPage] = follow.New(cluster.Cluster{Servers: addrs, Feed: l.feed})
	l.pages[readPage] = follow.New(cluster.Cluster{Servers: addrs})
	for _, page := range l.pages {
		t.Cleanup(page.Close)
	}
	return l
}

// at begins a log of each way for a znode and all below it, until the test ends.
func (l *looks) at(t *testing.T, path string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	t.Cleanup(all.Wait)
	t.Cleanup(stop)
	l.feed.Wait(ctx)
	l.stages = map[way]*stage{}
	addrs := strings.Split(l.servers.ConnectString(), ",")
	for way, observe := range map[way]func(event.Sink) error{
		joined: func(s event.Sink) error { return l.feed.Observe(ctx, path, s, 0, nil) },
		read:   func(s event.Sink) error { return observe.Observation{Servers: addrs, Path: path}.Run(ctx, s) },
		tapped: func(s event.Sink) error { return l.tap.Observe(ctx, path, s, 0, nil) },
	} {
		s := &stage{way: way, news: make(chan struct{}), tree: map[string]bool{}}
		l.stages[way] = s
		all.Go(func() { s.over = observe(s) })
	}
	for _, s := range l.stages {
		s.await(t, "it begins", func() bool { return len(s.events) > 0 })
	}
}

// make creates a persistent znode, and returns the transaction.
func (l *looks) make(path string) (zxid int64) {
	l.tb.Helper()
	if _, err := l.own.Create(path, nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
		l.tb.Fatalf("create %s: %v", path, err)
	}
	_, stat, err := l.own.Exists(path)
	if err != nil || stat == nil {
		l.tb.Fatalf("look at %s: %v", path, err)
	}
	return stat.Czxid
}

// tree returns the present znodes below a path, each with the session that owns it.
func (l *looks) tree(path string) map[string]int64 {
	l.tb.Helper()
	if _, err := l.own.Sync(path); err != nil {
		l.tb.Fatal(err)
	}
	all := map[string]int64{}
	var list func(string)
	list = func(at string) {
		names, _, err := l.own.Children(at)
		if err != nil && err != zk.ErrNoNode {
			l.tb.Fatalf("list %s: %v", at, err)
		}
		for _, name := range names {
			ok, stat, err := l.own.Exists(at + "/" + name)
			if err != nil {
				l.tb.Fatal(err)
			}
			if ok {
				all[at+"/"+name] = stat.EphemeralOwner
				list(at + "/" + name)
			}
		}
	}
	list(path)
	return all
}

// until polls until a condition holds.
func (l *looks) until(what string, is func() bool) {
	l.tb.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			l.tb.Fatalf("it doesn't come to that %s", what)
		}
	}
}

// stage is the log of one way.
type stage struct {
	way    way
	mu     sync.Mutex
	events []event.Event
	tree   map[string]bool
	missed int64 // how many changes it says it has missed
	news   chan struct{}
	over   error
}

// Append implements event.Sink.
func (s *stage) Append(e event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.Seq = event.Seq(len(s.events) + 1)
	s.events = append(s.events, e)
	switch e.Kind {
	case event.ZnodeFound, event.ZnodeCreated:
		s.tree[e.Path] = true
	case event.ZnodeDeleted:
		delete(s.tree, e.Path)
	case event.RecipeNote:
		if e.Reason == event.LeftMissed {
			s.missed += e.N
		}
	}
	close(s.news)
	s.news = make(chan struct{})
}

// await waits for a condition, which it checks with mu held.
func (s *stage) await(tb testing.TB, what string, is func() bool) {
	tb.Helper()
	late := time.After(patience)
	for {
		s.mu.Lock()
		yes, news := is(), s.news
		s.mu.Unlock()
		if yes {
			return
		}
		select {
		case <-news:
		case <-late:
			tb.Fatalf("the stage (%s) doesn't come to that %s; it has %v, and ended with %v; its last events are\n%s", s.way,
				what, slices.Sorted(maps.Keys(s.tree)), s.over, lines(s.last(40)))
		}
	}
}

// has waits until the stage has exactly the znodes of the tree below a path.
func (s *stage) has(tb testing.TB, below string, tree map[string]int64) {
	tb.Helper()
	s.await(tb, fmt.Sprintf("it has %v", slices.Sorted(maps.Keys(tree))), func() bool {
		for path := range tree {
			if !s.tree[path] {
				return false
			}
		}
		for path := range s.tree {
			if _, there := tree[path]; !there && strings.HasPrefix(path, below+"/") {
				return false
			}
		}
		return true
	})
}

// empty waits until nobody holds the thing at a path.
func (s *stage) empty(tb testing.TB, path string) {
	tb.Helper()
	l, n := handover.NewLog(path), 0
	defer func() {
		if held := l.Holding(); len(held) > 0 {
			tb.Logf("at %s are %v; the last events are\n%s", path, held, lines(s.about(path)))
		}
	}()
	s.await(tb, "nobody is at "+path, func() bool {
		for ; n < len(s.events); n++ {
			l.Append(s.events[n])
		}
		l.Changes()
		return len(l.Holding()) == 0
	})
}

// last returns the last few events as text.
func (s *stage) last(n int) (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.events[max(0, len(s.events)-n):] {
		all = append(all, eventtext.Of(e))
	}
	return all
}

// about returns the events about a path and those below it as text.
func (s *stage) about(path string) (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.events {
		if e.Path == path || strings.HasPrefix(e.Path, path+"/") {
			all = append(all, eventtext.Of(e))
		}
	}
	return all
}

// log follows a znode through all events so far.
func (s *stage) log(path string) (*handover.Log, []handover.Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := handover.NewLog(path)
	for _, e := range s.events {
		l.Append(e)
	}
	return l, l.Changes()
}

// past follows a znode through the files of a server, up to a transaction.
func (l *looks) past(path string, upTo int64) (of *past.Handovers, changes []handover.Change) {
	l.tb.Helper()
	found, err := past.Find(l.servers.Servers[0].Files())
	if err != nil {
		l.tb.Fatal(err)
	}
	of = past.NewHandovers(path)
	err = found.ReadWith(l.tb.Context(), "/", func(past.Trouble) {}, func(s *replay.State, t *wire.Txn) {
		of.Before(s, t)
	}, func(_ *replay.State, t *wire.Txn, facts []replay.Fact) error {
		if t.Zxid <= upTo {
			changes = append(changes, of.Take(t, facts)...)
		}
		return nil
	})
	if err != nil {
		l.tb.Fatal(err)
	}
	return of, changes
}

// page returns the holders of the thing at a path by the page of locks; ok is false until it is complete.
func (l *looks) page(of *follow.Locks, path string) (held []handover.Hand, ok bool) {
	l.tb.Helper()
	r, err := of.Report(l.tb.Context(), path, false)
	if err != nil {
		l.tb.Fatal(err)
	}
	for _, row := range r.Rows {
		if row.Path == path {
			for _, h := range row.Holding {
				held = append(held, h.Hand)
			}
		}
	}
	return held, !r.Reading && r.Away == ""
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}

// watching reports whether a session watches one of some znodes, according to a log that has the session as a client.
func watching(events []event.Event, session int64, of map[string]bool) bool {
	var who event.Actor
	for _, e := range events {
		switch {
		case e.Kind == event.SessionCreated && e.Session == session:
			who = e.Peer
		case e.Kind == event.WatchSet && of[e.Path] && (e.Actor == who || e.Peer == who):
			return true
		}
	}
	return false
}
