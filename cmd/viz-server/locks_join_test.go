package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/feed"
	"github.com/zkviz/zkviz/engine/testing/learnertest"
	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// oneLock is a tree with a lock that session 7 holds.
var oneLock = txnlogtest.Tree{Sessions: []txnlogtest.Session{{ID: 7, TimeoutMS: 4000}},
	Nodes: []txnlog.Node{{Path: "/"}, {Path: "/app"}, {Path: "/app/l"}, {Path: "/app/l/lock-0000000001",
		Stat: zoo.Stat{EphemeralOwner: 7, Czxid: 3, Ctime: 1000}}}}

// TestLocksJoined lists a joined ensemble's locks. If joining fails, it lists the locks it reads, and explains why.
func TestLocksJoined(t *testing.T) {
	t.Parallel()
	addr, conn := inside(t)
	makeLocks(t, conn)
	leader := learnertest.Start(t, oneLock, 9).Addr
	const read = "zkviz reads the znodes, which misses fast changes and doesn't show who made them: "
	for _, c := range []struct {
		args string
		code int
		says []string
	}{
		{"--zk ZK --observe-ensemble LEADER", exitOK, []string{"/app/l  a lock", "0x7 for at most "}},
		{"/l --zk ZK/app --observe-ensemble LEADER --json", exitOK, []string{`{"path":"/l","use":"lock"`,
			`"znode":"/l/lock-0000000001"`, `"held_longer":true`}},
		{"/none --zk ZK --observe-ensemble LEADER", exitTrouble, []string{"/none: there's no such znode"}},
		{"/blind --zk ZK --observe-ensemble 127.0.0.1:1", exitOK, []string{read, "refused", "/blind  a lock"}},
		{"/blind --zk ZK --observe-ensemble auto", exitOK, []string{read, "it is a single server", "/blind  a lock"}},
		{"/blind --zk ZK --observe-ensemble zk1", exitTrouble, []string{`--observe-ensemble: "zk1" is not a quorum port`}},
		{"/blind --zk ZK --observe-ensemble LEADER --observe-ensemble-tls-key k", exitTrouble,
			[]string{"--observe-ensemble-tls-key needs --observe-ensemble-tls-cert"}},
	} {
		args := strings.Fields("locks " + strings.NewReplacer("ZK", addr, "LEADER", leader).Replace(c.args))
		var out, errs bytes.Buffer
		code := execute(args, &terminal{ctx: t.Context(), out: &out, err: &errs})
		for _, want := range c.says {
			if all := out.String() + errs.String(); code != c.code || !strings.Contains(all, want) {
				t.Errorf("%q: %d, without %q: %s", args, code, want, all)
			}
		}
	}
}

// lineWriter sends each written line.
type lineWriter struct{ lines chan string }

func (w lineWriter) Write(b []byte) (int, error) {
	for line := range strings.Lines(string(b)) {
		w.lines <- line
	}
	return len(b), nil
}

// TestLocksFollow prints the handovers of a joined ensemble, with their reasons, until interrupted.
func TestLocksFollow(t *testing.T) {
	t.Parallel()
	addr, _ := inside(t)
	leader := learnertest.Start(t, oneLock, 9)
	ctx, interrupt := context.WithCancelCause(t.Context())
	defer interrupt(nil)
	lines, errs, code := make(chan string, 100), bytes.Buffer{}, make(chan int, 1)
	go func() {
		code <- execute([]string{"locks", "--zk", addr, "--observe-ensemble", leader.Addr, "--follow"},
			&terminal{ctx: ctx, out: lineWriter{lines}, err: &errs})
		close(lines)
	}()
	for line := range lines {
		if strings.Contains(line, "/app/l  a lock") {
			break
		}
	}
	const second = "/app/l/lock-0000000002"
	leader.Happen(wire.Txn{Session: 8, Cxid: 1, Zxid: 11, Op: wire.OpCreate, Path: second, Ephemeral: true})
	leader.Happen(wire.Txn{Session: 7, Zxid: 12, Op: wire.OpCloseSession, Paths: []string{"/app/l/lock-0000000001"}})
	last := ""
	for line := range lines {
		if last += line; strings.Contains(line, "0x7 lost it: its session expired; then 0x8 got it\n") {
			break
		}
	}
	leader.HangUp() // it reconnects, and nothing is reported twice
	leader.Happen(wire.Txn{Session: 8, Cxid: 2, Zxid: 13, Op: wire.OpDelete, Path: second})
	for line := range lines {
		if last += line; strings.Contains(line, "0x8 lost it: it let go") {
			interrupt(stopped{syscall.SIGINT})
		}
	}
	if got := <-code; got != 130 || !strings.Contains(errs.String(), "interrupted") || strings.Count(last, "0x7") > 1 {
		t.Errorf("%d, %s%s", got, errs.String(), last)
	}
}

// TestAwaitJoin prints progress while the tree arrives, and gives up after stallTimeout without any.
func TestAwaitJoin(t *testing.T) {
	const coming = "viz-server: still reading: 2 znodes so far\n"
	tree := oneLock.Append(nil)
	const half = 230 // bytes of it
	for name, c := range map[string]struct {
		rest   time.Duration // when the rest of the tree arrives
		wants  time.Duration // how long until the user interrupts
		waits  time.Duration
		joined bool
		says   string
	}{
		"at once": {0, time.Hour, 0, true, ""},
		"slowly":  {5 * time.Second, time.Hour, 5 * time.Second, true, coming},
		"not to the end": {time.Hour, 2 * time.Hour, 24 * time.Second, false, coming + "viz-server: couldn't join the " +
			"ensemble within 20s: zkviz reads its znodes instead\n"},
		"interrupted": {time.Hour, 3 * time.Second, 3 * time.Second, false, coming},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				here, there := net.Pipe()
				ctx, stop := context.WithCancel(t.Context())
				j := membership{done: make(chan error, 1), cancel: stop,
					progress: &joinProgress{report: func(slog.Level, string, string) {}}}
				j.feed = feed.New(feed.Config{Servers: []string{"a:1"}, Silence: 3 * time.Hour,
					Dial: func(context.Context, string) (net.Conn, error) { return here, nil }})
				go func() { j.done <- j.feed.Run(ctx) }()
				go func() { _, _ = io.Copy(io.Discard, there) }()
				go func() {
					hello := learnertest.AppendPacket(nil, 17, 0, []byte{0, 1, 0, 0})
					hello = append(learnertest.AppendPacket(hello, 15, 9, nil), tree[:half]...)
					_, _ = there.Write(hello)
					time.Sleep(c.rest)
					_, _ = there.Write(append(tree[half:], "\x00\x00\x00\x0aBenWasHere"...))
					_, _ = there.Write(learnertest.AppendPacket(nil, 12, -1, nil))
				}()
				user, done := context.WithTimeout(t.Context(), c.wants)
				defer done()
				var errs bytes.Buffer
				from := time.Now()
				err := (&locksCmd{}).awaitJoin(&terminal{ctx: user, err: &errs}, j)
				if took := time.Since(from); errs.String() != c.says || took != c.waits || (err != nil) != (c.wants == took) ||
					j.feed.Joined() != c.joined {
					t.Errorf("%v after %v: it says\n%s", err, took, errs.String())
				}
				j.leave()
				_ = there.Close()
				time.Sleep(2 * time.Hour)
			})
		})
	}
}
