package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	real "github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

// namedZooKeeper starts a ZooKeeper with a znode, to be chosen by its name.
func namedZooKeeper(t *testing.T, name, znode string) web.Named {
	t.Helper()
	s, err := embed.Listen(embed.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // it keeps nothing
	addr := s.Addr().String()
	conn, _, err := zk.Connect([]string{addr}, time.Minute, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Create(znode, nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	return web.Named{Name: name, On: real.Cluster{Servers: []string{addr}}}
}

// TestNamedClusters checks that clusters are chosen by name, each with its own rooms, and that other names are refused.
func TestNamedClusters(t *testing.T) {
	a, b := namedZooKeeper(t, "night", "/owl"), namedZooKeeper(t, "day", "/lark")
	srv := serve(t, web.Config{Named: []web.Named{a, b}})
	status, _, body := get(t, srv.URL+"/live")
	if status != http.StatusOK || !strings.Contains(body, ">night</option>") || !strings.Contains(body, ">day</option>") ||
		strings.Contains(body, a.On.Servers[0]) || strings.Contains(body, b.On.Servers[0]) {
		t.Errorf("%d: the page does not offer the names alone: %s", status, body)
	}
	if _, _, body := get(t, srv.URL+"/live?cluster=day&path=/"); !strings.Contains(body, "cluster=day") ||
		!strings.Contains(body, "<h1>day</h1>") {
		t.Error("the page does not show the one that is asked for")
	}
	for _, name := range []string{"dusk", b.On.Servers[0], "%3Cscript%3E"} {
		status, _, body := get(t, srv.URL+"/live?path=/&cluster="+name)
		if status != http.StatusBadRequest || !strings.Contains(body, "here is no cluster called") ||
			strings.Contains(body, "<script>\"") {
			t.Errorf("%s: %d", name, status)
		}
	}
	c := dial(t, srv)
	for _, ask := range []struct{ message, want string }{
		{`{"do":"observe","path":"/","cluster":"night"}`, "/owl"},
		{`{"do":"observe","path":"/","cluster":"day"}`, "/lark"},
		{`{"do":"observe","path":"/","cluster":"night"}`, "/owl"},
	} {
		c.send(ask.message)
		c.until(says("run"))
		within := func(path string) bool {
			for _, log := range c.logs {
				for _, e := range log {
					if e.Path == path {
						return true
					}
				}
			}
			return false
		}
		for !within(ask.want) {
			c.next()
		}
		if other := map[string]string{"/owl": "/lark", "/lark": "/owl"}[ask.want]; within(other) {
			t.Errorf("%s shows %s", ask.message, other)
		}
	}
	c.send(`{"do":"observe","path":"/","cluster":"` + a.On.Servers[0] + `"}`)
	if e := c.until(says("error")); !strings.Contains(e.Text, "no cluster called") {
		t.Errorf("an address: %+v", e)
	}
	c.send(`{"do":"observe","path":"/"}`)
	if e := c.until(says("error")); !strings.Contains(e.Text, "--zk") {
		t.Errorf("without a name: %+v", e)
	}
}
