package learner_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/feed"
	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// incident is a lock with faults, observed by the ensemble's transactions.
type incident struct {
	t        *testing.T
	patient  [2]*zk.Conn // two clients that wait for it
	nodes    [2]string   // their znodes
	sessions map[int64]string
	ended    chan error

	mu  sync.Mutex
	log event.Log
}

// Append implements event.Sink.
func (i *incident) Append(e event.Event) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.log.Append(e)
}

// happen pauses a holder and disconnects a waiter, until both sessions expire. Two others wait.
func happen(t *testing.T, ctx context.Context, f *feed.Feed, e *apache.Ensemble) *incident {
	t.Helper()
	i := &incident{t: t, sessions: map[int64]string{}, ended: make(chan error, 1)}
	for n := range i.patient {
		conn, events, err := zk.Connect(strings.Split(e.ConnectString(), ","), steadfast, zk.WithLogger(quiet{}))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(conn.Close)
		for ev := range events {
			if ev.State == zk.StateHasSession {
				break
			}
		}
		i.patient[n], i.sessions[conn.SessionID()] = conn, []string{"first", "second"}[n]
	}
	for _, path := range []string{"/shop", "/shop/lock"} {
		if _, err := i.patient[0].Create(path, nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
			t.Fatal(err)
		}
	}
	go func() { i.ended <- f.Observe(ctx, "/shop", i, 0, nil) }()
	paused := i.briefly(e, "paused")
	i.queues(0)
	cutOff := i.briefly(e, "cut off")
	i.queues(1)
	cutOff.Abort() // it disconnects without closing its session
	await(t, "two sessions to expire", func() bool {
		names, _, err := i.patient[0].Children("/shop/lock")
		return err == nil && len(names) == 2
	})
	paused.Abort()
	return i
}

// queues puts a patient client into the queue.
func (i *incident) queues(n int) {
	i.t.Helper()
	path, err := i.patient[n].Create("/shop/lock/lock-", nil, zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll))
	if err != nil {
		i.t.Fatal(err)
	}
	i.nodes[n] = path
}

// briefly queues up with a session that expires soon without messages.
func (i *incident) briefly(e *apache.Ensemble, who string) *peer.Peer {
	i.t.Helper()
	addr, _, _ := strings.Cut(e.ConnectString(), ",")
	p, err := peer.Dial(addr, wire.ConnectRequest{TimeoutMS: 4000})
	if err != nil {
		i.t.Fatal(err)
	}
	i.t.Cleanup(p.Abort)
	i.sessions[p.Welcome.Session] = who
	if r, _, err := p.Do(wire.Request{Xid: 1, Op: wire.OpCreate, Path: "/shop/lock/lock-", ACL: zoo.OpenACL(),
		Flags: int32(zoo.EphemeralSequential)}); err != nil || r.Code != zoo.OK {
		i.t.Fatalf("%s: %v, %v", who, r.Code, err)
	}
	return p
}

// end lets the first waiter release the lock to the second, which closes its session.
func (i *incident) end() {
	i.t.Helper()
	await(i.t, "the first to let go", func() bool { // its leader may be down for a moment
		err := i.patient[0].Delete(i.nodes[0], -1)
		return err == nil || errors.Is(err, zk.ErrNoNode)
	})
	i.patient[1].Close()
	await(i.t, "the log to say so", func() bool { return len(i.hands()) >= 8 })
}

// hands lists who got and lost the lock, and why.
func (i *incident) hands() (list []string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	l := handover.NewLog("/shop/lock")
	for _, e := range i.log.Events {
		l.Append(e)
		if who := i.sessions[e.Session]; e.Kind == event.SessionExpired || e.Kind == event.SessionClosed {
			list = append(list, fmt.Sprint(who, " ", e.Kind))
		}
	}
	for _, c := range l.Changes() {
		if who := i.sessions[c.Hand.Session]; c.Got {
			list = append(list, who+" got it")
		} else {
			list = append(list, fmt.Sprint(who, " lost it: ", c.Reason))
		}
	}
	return list
}

// check compares the log with what happened.
func (i *incident) check() {
	i.t.Helper()
	got := i.hands()
	want := []string{"paused session.expired", "cut off session.expired", "second session.closed",
		"paused got it", "paused lost it: session-expired", "first got it", "first lost it: op", "second got it",
		"second lost it: session-closed"}
	slices.Sort(got[:min(2, len(got))]) // the leader decides whose session expires first
	slices.Sort(want[:2])
	if !slices.Equal(got, want) {
		i.t.Errorf("of the lock the log says\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
