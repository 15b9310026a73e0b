package main

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/testing/natstest"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

// TestLiveOverServers has pages at several servers look at a real ZooKeeper. The server that observes is killed, and
// the next one is paused: pages elsewhere go on in the same log.
func TestLiveOverServers(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for leases to expire")
	}
	n, ensemble, root := natstest.Start(t), zktest.Shared(t), zktest.Root(t)
	conn, _, err := zk.Connect([]string{ensemble.Addr}, zktest.MaxSession, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	create := func(name string) {
		t.Helper()
		if _, err := conn.Create(root+name, nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
			t.Fatal(err)
		}
	}
	create("")
	serve := func() started {
		s := startServer(t, "--nats", n.URL(), "--zk", ensemble.Addr)
		s.linked(t)
		return s
	}
	a, b := serve(), serve()
	first := look(t, a, root)
	create("/one")
	first.sees("one")
	second := look(t, b, root)
	second.sees("one")
	first.same(second)

	a.signal(t, syscall.SIGKILL)
	create("/two")
	second.sees("two")
	c := serve()
	third := look(t, c, root)
	third.sees("two")

	b.signal(t, syscall.SIGSTOP)
	create("/three")
	third.sees("three")
	b.signal(t, syscall.SIGCONT)
	second.sees("three")
	second.same(third)
	for _, name := range []string{"one", "two", "three"} {
		if got := third.count(name); got != 1 {
			t.Errorf("%s appears %d times", name, got)
		}
	}
	if got := third.gaps(); got != 2 {
		t.Errorf("the observer was gone %d times", got)
	}
}

// viewer is a page that looks at a part of a tree.
type viewer struct {
	*webtest.Client
	t    *testing.T
	root string
	run  string
}

func look(t *testing.T, s started, root string) *viewer {
	t.Helper()
	v := &viewer{webtest.Dial(t, s.Server), t, root, ""}
	v.Send(fmt.Sprintf(`{"do":"observe","path":%q}`, root))
	v.run = v.Until(webtest.OfKind("run")).Run
	return v
}

func (v *viewer) log() []event.Event { return v.Logs[0] }

// count returns how often a znode appears. What only tells more of one that has appeared has no zxid.
func (v *viewer) count(name string) (n int) {
	for _, e := range v.log() {
		if (e.Kind == event.ZnodeCreated || e.Kind == event.ZnodeFound) && e.Zxid > 0 && e.Path == v.root+"/"+name {
			n++
		}
	}
	return n
}

// gaps returns how often nobody observed.
func (v *viewer) gaps() (n int) {
	for _, e := range v.log() {
		if e.Kind == event.Disconnected && strings.Contains(e.Text, "zkviz") {
			n++
		}
	}
	return n
}

// sees waits until a znode is there. The log may not begin anew.
func (v *viewer) sees(name string) {
	v.t.Helper()
	for v.count(name) == 0 {
		if m := v.Next(); m.Say == "run" && m.Run != v.run {
			v.t.Fatalf("while it waits for %s, the log %s begins anew as %s", name, v.run, m.Run)
		}
	}
}

// same checks that two pages have the same events, as far as both have got.
func (v *viewer) same(o *viewer) {
	v.t.Helper()
	a, b := v.log(), o.log()
	most := min(len(a), len(b))
	if !slices.Equal(a[:most], b[:most]) {
		v.t.Errorf("one page has\n%+v\nand another one\n%+v", a, b)
	}
}
