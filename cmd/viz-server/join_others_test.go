package main

import (
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/natstest"
	"github.com/zkviz/zkviz/engine/testing/port"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

// TestOneJoinsForAll starts two servers with the same NATS and ensemble: one joins, as its metrics and the leader say.
// When it is killed, the other joins, and shows what was created meanwhile.
func TestOneJoinsForAll(t *testing.T) {
	t.Parallel()
	e, conn := startServers(t, 1, apache.Config{Tick: zktest.Tick, Settings: []string{"standaloneEnabled=false"}})
	n := natstest.Start(t)
	create := func(path string) {
		t.Helper()
		acl := zk.WorldACL(zk.PermAll)
		_, err := conn.Create(path, nil, 0, acl)
		if err == nil {
			_, err = conn.Create(path+"/lock-0000000000", nil, zk.FlagEphemeral, acl)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	create("/before")
	type one struct {
		started
		operator string
	}
	serve := func() one {
		operator := port.Addr(t)
		return one{startServer(t, "--nats", n.URL(), "--zk", e.ConnectString(), "--observe-ensemble",
			strings.Join(e.Quorum(), ","), "--metrics-addr", operator), operator}
	}
	says := func(s one, at, text string) bool {
		resp, err := http.Get("http://" + s.operator + at)
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		return err == nil && strings.Contains(string(body), text)
	}
	until := func(what string, is func() bool) {
		t.Helper()
		for late := time.After(2 * time.Minute); !is(); {
			select {
			case <-late:
				t.Fatalf("it doesn't come: %s", what)
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	joins := func(s one) bool {
		return says(s, "/metrics", `zkviz_ensemble_joined{cluster=""} 1`) && says(s, "/healthz", "this server is the observer")
	}
	standsBy := func(s one) bool {
		return says(s, "/metrics", `zkviz_ensemble_stands_by{cluster=""} 1`) && says(s, "/healthz", "stands by: another")
	}
	shows := func(s one, path string) func(int, string) bool {
		return func(_ int, body string) bool {
			return strings.Contains(body, path) && strings.Contains(body, "/before")
		}
	}
	a, b := serve(), serve()
	until("one joins", func() bool { return joins(a) && standsBy(b) || joins(b) && standsBy(a) })
	if joins(b) {
		a, b = b, a
	}
	until("one observer", func() bool { return strings.Contains(e.Servers[0].Word("mntr"), "zk_synced_observers\t1\n") })
	create("/during")
	b.get(t, "/live/locks", shows(b, "/during"))
	a.signal(t, syscall.SIGKILL)
	create("/after")
	until("the other joins", func() bool { return joins(b) })
	b.get(t, "/live/locks", shows(b, "/after"))
	until("one observer", func() bool { return strings.Contains(e.Servers[0].Word("mntr"), "zk_synced_observers\t1\n") })
}
