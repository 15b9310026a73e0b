package tap_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/tap"
	"github.com/zkviz/zkviz/engine/stage/panes"
	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

// TestApache lets third-party clients work with three real servers. One server is killed, and one client dies. The
// tap must report what they did.
func TestApache(t *testing.T) {
	zktest.Need(t)
	e, err := apache.StartEnsemble(apache.EnsembleConfig{Servers: 3, Direct: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	told, addrs := newRecords(), make([]string, 0, 3)
	for _, s := range e.Servers {
		addrs = append(addrs, s.Addr)
	}
	s := serve(t, tap.Config{Servers: addrs, Tell: told.take})
	seen := following(t, s, "/over")

	a, b := join(t, s, 3*time.Second), join(t, s, 3*time.Second)
	create(t, a, "/lock", 0)
	held := create(t, a, "/lock/x-", zk.FlagEphemeral|zk.FlagSequence)
	create(t, b, "/lock/x-", zk.FlagEphemeral|zk.FlagSequence)
	there, _, gone, err := b.ExistsW(held)
	if err != nil || !there {
		t.Fatal(there, err)
	}
	if _, _, err := b.Get("/nothing"); !errors.Is(err, zk.ErrNoNode) {
		t.Fatal(err)
	}
	if err := a.Delete(held, -1); err != nil {
		t.Fatal(err)
	}
	if ev := <-gone; ev.Type != zk.EventNodeDeleted {
		t.Fatalf("told %v", ev)
	}

	session := a.SessionID()
	at := told.until(t, 1, connects(session))[0].Server
	e.Servers[slices.Index(addrs, at)].Kill()
	moved := told.until(t, 1, func(r tap.Record) bool { return r.Session == session && r.Moved != "" })[0]
	if moved.Moved != at || moved.Server == at || moved.New {
		t.Errorf("after the end of %s it %+v", at, moved)
	}

	c := join(t, s, time.Second)
	left := create(t, c, "/lock/y", zk.FlagEphemeral)
	there, _, gone, err = b.ExistsW(left)
	if err != nil || !there {
		t.Fatal(there, err)
	}
	dead := c.SessionID()
	c.kill()
	if ev := <-gone; ev.Type != zk.EventNodeDeleted {
		t.Fatalf("told %v", ev)
	}
	ended := told.until(t, 1, func(r tap.Record) bool { return r.Kind == tap.SessionEnded && r.Session == dead })[0]
	if ended.Reason != event.BySessionExpired {
		t.Errorf("the dead client's session %+v", ended)
	}
	herd(t, a, b, join(t, s, 3*time.Second), join(t, s, 3*time.Second))
	create(t, b, "/over", 0)

	all := <-seen
	agrees(t, all)
	if got, want := answered(all, "/herd"), []string{"woken.last: herd(3) !"}; !slices.Equal(got, want) {
		t.Errorf("of the herd it answers %q, not %q", got, want)
	}
	for _, want := range []struct {
		op, path string
		code     zoo.Code
		n        int
	}{
		{"create", held, zoo.OK, 1}, {"create", "/lock", zoo.OK, 1}, {"delete", held, zoo.OK, 1},
		{"exists", held, zoo.OK, 1}, {"get", "/nothing", zoo.ErrNoNode, 1}, {"create", left, zoo.OK, 1},
	} {
		is := func(r tap.Record) bool {
			return r.Kind == tap.Answered && r.Op == want.op && r.Path == want.path && r.Code == want.code
		}
		if got := told.until(t, want.n, is); len(got) != want.n {
			t.Errorf("%s %s is told %d times, not %d", want.op, want.path, len(got), want.n)
		}
	}
	if got := told.until(t, 5, of(tap.Notified)); len(got) != 5 || got[0].Path != held || got[1].Path != left {
		t.Errorf("told of %+v", got)
	}
	if f := s.Figures(); f.Moved < 1 || f.Expired != 1 || f.Wakeups != 5 || f.Errors != 1 || f.Gaps+f.Unseen != 0 {
		t.Errorf("figures: %+v", f)
	}
}

// agrees checks the causes of the watch events other than the herd's: a release, and the end of a session.
func agrees(t *testing.T, all []event.Event) {
	t.Helper()
	cause := func(e event.Event) event.Event {
		if e.Cause == 0 {
			return event.Event{}
		}
		return all[e.Cause-1]
	}
	var because []event.Kind
	for _, e := range all {
		if e.Kind == event.WatchDelivered && e.Path != "/herd" {
			deleted := cause(cause(e))
			if deleted.Kind != event.ZnodeDeleted || deleted.Path != e.Path {
				t.Errorf("%s was told because of %v", e.Path, deleted)
			}
			because = append(because, cause(deleted).Kind)
		}
	}
	if !slices.Equal(because, []event.Kind{event.TxnApplied, event.SessionExpired}) {
		t.Errorf("the wakeups came of %v:\n%s", because, text(all))
	}
}

// herd lets some clients watch a lock's queue until a leaves.
func herd(t *testing.T, a *client, some ...*client) {
	t.Helper()
	create(t, a, "/herd", 0)
	held := create(t, a, "/herd/lock-", zk.FlagEphemeral|zk.FlagSequence)
	var told []<-chan zk.Event
	for _, c := range some {
		// Its server may lag behind: it would be woken by the creation.
		if _, err := c.Sync("/herd"); err != nil {
			t.Fatal(err)
		}
		_, _, ch, err := c.ChildrenW("/herd")
		if err != nil {
			t.Fatal(err)
		}
		told = append(told, ch)
	}
	if err := a.Delete(held, -1); err != nil {
		t.Fatal(err)
	}
	for _, ch := range told {
		if ev := <-ch; ev.Type != zk.EventNodeChildrenChanged {
			t.Errorf("one of the herd is told %v", ev)
		}
	}
}

// answered returns what the panel finally says about clients woken by a lock's changes.
func answered(all []event.Event, lock string) (lines []string) {
	h := view.NewHistoryFor(event.Header{Host: event.Tapped, Root: "/"})
	h.AppendAll(all)
	seq := event.Seq(h.Len())
	f := panes.Facts{History: h, Seq: seq, State: h.StateAtSeq(seq), Host: event.Tapped, Selected: lock}
	f.At = f.State.At
	p, _ := new(panes.Holding).At(&f, lock, func(key string, args ...string) string {
		if key = strings.TrimPrefix(key, "holding."); len(args) > 0 {
			key += "(" + args[0] + ")"
		}
		return key
	})
	for _, l := range p.Lists {
		for _, a := range l.Lines {
			if strings.HasPrefix(a.Name, "woken") && a.Wrong {
				lines = append(lines, a.Name+": "+a.Pieces[0].Text+" !")
			}
		}
	}
	return lines
}

func connects(session int64) func(tap.Record) bool {
	return func(r tap.Record) bool { return r.Kind == tap.Connected && r.Session == session }
}

// client is a go-zookeeper client.
type client struct {
	*zk.Conn
	dialed *dialed
}

// join connects a client through the tap.
func join(t *testing.T, s *tap.Tap, timeout time.Duration) *client {
	t.Helper()
	d := new(dialed)
	conn, events, err := zk.Connect([]string{s.Place()}, timeout, zk.WithDialer(d.dial), zk.WithLogger(silent{}))
	if err != nil {
		t.Fatal(err)
	}
	c := &client{conn, d}
	t.Cleanup(c.kill)
	late := time.After(waitLimit)
	for {
		select {
		case ev := <-events:
			if ev.State == zk.StateHasSession {
				go func() {
					for range events { // the library blocks until its events are read
					}
				}()
				return c
			}
		case <-late:
			t.Fatal("no session")
		}
	}
}

type silent struct{}

func (silent) Printf(string, ...any) {}

func create(t *testing.T, c *client, path string, flags int32) string {
	t.Helper()
	made, err := c.Create(path, []byte("data"), flags, zk.WorldACL(zk.PermAll))
	if err != nil {
		t.Fatal(err)
	}
	return made
}
