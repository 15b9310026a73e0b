package web_test

import (
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

// TestRealZooKeeper runs a recipe on a real server while another page watches the tree, and then takes the
// server away for a while.
func TestRealZooKeeper(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	t.Parallel()
	zk := zktest.Start(t)
	srv := webtest.Serve(t, web.Config{ZK: []string{zk.Addr}, ZKPath: "/zkviz"})
	watcher := webtest.Dial(t, srv)
	watcher.Send(`{"do":"observe","path":"/zkviz"}`)
	watcher.Until(webtest.OfKind("run"))

	runner := webtest.Dial(t, srv)
	run, holds := webtest.Message{}, 0
	for try := 0; try < 5 && holds != 2; try++ { // again if the machine stood still until a session was over
		runner.Send(`{"do":"open","query":"recipe=predecessor-lock&clients=2&hold=500ms","host":"live"}`)
		run, holds = runner.Until(webtest.OfKind("run")), 0
		if !strings.HasPrefix(run.Header.Root, "/zkviz/") {
			t.Errorf("it works at %s", run.Header.Root)
		}
		end := runner.Until(func(s webtest.Message) bool { return s.Say == "branch" && s.Ended }).Row
		for _, e := range runner.Full(end) {
			if e.Kind == event.RecipePhase && e.Text == "holding" {
				holds++
			}
		}
	}
	if holds != 2 {
		t.Errorf("the lock was held %d times, want 2", holds)
	}

	// The other page saw the clients' znodes come, and the run's own go.
	seen := func(kind event.Kind, under string) bool {
		for _, e := range watcher.Logs[0] {
			if e.Kind == kind && strings.HasPrefix(e.Path, under) {
				return true
			}
		}
		return false
	}
	for !seen(event.ZnodeCreated, run.Header.Root+"/lock-") || !seen(event.ZnodeDeleted, run.Header.Root) {
		watcher.Next()
	}
	zk.Kill()
	lost := func(s webtest.Message) bool { return s.Say == "link" && !s.OK }
	if link := watcher.Until(lost); !strings.Contains(link.Text, zk.Addr) {
		t.Errorf("without the server the page is told %+v", link)
	}
	zk.Start()
	watcher.Until(func(s webtest.Message) bool { return s.Say == "link" && s.OK })
}
