package main

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/port"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

// mortalTimeout is the timeout of a mortal client's session: long enough for a busy machine.
const mortalTimeout = 8 * time.Second

// mortal connects a client that die cuts off for ever, so that its session expires.
func mortal(t *testing.T, addr string) (conn *zk.Conn, die func()) {
	t.Helper()
	var dead atomic.Bool
	var last atomic.Pointer[net.Conn]
	conn, _, err := zk.Connect([]string{addr}, mortalTimeout, zk.WithLogInfo(false),
		zk.WithDialer(func(network, addr string, timeout time.Duration) (net.Conn, error) {
			if dead.Load() {
				return nil, errors.New("cut off")
			}
			c, err := net.DialTimeout(network, addr, timeout)
			if err == nil {
				last.Store(&c)
			}
			return c, err
		}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn, func() { dead.Store(true); _ = (*last.Load()).Close() }
}

// TestMetricsJoined checks that an observer of an ensemble counts sessions of holders that expire, hand-overs, and
// changes of leader.
func TestMetricsJoined(t *testing.T) {
	t.Parallel()
	e, conn := startServers(t, 1, apache.Config{Tick: zktest.Tick, Settings: []string{"standaloneEnabled=false"}})
	acl := zk.WorldACL(zk.PermAll)
	if _, err := conn.Create("/l", nil, 0, acl); err != nil {
		t.Fatal(err)
	}
	metrics := port.Addr(t)
	_, stop := served(t, "--zk", e.ConnectString(), "--read-only", "--observe-ensemble", strings.Join(e.Quorum(), ","),
		"--metrics-addr", metrics)
	has := func(sample string) func() bool {
		return func() bool {
			resp, err := http.Get("http://" + metrics + "/metrics")
			if err != nil {
				return false
			}
			defer resp.Body.Close()
			text, err := io.ReadAll(resp.Body)
			return err == nil && strings.Contains(string(text), "\n"+sample+"\n")
		}
	}
	const of = `{cluster="",path="/",use="lock"} `
	waitFor(t, "the locks to be seen", has(`zkviz_locks_seen{cluster=""} 1`))
	first, die := mortal(t, e.Servers[0].Addr)
	if _, err := first.Create("/l/lock-", nil, zk.FlagEphemeral|zk.FlagSequence, acl); err != nil {
		t.Fatal(err)
	}
	die()
	if _, err := conn.Create("/l/lock-", nil, zk.FlagEphemeral|zk.FlagSequence, acl); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the expiry", has("zkviz_locks_expiries_total"+of+"1"))
	waitFor(t, "the next holder", has("zkviz_locks_held"+of+"1"))
	waitFor(t, "the hand-overs", has("zkviz_locks_handovers_total"+of+"2"))
	waitFor(t, "the quorum", has(`zkviz_ensemble_quorum{cluster=""} 1`))
	waitFor(t, "the only leader so far", has(`zkviz_ensemble_leader_changes_total{cluster=""} 0`))
	e.Servers[0].Kill()
	waitFor(t, "no server", has(`zkviz_ensemble_servers_away{cluster=""} 1`))
	if err := e.Servers[0].Again(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the next leader", has(`zkviz_ensemble_leader_changes_total{cluster=""} 1`))
	if code, log := stop(); code != exitOK {
		t.Errorf("exit code %d; it logs\n%s", code, log)
	}
}
