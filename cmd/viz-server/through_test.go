package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/taps"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestThrough lets three clients queue, two of them through a tap. The first one leaves, which its successor is told.
// The list of locks, as text, as JSON and as a page, says whom the tap sees and what they were told.
func TestThrough(t *testing.T) {
	zk, err := embed.Listen(embed.Config{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = zk.Close() })
	x := startTapOf(t, zk.Addr().String(), "--every", "1m", "--addr", "127.0.0.1:0")
	through := x.errs.until(t, `connect to (127\.0\.0\.1:\d+) reach`)
	page := x.errs.until(t, `The page: (http://\S+)`)
	dial := func(addr string) *peer.Peer {
		p, err := peer.Dial(addr, wire.ConnectRequest{TimeoutMS: 30_000, Password: make([]byte, 16)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Abort)
		return p
	}
	first, second, direct := dial(through), dial(through), dial(zk.Addr().String())
	xid := int32(0)
	do := func(p *peer.Peer, r wire.Request) wire.Response {
		t.Helper()
		xid++
		r.Xid = xid
		a, _, err := p.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	do(first, wire.Request{Op: wire.OpCreate, Path: "/app", ACL: zoo.OpenACL()})
	do(first, wire.Request{Op: wire.OpCreate, Path: "/app/lock", ACL: zoo.OpenACL()})
	come := wire.Request{Op: wire.OpCreate, Path: "/app/lock/_c_0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f-lock-",
		ACL: zoo.OpenACL(), Flags: int32(zoo.EphemeralSequential)}
	held := do(first, come)
	do(second, come)
	do(direct, come)
	do(second, wire.Request{Op: wire.OpGetData, Path: held.Path, Watch: true})
	do(first, wire.Request{Op: wire.OpDelete, Path: held.Path, Version: -1})
	if m, err := second.Recv(); err != nil || m.Notification.Path != held.Path {
		t.Fatalf("the successor is told %+v, %v", m, err)
	}
	for !strings.Contains(fetched(t, page+"tap.json"), `"told"`) { // what passes is counted a moment later
	}
	list := func(args ...string) string {
		var out, errs bytes.Buffer
		args = append([]string{"locks", "--zk", zk.Addr().String() + "/app"}, args...)
		if code := execute(args, &terminal{ctx: t.Context(), out: &out, err: &errs}); code != exitOK {
			t.Errorf("locks ends with %d: %s", code, errs.String())
		}
		return out.String() + errs.String()
	}
	remote, err := taps.NewRemote(page)
	if err != nil {
		t.Fatal(err)
	}
	live := webtest.Serve(t, web.Config{ZK: []string{zk.Addr().String()}, ReadOnly: true, Through: remote})
	read := ""
	for !strings.Contains(read, "through the tap:") {
		_, _, read = webtest.Get(t, live.URL+"/live/locks?path=/app/lock")
	}
	for name, text := range map[string]string{"text": list("/lock", "--tap", page), "page": read} {
		for _, want := range []string{"through the tap: ", "the last change there woke 1", "1 of 2 clients named here comes",
			"told NodeDeleted /app/lock/"} {
			if !strings.Contains(text, want) {
				t.Errorf("the %s lacks %q: %s", name, want, text)
			}
		}
	}
	if !strings.Contains(read, "not through the tap") {
		t.Errorf("the page doesn't say whom the tap doesn't see: %s", read)
	}
	if text := list("/lock", "--json", "--tap", page); !strings.Contains(text, `"through":1,"named":2,"unseen":["0x`) {
		t.Errorf("the object is %s", text)
	}
	if text := list("/lock", "--tap", strings.TrimSuffix(page, "/")+"/zoo"); !strings.Contains(text,
		"no tap of viz-server answers there (status 404)") {
		t.Errorf("where no tap answers it says %s", text)
	}
}
