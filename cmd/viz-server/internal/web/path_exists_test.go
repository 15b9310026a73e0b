package web_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

// TestPathExists serves with a path that somebody else has made. A run there fails with advice, while a subtree can be
// watched.
func TestPathExists(t *testing.T) {
	t.Parallel()
	cluster, err := embed.Listen(embed.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	addr := cluster.Addr().String()
	conn, _, err := zk.Connect([]string{addr}, time.Minute, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Create("/jobs", []byte("theirs"), 0, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	srv := webtest.Serve(t, web.Config{ZK: []string{addr}, ZKPath: "/jobs"})
	c := webtest.Dial(t, srv)
	c.Send(openLive)
	link := c.Until(func(s webtest.Message) bool { return s.Say == "link" && s.Failed })
	if !strings.Contains(link.Text,
		"/jobs exists and was not made by zkviz; name another --zk-path, or add --zk-path-exists") {
		t.Errorf("the page is told %q", link.Text)
	}
	watcher := webtest.Dial(t, srv)
	watcher.Send(`{"do":"observe","path":"/jobs"}`)
	for isJobs := func(e event.Event) bool { return e.Path == "/jobs" }; !slices.ContainsFunc(watcher.Logs[0], isJobs); {
		watcher.Next()
	}

	c = webtest.Dial(t, webtest.Serve(t, web.Config{ZK: []string{addr}, ZKPath: "/jobs", ZKPathExists: true}))
	c.Send(openLive)
	c.Until(func(s webtest.Message) bool {
		if s.Failed {
			t.Fatalf("where it is allowed, the page is told %q", s.Text)
		}
		return s.Say == "branch" && s.Ended
	})
}
