package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event"
	named "github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/testing/redistest"
)

// TestRealRedis runs a recipe on a real Redis from a page, with a fault on a client. The server refuses recipes on
// systems that it doesn't have, and no page shows the password.
func TestRealRedis(t *testing.T) {
	t.Parallel()
	redis := redistest.Start(t, "--requirepass", "open-sesame")
	on := named.Elsewhere{}
	unset := func(string) string { return "" }
	if err := on.Add(event.RedisSystem, "redis://:open-sesame@"+redis.Addr(), unset); err != nil {
		t.Fatal(err)
	}
	srv := webtest.Serve(t, web.Config{Elsewhere: on})
	runner := webtest.Dial(t, srv)
	runner.Send(`{"do":"open","query":"recipe=redis-watchdog&clients=2&hold=2s&session-timeout=3s","host":"live"}`)
	run := runner.Until(webtest.OfKind("run"))
	if !strings.HasPrefix(run.Header.Root, "/zkviz/run-") || run.Header.Host != string(event.Cluster) {
		t.Errorf("it is a run of %s at %s", run.Header.Host, run.Header.Root)
	}
	runner.Send(`{"do":"fault","fault":"stall client-1 at 0s for 300ms"}`)
	runner.Send(`{"do":"fault","fault":"restart node-1 at 0s for 1s"}`)
	if e := runner.Until(webtest.OfKind("error")); !strings.Contains(e.Text, "not ours") {
		t.Errorf("restarting somebody's Redis: %+v", e)
	}
	end := runner.Until(func(s webtest.Message) bool { return s.Say == "branch" && s.Ended }).Row
	seen := map[event.Kind]int{}
	for _, e := range runner.Full(end) {
		seen[e.Kind]++
		if e.Kind == event.RunEnded && e.Reason != event.EndAllDone {
			t.Errorf("it ended because of %v", e.Reason)
		}
	}
	for _, kind := range []event.Kind{event.EntrySet, event.EntryExpires, event.EntryGone, event.ProcessMoves} {
		if seen[kind] == 0 {
			t.Errorf("there is no %v", kind)
		}
	}
	for query, want := range map[string]string{
		`"recipe=predecessor-lock"`: "--zk", `"recipe=redlock"`: "5 nodes, not 1",
	} {
		runner.Send(`{"do":"open","query":` + query + `,"host":"live"}`)
		if e := runner.Until(webtest.OfKind("error")); !strings.Contains(e.Text, want) {
			t.Errorf("%s: %+v, want %q", query, e, want)
		}
	}
	runner.Send(`{"do":"observe","path":"/"}`)
	if e := runner.Until(webtest.OfKind("error")); !strings.Contains(e.Text, "without a ZooKeeper") {
		t.Errorf("observing: %+v", e)
	}
	for path, want := range map[string]string{
		"/lab?recipe=redis-watchdog":   "the real system at " + redis.Addr(),
		"/lab?recipe=redlock":          "on a real Redis",
		"/lab?recipe=predecessor-lock": "To run on a real ZooKeeper",
		"/live":                        "",
	} {
		_, _, body := webtest.Ask(t, srv.Client(), http.MethodGet, srv.URL+path, "")
		if !strings.Contains(body, want) || strings.Contains(body, "sesame") {
			t.Errorf("%s does not say %q, or says too much", path, want)
		}
	}
}
