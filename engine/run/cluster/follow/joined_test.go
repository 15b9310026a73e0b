package follow

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/feed"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/testing/learnertest"
	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// handedOver returns a joined ensemble in which the session of the holder of /in/l expires. Its clients' root is
// the znode chroot.
func handedOver(t *testing.T, chroot string) *Locks {
	t.Helper()
	const first, second = "/in/l/lock-0000000001", "/in/l/lock-0000000002"
	l := learnertest.Start(t, txnlogtest.Tree{Sessions: []txnlogtest.Session{{ID: 7, TimeoutMS: 4000}},
		Nodes: []txnlog.Node{{Path: "/"}, {Path: "/in"}, {Path: "/in/l"}, {Path: first, Data: []byte("host-7"),
			Stat: zoo.Stat{EphemeralOwner: 7, Czxid: 3, Ctime: 1000}}}}, 9)
	f := feed.New(feed.Config{Servers: []string{l.Addr}})
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() { defer close(over); _ = f.Run(ctx) }()
	all := New(cluster.Cluster{Feed: f, Access: access.Dialer{Chroot: chroot}})
	t.Cleanup(func() { all.Close(); stop(); <-over })
	f.Wait(ctx)
	l.Happen(wire.Txn{Session: 8, Zxid: 10, Op: wire.OpCreateSession, TimeoutMS: 4000})
	l.Happen(wire.Txn{Session: 8, Cxid: 1, Zxid: 11, Op: wire.OpCreate, Path: second, Ephemeral: true})
	l.Happen(wire.Txn{Session: 7, Zxid: 12, Op: wire.OpCloseSession, Paths: []string{first}})
	for f.Has(first) || !f.Has(second) {
		time.Sleep(time.Millisecond)
	}
	return all
}

// TestJoined: a joined ensemble shows who lost what and why, and what doesn't exist; all by the clients' paths,
// below a chroot too.
func TestJoined(t *testing.T) {
	for chroot, paths := range map[string]struct{ at, none, beside string }{
		"":    {"/in/l", "/in/m", "/l"},
		"/in": {"/l", "/m", "/in/l"},
	} {
		all := handedOver(t, chroot)
		r, err := all.Report(t.Context(), paths.at, false)
		if err != nil || !r.Joined || r.Missing || len(r.Rows) != 1 || len(r.Rows[0].Turns) != 1 {
			t.Fatalf("below %q: %v, %+v", chroot, err, r)
		}
		row := &r.Rows[0]
		turn := &row.Turns[0]
		if row.Path != paths.at || row.Holding[0].Path != paths.at+"/lock-0000000002" || row.Holding[0].Session != 8 ||
			turn.From.Path != paths.at+"/lock-0000000001" || turn.To.Path != row.Holding[0].Path ||
			turn.From.Session != 7 || turn.Reason != event.BySessionExpired {
			t.Errorf("below %q: %+v", chroot, row)
		}
		for path, missing := range map[string]bool{"/": false, paths.at: false, paths.none: true, paths.beside: true} {
			if r, err := all.Report(t.Context(), path, false); err != nil || r.Missing != missing {
				t.Errorf("below %q there is no %s: %t, %v", chroot, path, r.Missing, err)
			}
		}
	}
	nowhere := handedOver(t, "/out")
	if r, err := nowhere.Report(t.Context(), "/", false); err != nil || !r.Missing || len(r.Rows) > 0 {
		t.Errorf("below a chroot that isn't there: %v, %+v", err, r)
	}
}

// TestJoinedStory checks the log of a hand-over in a joined ensemble, by the clients' paths.
func TestJoinedStory(t *testing.T) {
	for chroot, at := range map[string]string{"": "/in/l", "/in": "/l"} {
		all := handedOver(t, chroot)
		now := time.Now().UnixMilli()
		log, ok := all.Story(at, now)
		if !ok || log.Header.Host != event.Joined || log.Header.Root != at {
			t.Fatalf("below %q: %t, %+v", chroot, ok, log.Header)
		}
		var got []string
		for _, e := range log.Events {
			if e.Path != "" {
				got = append(got, e.Kind.String()+" "+e.Path+" "+e.Reason.String())
			}
		}
		want := "run.started AT none; znode.found AT/lock-0000000001 none; txn.applied AT/lock-0000000002 none; " +
			"znode.created AT/lock-0000000002 none; znode.deleted AT/lock-0000000001 session-expired"
		want = strings.ReplaceAll(want, "AT", at)
		if got := strings.Join(got, "; "); got != want {
			t.Errorf("below %q it has\n%s\nnot\n%s", chroot, got, want)
		}
		if _, ok := all.Story(at, now-3_600_000); ok {
			t.Error("it is known from before all that is kept")
		}
		for _, other := range []string{"/", at + "x", "/in/in/l", "l"} {
			if _, ok := all.Story(other, now); ok {
				t.Errorf("below %q there's a story of %s", chroot, other)
			}
		}
	}
}
