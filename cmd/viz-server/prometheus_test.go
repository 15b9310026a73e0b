package main

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/testing/port"
	"github.com/zkviz/zkviz/engine/testing/promtest"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

// posted is what the test's webhook receives.
type posted struct{ ID, Time, State, Cluster, Path, Kind, Text string }

// receive starts a webhook and returns its address.
func receive(t *testing.T) (address string, got chan posted) {
	t.Helper()
	got = make(chan posted, 100)
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var p posted
		if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
			t.Error(err)
		}
		got <- p
	}))
	t.Cleanup(srv.Close)
	return srv.URL, got
}

// blocked puts a znode without a session in front of a client that waits for the lock /l below root. That's a trouble
// after a while. It returns the znode's path.
func blocked(t *testing.T, conn *zk.Conn, root string) string {
	t.Helper()
	acl := zk.WorldACL(zk.PermAll)
	if _, err := conn.Multi(&zk.CreateRequest{Path: root, Acl: acl}, &zk.CreateRequest{Path: root + "/l", Acl: acl},
		&zk.CreateRequest{Path: root + "/l/lock-0000000000", Acl: acl},
		&zk.CreateRequest{Path: root + "/l/lock-0000000001", Flags: zk.FlagEphemeral, Acl: acl}); err != nil {
		t.Fatal(err)
	}
	return root + "/l/lock-0000000000"
}

// TestPrometheusFires has a real Prometheus scrape a server that sees a lock of a real ZooKeeper. The documented rules
// fire when it gets into trouble, and stop when it's out of it; the webhook learns of both once.
func TestPrometheusFires(t *testing.T) {
	t.Parallel()
	promtest.Need(t)
	server := zktest.Shared(t)
	conn, _, err := zk.Connect([]string{server.Addr}, zktest.MaxSession, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	root := zktest.Root(t)
	culprit := blocked(t, conn, root)
	rules, err := os.ReadFile(filepath.Join(alertsDir, "zkviz.rules.yml"))
	if err != nil {
		t.Fatal(err)
	}
	webhook, got := receive(t)
	metrics := port.Addr(t)
	_, stop := served(t, "--zk", server.Addr+root, "--read-only", "--metrics-addr", metrics, "--metrics-paths", "/l,/none",
		"--webhook", strings.Replace(webhook, "://", "://user:"+planted+"@", 1), "--record", t.TempDir())
	prometheus := promtest.Start(t, metrics, string(rules))

	const firing = `ALERTS{alertname="ZkvizLockStuck",kind="blocked",alertstate="firing"}`
	waitFor(t, "the rule to fire", func() bool { return prometheus.Value(firing) == "1" })
	for query, want := range map[string]string{
		`up`: "1", `zkviz_locks_seen`: "1", `zkviz_locks_in_trouble{path="/l",kind="blocked"}`: "1",
		`zkviz_locks_in_trouble{path="/none",kind="blocked"}`: "0", `zkviz_locks_held{path="/",use="lock"}`: "0",
		`zkviz_locks_in_trouble{path="/",kind="herd"}`: "", `zkviz_locks_expiries_total{path="/",use="lock"}`: "",
		`zkviz_locks_oldest_waiter_seconds{path="/l",use="lock"} > bool 5`: "1",
	} {
		if value := prometheus.Value(query); value != want {
			t.Errorf("%s is %q, not %q", query, value, want)
		}
	}
	if p := nextOf(got, "blocked"); p.State != "new" || p.Path != "/l" || p.Cluster != server.Addr+root ||
		p.Text != "Nobody can get in: lock-0000000000 is at the front, and it belongs to no session. "+
			"Servers don't say who made it; their transaction logs do." {
		t.Errorf("the webhook gets %+v", p)
	}
	if err := conn.Delete(culprit, -1); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the rule to stop", func() bool { return prometheus.Value(firing) == "" })
	if p := nextOf(got, "blocked"); p.State != "ended" || p.Path != "/l" {
		t.Errorf("the webhook gets %+v", p)
	}
	waitFor(t, "the holder", func() bool { return prometheus.Value(`zkviz_locks_held{path="/l",use="lock"}`) == "1" })
	checkMetrics(t, metrics)
	code, log := stop()
	if code != exitOK || strings.Contains(log, planted) {
		t.Errorf("exit code %d; it logs\n%s", code, log)
	}
	for len(got) > 0 {
		if p := <-got; p.Kind == "blocked" {
			t.Errorf("once more the webhook gets %+v", p)
		}
	}
}

// nextOf returns the next message about a kind of trouble. On a busy machine there may be others.
func nextOf(got chan posted, kind string) (p posted) {
	for p.Kind != kind {
		p = <-got
	}
	return p
}

var metricName = regexp.MustCompile(`\bzkviz_[a-z][a-z_]*[a-z]\b`)

// checkMetrics checks that promtool understands all metrics of the server at an address and finds nothing wrong with
// its own, and that it has all those that documents name.
func checkMetrics(t *testing.T, addr string) {
	t.Helper()
	resp, err := http.Get("http://" + addr + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	lint := exec.CommandContext(t.Context(), "promtool", "check", "metrics")
	lint.Stdin = bytes.NewReader(text)
	out, err := lint.CombinedOutput()
	if lint.ProcessState == nil || bytes.Contains(out, []byte("zkviz_")) || bytes.Contains(out, []byte("parsing")) {
		t.Errorf("promtool says %v\n%s", err, out)
	}
	named := map[string]bool{}
	for _, folder := range []string{"../../docs", alertsDir} {
		files, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if f.IsDir() {
				continue
			}
			text, err := os.ReadFile(filepath.Join(folder, f.Name()))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range metricName.FindAllString(string(text), -1) {
				named[name] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		// By reading nobody knows why a session ended.
		if name != "zkviz_locks_expiries_total" && !bytes.Contains(text, []byte("# HELP "+name+" ")) {
			t.Errorf("documents name %s, which the server hasn't", name)
		}
	}
	if len(named) < 15 {
		t.Errorf("documents name only %v", named)
	}
}
