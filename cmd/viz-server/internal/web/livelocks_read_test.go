package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
)

// TestLiveLocksRead has a lock in a ZooKeeper that is only read, and one come later.
func TestLiveLocksRead(t *testing.T) {
	night := namedZooKeeper(t, "night", "/app")
	srv := serve(t, web.Config{Named: []web.Named{night}})
	conn, _, err := zk.Connect(night.On.Servers, time.Minute, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	create := func(path string) {
		const flags = zk.FlagEphemeral | zk.FlagSequence
		if _, err := conn.Create(path, []byte("host-1"), flags, zk.WorldACL(zk.PermAll)); err != nil {
			t.Fatal(err)
		}
	}
	page := func(query string) string {
		_, _, body := get(t, srv.URL+"/live/locks?cluster=night&path=/app"+query)
		return body
	}
	until := func(query string, all ...string) {
		t.Helper()
		for body := ""; len(all) > 0; {
			if body = page(query); strings.Contains(body, all[0]) {
				all = all[1:]
			}
			if t.Context().Err() != nil {
				t.Fatal(body)
			}
		}
	}
	until("", "0 of 0 shown")
	create("/app/lock-")
	create("/app/lock-")
	until("", `data-path="/app"`, "a lock, by the names of the ZooKeeper recipes", "host-1", "0x", "the first for")
	if body := page("&kind=queue"); !strings.Contains(body, "0 of 1 shown") {
		t.Error("the filter leaves what is not asked for")
	}
	_, _, body := get(t, srv.URL+"/live?cluster=night")
	if !strings.Contains(body, "/live/locks?path=%2F&amp;cluster=night") {
		t.Error("the page Live does not lead to the locks")
	}
	for query, want := range map[string]int{"?cluster=dusk": 400, "?path=app": 400, "?path=/a//b": 400} {
		if status, _, _ := get(t, srv.URL+"/live/locks"+query); status != want {
			t.Errorf("%s: %d, want %d", query, status, want)
		}
	}
	off := serve(t, web.Config{})
	if status, _, body := get(t, off.URL+"/live/locks"); status != http.StatusOK ||
		!strings.Contains(body, `data-page="live-form"`) {
		t.Errorf("without a ZooKeeper the page Live does not say what to do: %d", status)
	}
}
