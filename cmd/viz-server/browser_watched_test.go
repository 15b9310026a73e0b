package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/taps"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/event"
	eventzoo "github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/ensemble"
	"github.com/zkviz/zkviz/engine/observe/inquiry"
	"github.com/zkviz/zkviz/engine/observe/record"
	"github.com/zkviz/zkviz/engine/observe/sessions"
	"github.com/zkviz/zkviz/engine/observe/tap"
	"github.com/zkviz/zkviz/engine/testing/indextest"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// oddLocks are paths of locks whose names are hostile, or too long for a line.
var oddLocks = []string{"/app/" + markup, "/app/" + strings.Repeat("long", 50),
	"/app/\u202egnihton\u2066\u200b\u0301\u0301<s>"}

// watchedPages serves a ZooKeeper whose clients connect through a tap, beside transaction logs and a recording. All
// have locks with odd names. It returns the address of a page of each kind about them.
func watchedPages(t *testing.T, b *browser) (all []string) {
	t.Helper()
	server, direct := inside(t)
	addr := []string{server}
	x, err := tap.Listen(tap.Config{Listen: "127.0.0.1:0", Servers: addr})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- x.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	queueThrough(t, x, direct)
	folder, name := oddRecording(t)
	at := b.serve(t, web.Config{Tap: x, Past: indextest.Night(t, oddNight()...), Record: folder})
	remote, err := taps.NewRemote(at)
	if err != nil {
		t.Fatal(err)
	}
	live := b.serve(t, web.Config{ZK: addr, ReadOnly: true, Sessions: sessions.New(sessions.Config{Servers: addr}),
		Ensemble: ensemble.New(inquiry.Servers(addr, access.Dialer{}, nil), access.Dialer{}, 0), Through: remote})
	lock := "?path=" + url.QueryEscape(oddLocks[0])
	for _, path := range []string{"/", "/tap?by=client&span=all", "/zoo", "/past" + lock + "&hands=1",
		"/past/holders" + lock, "/past/holders?path=/app/lock",
		"/live/records", "/live/records/" + name, "/live/records/" + name + "/hour" + lock} {
		all = append(all, strings.TrimSuffix(at, "/")+path)
	}
	for _, path := range []string{"/live/locks?path=/app&herds=on", "/live/locks/hour" + lock, "/live" + lock} {
		all = append(all, strings.TrimSuffix(live, "/")+path)
	}
	return all
}

// queueThrough lets two clients queue for each odd lock, through a tap and directly, and makes a herd and an error.
func queueThrough(t *testing.T, x *tap.Tap, direct *zk.Conn) {
	t.Helper()
	conn, _, err := zk.Connect([]string{x.Addr().String()}, time.Minute, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	other, _, err := zk.Connect([]string{x.Addr().String()}, time.Minute, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.Close)
	create := func(c *zk.Conn, path string, flags int32) {
		t.Helper()
		if _, err := c.Create(path, []byte(markup+strings.Repeat("long", 50)), flags, zk.WorldACL(zk.PermAll)); err != nil {
			t.Fatalf("create %q: %v", path, err)
		}
	}
	create(conn, "/app", 0)
	for _, lock := range oddLocks {
		create(conn, lock, 0)
		for _, c := range []*zk.Conn{conn, other, direct} {
			create(c, lock+"/lock-", zk.FlagEphemeral|zk.FlagSequence)
		}
		for _, c := range []*zk.Conn{conn, other} {
			if _, _, _, err := c.GetW(lock); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := conn.Set(lock, []byte(markup), -1); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Set(lock, nil, 99); err == nil {
			t.Fatal("a wrong version was set")
		}
	}
}

// oddNight returns transactions of the first odd lock: it changes hands by a release and by an expired session.
func oddNight() []wire.Txn {
	lock := oddLocks[0]
	create := func(name string, session int64) wire.Txn {
		return wire.Txn{Session: session, Cxid: 1, Op: wire.OpCreate, Path: lock + "/" + name, ACL: eventzoo.OpenACL(),
			Ephemeral: true, Data: []byte(markup)}
	}
	return []wire.Txn{create("lock-0000000000", 7), create("lock-0000000001", 8),
		{Session: 7, Cxid: 2, Op: wire.OpDelete, Path: lock + "/lock-0000000000"},
		{Session: 8, Op: wire.OpCloseSession, Paths: []string{lock + "/lock-0000000001"}}}
}

// oddRecording records how the first odd lock changes hands, some of them by expired sessions.
func oddRecording(t *testing.T) (folder *record.Folder, name string) {
	t.Helper()
	const began = 1_790_000_000_000
	cfg := record.Config{Dir: t.TempDir(), Max: record.MinBytes}
	folder, err := record.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	lock := oddLocks[0]
	all := []event.Event{{Kind: event.RunStarted, Path: "/", N: began}}
	for i := range 12 {
		who, at := event.Actor(i%8+1), time.Duration(i)*4*time.Minute
		znode := fmt.Sprintf("%s/lock-%010d", lock, i)
		why := event.ByOp
		if i%3 == 0 {
			why = event.BySessionExpired
		}
		all = append(all,
			event.Event{Kind: event.ZnodeCreated, Path: znode, Session: int64(who), Peer: who, At: at, Text: markup},
			event.Event{Kind: event.ZnodeDeleted, Path: znode, Peer: who, At: at + 3*time.Minute, Reason: why})
	}
	err = folder.Recorded("", event.Header{Host: event.Joined, Root: "/"},
		func(_ context.Context, sink event.Sink) error {
			for i, e := range all {
				e.Seq, e.Zxid = event.Seq(i+1), int64(i)
				sink.Append(e)
			}
			return nil
		})(t.Context(), &event.Log{})
	if err = errors.Join(err, folder.Close()); err != nil { // then all of it is on the disk
		t.Fatal(err)
	}
	if folder, err = record.Open(cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.Close() }) // after the server
	return folder, folder.List()[0].Name
}

// looksWell checks that a page has a heading, fits a wide window and a phone, and took no name for markup.
func (v *visitor) looksWell(address string) {
	v.t.Helper()
	v.open(address)
	if v.count("#stage") > 0 {
		v.wait("stage", "ready")
	}
	if v.text("h1") == "" {
		v.t.Errorf("%s has no heading", address)
	}
	u, err := url.Parse(address)
	if err != nil {
		v.t.Fatal(err)
	}
	for name, w := range map[string]window{"wide": desktop, "phone": upright} {
		v.resize(w)
		if over := v.integer("document.documentElement.scrollWidth - innerWidth"); over > 0 {
			v.t.Errorf("%s: %s is %d px wider than the window", name, address, over)
		}
		v.shoot("watched/" + name + strings.ReplaceAll(u.Path, "/", "-"))
	}
	if got := v.says("window.hacked || document.querySelector('img[src=x], main s')"); got != "null" {
		v.t.Errorf("%s took a name for markup: %s", address, got)
	}
}
