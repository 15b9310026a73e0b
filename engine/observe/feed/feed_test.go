package feed

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/learner"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// watcher observes a subtree.
type watcher struct {
	log  event.Log
	err  error
	done chan struct{}
}

func watch(ctx context.Context, f *Feed, root string, most int) *watcher {
	w := &watcher{done: make(chan struct{})}
	go func() {
		defer close(w.done)
		w.err = f.Observe(ctx, root, &w.log, most, nil)
	}()
	synctest.Wait()
	return w
}

func (w *watcher) text() string {
	synctest.Wait()
	var b strings.Builder
	for _, e := range w.log.Events {
		b.WriteString(line(e))
	}
	return b.String()
}

func line(e event.Event) string {
	s := fmt.Sprintf("%d %s %s", e.Seq, e.At.Round(time.Millisecond), e.Kind)
	for _, part := range []string{e.Path, e.Text} {
		if part != "" {
			s += " " + part
		}
	}
	for _, a := range []event.Actor{e.Actor, e.Peer} {
		if a != event.ZooKeeper {
			s += " " + a.String()
		}
	}
	if e.Reason != event.NoReason {
		s += " " + e.Reason.String()
	}
	if e.Cause != 0 {
		s += fmt.Sprint(" because of ", e.Cause)
	}
	return s + "\n"
}

// one and two are session ids.
const one, two = 0x101, 0x202

// tree begins with a lock that session one holds.
func tree(f *Feed, zxid int64) {
	to := f.taker()
	_ = to.Begin(learner.Beginning{Epoch: 1, Zxid: zxid})
	_ = to.Tree.Session(one, 4000)
	for _, n := range []txnlog.Node{{Path: "/"}, {Path: "/lock"},
		{Path: "/lock/a-0000000001", Stat: zoo.Stat{EphemeralOwner: one, Czxid: 3, Ctime: 1000}}} {
		_ = to.Tree.Node(&n)
	}
	_ = to.Synced()
}

// say delivers a transaction.
func say(f *Feed, t wire.Txn) { _ = f.taker().Txn(&t) }

// TestHandOver checks the log of a lock's handover: the previous holder, the next one, and why the first one's
// znode went. The log omits events elsewhere and sessions that do nothing here.
func TestHandOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := New(Config{})
		ctx, stop := context.WithCancel(t.Context())
		w := watch(ctx, f, "/lock", 0)
		tree(f, 9)
		synctest.Wait()
		time.Sleep(time.Second)
		say(f, wire.Txn{Session: 0x303, Zxid: 10, Op: wire.OpCreateSession, TimeoutMS: 4000})
		say(f, wire.Txn{Session: two, Zxid: 11, Op: wire.OpCreateSession, TimeoutMS: 6000})
		say(f, wire.Txn{Session: two, Cxid: 1, Zxid: 12, Op: wire.OpCreate, Path: "/lock/a-0000000002", Ephemeral: true})
		say(f, wire.Txn{Session: two, Cxid: 2, Zxid: 13, Op: wire.OpCreate, Path: "/other"})
		time.Sleep(time.Second)
		say(f, wire.Txn{Session: one, Zxid: 14, Op: wire.OpCloseSession, Paths: []string{"/lock/a-0000000001"}})
		say(f, wire.Txn{Session: 0x303, Zxid: 15, Op: wire.OpCloseSession})
		got := w.text()
		const want = `1 0s run.started /lock
2 0s znode.found /lock
3 0s client.started client-1
4 0s session.seen client-1
5 0s znode.found /lock/a-0000000001 client-1
6 1s client.started client-2
7 1s session.created client-2
8 1s txn.applied /lock/a-0000000002 client-2
9 1s znode.created /lock/a-0000000002 client-2 because of 8
10 2s session.expired client-1
11 2s znode.deleted /lock/a-0000000001 client-1 session-expired because of 10
`
		if got != want {
			t.Errorf("it tells\n%s\nnot\n%s", got, want)
		}
		if from := w.log.Events[0].Zxid; from != 9 {
			t.Errorf("it begins after %d", from)
		}
		stop()
		if <-w.done; !errors.Is(w.err, context.Canceled) {
			t.Error(w.err)
		}
	})
}

// TestAway checks that a log says why there is no leader. Missed transactions get times from the leader's clock,
// which is wrong by an hour.
func TestAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := New(Config{})
		tree(f, 9)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		w := watch(ctx, f, "/lock", 0)
		const hour = 3_600_000
		set := func(zxid, ms int64) {
			say(f, wire.Txn{Session: one, Cxid: 1, Zxid: zxid, TimeMS: hour + ms, Op: wire.OpSetData, Path: "/lock",
				Data: []byte(fmt.Sprint(zxid))})
		}
		time.Sleep(time.Second)
		set(10, 1000)
		time.Sleep(time.Second)
		f.lost(errors.New("it is gone"))
		time.Sleep(4 * time.Second)
		_ = f.taker().Begin(learner.Beginning{Epoch: 1, Kept: true, Zxid: 10})
		set(11, 3000)
		set(12, 7000)
		_ = f.taker().Synced()
		time.Sleep(time.Second)
		set(13, 7100)
		got := w.text()
		_, got, _ = strings.Cut(got, "5 0s znode.found /lock/a-0000000001 client-1\n")
		const want = `6 1s txn.applied /lock client-1
7 1s znode.changed /lock 10 client-1 because of 6
8 2s observer.disconnected it is gone
9 3s txn.applied /lock client-1
10 3s znode.changed /lock 11 client-1 because of 9
11 6s txn.applied /lock client-1
12 6s znode.changed /lock 12 client-1 because of 11
13 6s observer.reconnected
14 7s txn.applied /lock client-1
15 7s znode.changed /lock 13 client-1 because of 14
`
		if got != want {
			t.Errorf("it tells\n%s\nnot\n%s", got, want)
		}
	})
}

// TestAnew checks that logs end and start again when a new leader has fewer transactions and sends its tree.
func TestAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := New(Config{})
		tree(f, 9)
		w := watch(t.Context(), f, "/", 0)
		tree(f, 5)
		if <-w.done; !errors.Is(w.err, event.ErrLogFull) {
			t.Errorf("it ends with %v", w.err)
		}
	})
}

// TestMoreClientsThanALogHas uses more sessions than a log has client numbers. The end of a session without a
// number must not count for another client.
func TestMoreClientsThanALogHas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := New(Config{})
		ctx, stop := context.WithCancel(t.Context())
		w := watch(ctx, f, "/lock", 0)
		tree(f, 9)
		const most, first = event.MaxActor + 1, 0x1000
		for i := range int64(most) {
			say(f, wire.Txn{Session: first + i, Cxid: 1, Zxid: 10 + i, Op: wire.OpCreate,
				Path: fmt.Sprint("/lock/n", i), Ephemeral: true})
		}
		last := fmt.Sprint("/lock/n", most-1)
		say(f, wire.Txn{Session: first + most - 1, Zxid: 10 + most, Op: wire.OpCloseSession, Paths: []string{last}})
		synctest.Wait()
		stop()
		<-w.done
		gone := 0
		for _, e := range w.log.Events {
			switch e.Kind {
			case event.SessionClosed, event.SessionExpired:
				t.Errorf("it says %v", e)
			case event.ZnodeDeleted:
				gone++
			}
		}
		if gone != 1 {
			t.Errorf("%d znodes are gone, want 1", gone)
		}
	})
}

// TestReportBlocks checks that a report which nobody reads stops neither the feed nor those who ask it, and that all
// outcomes are reported in order once somebody does.
func TestReportBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said []string
		unread := make(chan struct{})
		f := New(Config{Report: func(why error) {
			<-unread
			said = append(said, fmt.Sprint(why))
		}, Find: func(context.Context) ([]string, error) { return nil, errors.New("found none") }})
		ctx, stop := context.WithCancel(t.Context())
		over := make(chan struct{})
		go func() { defer close(over); _ = f.Run(ctx) }()
		synctest.Wait()
		tree(f, 9)
		say(f, wire.Txn{Session: one, Zxid: 10, Op: wire.OpCreate, Path: "/lock/b"})
		f.lost(errors.New("it is gone"))
		if why, _ := f.Away(); why != "it is gone" || !f.Has("/lock/b") || !f.Joined() {
			t.Errorf("it is away because of %q", why)
		}
		stop()
		synctest.Wait()
		close(unread)
		<-over
		if got := strings.Join(said, "; "); got != "found none; <nil>; it is gone" {
			t.Errorf("it reports %s", got)
		}
	})
}

// TestReportsAreBounded checks that of many outcomes that nobody reads the last remain.
func TestReportsAreBounded(t *testing.T) {
	var said []error
	r := newReports(func(why error) { said = append(said, why) })
	last := errors.New("last")
	for range 10 * maxReports {
		r.put(nil)
	}
	r.put(last)
	over := make(chan struct{})
	close(over)
	r.run(over)
	if len(said) != maxReports || said[maxReports-1] != last {
		t.Errorf("it reports %v", said)
	}
}
