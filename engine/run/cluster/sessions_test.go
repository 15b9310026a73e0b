package cluster_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/sessions"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
)

// TestSessionsInLog observes below a chroot, and the log shows where a lock's owner connects from and who watches it.
func TestSessionsInLog(t *testing.T) {
	t.Parallel()
	srv := zktest.Start(t)
	client := func() *zk.Conn {
		c, _, err := zk.Connect([]string{srv.Addr}, 30*time.Second, zk.WithLogInfo(false))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
	a, b := client(), client()
	made := func(_ string, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	made(a.Create("/app", nil, 0, zk.WorldACL(zk.PermAll)))
	made(a.Create("/app/lock", nil, 0, zk.WorldACL(zk.PermAll)))
	made(a.Create("/app/lock/lock-0000000001", nil, zk.FlagEphemeral, zk.WorldACL(zk.PermAll)))
	_, _, gone, err := b.ExistsW("/app/lock/lock-0000000001")
	if err != nil {
		t.Fatal(err)
	}
	by := access.Dialer{Chroot: "/app"}
	on := cluster.Cluster{Servers: []string{srv.Addr}, Access: by, Sessions: sessions.New(sessions.Config{
		Servers: []string{srv.Addr}, Access: by, Every: 10 * time.Millisecond})}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	log := &waited{state: view.NewFor(on.Observed("/lock")), news: make(chan struct{}, 1)}
	over := make(chan error, 1)
	go func() { over <- on.Observe(ctx, on.Observed("/lock"), log) }()
	owner := func(s *view.State) *view.Client {
		i := slices.IndexFunc(s.Clients, func(c view.Client) bool { return c.Session == a.SessionID() })
		if i < 0 {
			return &view.Client{}
		}
		return &s.Clients[i]
	}
	log.until(t, "where the owner comes from", func(s *view.State) bool {
		return owner(s).Where == srv.Addr && owner(s).Address != ""
	})
	if err := on.AskWatches(ctx); err != nil {
		t.Fatal(err)
	}
	log.until(t, "who watches the lock", func(s *view.State) bool {
		return s.Watches.Asked > 0 && slices.ContainsFunc(s.Watches.List, func(w view.Watch) bool {
			return w.Path == "/lock/lock-0000000001" && !w.Over && s.Clients[w.Client-1].Session == b.SessionID()
		})
	})
	if err := a.Delete("/app/lock/lock-0000000001", -1); err != nil {
		t.Fatal(err)
	}
	<-gone
	log.until(t, "that the watch is spent", func(s *view.State) bool {
		return !slices.ContainsFunc(s.Watches.List, func(w view.Watch) bool { return !w.Over })
	})
	stop()
	<-over
}

// waited is a log that one can wait for.
type waited struct {
	mu    sync.Mutex
	state *view.State
	news  chan struct{}
}

func (w *waited) Append(e event.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state.Apply(e)
	select {
	case w.news <- struct{}{}:
	default:
	}
}

func (w *waited) until(t *testing.T, what string, is func(*view.State) bool) {
	t.Helper()
	for {
		w.mu.Lock()
		done := is(w.state)
		w.mu.Unlock()
		if done {
			return
		}
		select {
		case <-w.news:
		case <-time.After(time.Minute):
			t.Fatalf("the log does not say %s", what)
		}
	}
}
