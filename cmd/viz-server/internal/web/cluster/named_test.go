package cluster_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
)

// TestNamedClusters checks that clusters are chosen by name, each with its own rooms, and that other names are refused.
func TestNamedClusters(t *testing.T) {
	a, b := webtest.NamedZooKeeper(t, "night", "/owl"), webtest.NamedZooKeeper(t, "day", "/lark")
	srv := webtest.Serve(t, web.Config{Named: []web.Named{a, b}})
	status, _, body := webtest.Get(t, srv.URL+"/live")
	if status != http.StatusOK || !strings.Contains(body, ">night</option>") || !strings.Contains(body, ">day</option>") ||
		strings.Contains(body, a.On.Servers[0]) || strings.Contains(body, b.On.Servers[0]) {
		t.Errorf("%d: the page does not offer the names alone: %s", status, body)
	}
	if _, _, body := webtest.Get(t, srv.URL+"/live?cluster=day&path=/"); !strings.Contains(body, "cluster=day") ||
		!strings.Contains(body, "<h1>day</h1>") {
		t.Error("the page does not show the one that is asked for")
	}
	for _, name := range []string{"dusk", b.On.Servers[0], "%3Cscript%3E"} {
		status, _, body := webtest.Get(t, srv.URL+"/live?path=/&cluster="+name)
		if status != http.StatusBadRequest || !strings.Contains(body, "here is no cluster called") ||
			strings.Contains(body, "<script>\"") {
			t.Errorf("%s: %d", name, status)
		}
	}
	c := webtest.Dial(t, srv)
	for _, ask := range []struct{ message, want string }{
		{`{"do":"observe","path":"/","cluster":"night"}`, "/owl"},
		{`{"do":"observe","path":"/","cluster":"day"}`, "/lark"},
		{`{"do":"observe","path":"/","cluster":"night"}`, "/owl"},
	} {
		c.Send(ask.message)
		c.Until(webtest.OfKind("run"))
		within := func(path string) bool {
			for _, log := range c.Logs {
				for _, e := range log {
					if e.Path == path {
						return true
					}
				}
			}
			return false
		}
		for !within(ask.want) {
			c.Next()
		}
		if other := map[string]string{"/owl": "/lark", "/lark": "/owl"}[ask.want]; within(other) {
			t.Errorf("%s shows %s", ask.message, other)
		}
	}
	c.Send(`{"do":"observe","path":"/","cluster":"` + a.On.Servers[0] + `"}`)
	if e := c.Until(webtest.OfKind("error")); !strings.Contains(e.Text, "no cluster called") {
		t.Errorf("an address: %+v", e)
	}
	c.Send(`{"do":"observe","path":"/"}`)
	if e := c.Until(webtest.OfKind("error")); !strings.Contains(e.Text, "--zk") {
		t.Errorf("without a name: %+v", e)
	}
}
