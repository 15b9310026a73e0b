package web_test

import (
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
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
	srv := serve(t, web.Config{ZK: []string{zk.Addr}, ZKPath: "/zkviz"})
	watcher := dial(t, srv)
	watcher.send(`{"do":"observe","path":"/zkviz"}`)
	watcher.until(says("run"))

	runner := dial(t, srv)
	run, holds := said{}, 0
	for try := 0; try < 5 && holds != 2; try++ { // again if the machine stood still until a session was over
		runner.send(`{"do":"open","query":"recipe=predecessor-lock&clients=2&hold=500ms","host":"live"}`)
		run, holds = runner.until(says("run")), 0
		if !strings.HasPrefix(run.Header.Root, "/zkviz/") {
			t.Errorf("it works at %s", run.Header.Root)
		}
		end := runner.until(func(s said) bool { return s.Say == "branch" && s.Ended }).row
		for _, e := range runner.full(end) {
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
		for _, e := range watcher.logs[0] {
			if e.Kind == kind && strings.HasPrefix(e.Path, under) {
				return true
			}
		}
		return false
	}
	for !seen(event.ZnodeCreated, run.Header.Root+"/lock-") || !seen(event.ZnodeDeleted, run.Header.Root) {
		watcher.next()
	}
	zk.Kill()
	if link := watcher.until(func(s said) bool { return s.Say == "link" && !s.OK }); !strings.Contains(link.Text,
		zk.Addr) {
		t.Errorf("without the server the page is told %+v", link)
	}
	zk.Start()
	watcher.until(func(s said) bool { return s.Say == "link" && s.OK })
}
