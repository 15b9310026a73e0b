package lab_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	named "github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/testing/redistest"
)

// liveRows returns the locks of the contest's rows that ran on a real system.
func liveRows(body string) (names []string) {
	for _, row := range cells(body) {
		if strings.HasSuffix(row[0], " live") || strings.HasSuffix(row[0], ", live") {
			name, _, _ := strings.Cut(row[0], " ")
			names = append(names, name)
		}
	}
	return names
}

// TestContestOnTheCluster checks that a link runs nothing there, and that a post of our form runs each lock once whose
// system is available. The page then shows its figures below the simulated ones.
func TestContestOnTheCluster(t *testing.T) {
	zk, runs := webtest.Counting()
	srv := webtest.Serve(t, web.Config{ZK: []string{"127.0.0.1:1"}, Cluster: zk})
	const contest = "clients=3&hold=1ms"
	_, _, body := webtest.Ask(t, srv.Client(), "GET", srv.URL+"/locks?"+contest+"&live=1", "")
	if n := runs.Load(); n != 0 || !strings.Contains(body, `formmethod="post"`) ||
		!strings.Contains(body, "Figures of 127.0.0.1:1 that aren&#39;t here: 3.") {
		t.Errorf("a link makes %d runs, or the page does not say how to", n)
	}
	for _, headers := range [][]string{nil, {"Origin", "http://evil.example"}} {
		if status, _, _ := webtest.Ask(t, srv.Client(), "POST", srv.URL+"/locks", contest, headers...); status !=
			http.StatusForbidden {
			t.Errorf("a post with %q: %d, want 403", headers, status)
		}
	}
	status, h, _ := webtest.Ask(t, srv.Client(), "POST", srv.URL+"/locks", contest, "Origin", srv.URL)
	next, err := url.Parse(h.Get("Location"))
	if err != nil || status != http.StatusSeeOther || next.Path != "/locks" || next.Query().Get("live") == "" {
		t.Fatalf("the post is answered with %d to %s", status, h.Get("Location"))
	}
	status, _, body = webtest.Get(t, srv.URL+next.String())
	if got, want := liveRows(body), []string{"unique-lock", "children-lock", "predecessor-lock"}; status !=
		http.StatusOK || !slices.Equal(got, want) || strings.Contains(body, "t here: ") {
		t.Errorf("after the post: %d, with real figures of %q", status, got)
	}
	if n := runs.Load(); n != 3 {
		t.Errorf("%d runs on the cluster, want 3", n)
	}
	for form, want := range map[string]string{
		"clients=50&hold=100ms": "hold for up to 3s", "clients=101&hold=1ms": "100 sessions",
	} {
		if status, _, body := webtest.Ask(t, srv.Client(), "POST", srv.URL+"/locks", form, "Origin",
			srv.URL); status != http.StatusBadRequest || !strings.Contains(body, want) {
			t.Errorf("%s: status %d, without %q", form, status, want)
		}
	}
}

// TestContestWhereOneFails checks that the first failure is reported and doesn't stop the others.
func TestContestWhereOneFails(t *testing.T) {
	var runs atomic.Int32
	zk := &webtest.Cluster{Runs: func(_ context.Context, sink event.Sink, _ <-chan fault.Fault) error {
		if runs.Add(1) == 1 {
			return errors.New("no luck")
		}
		sink.Append(event.Event{Seq: 1, Kind: event.RunStarted})
		sink.Append(event.Event{Seq: 2, Kind: event.RunEnded})
		return nil
	}}
	srv := webtest.Serve(t, web.Config{ZK: []string{"127.0.0.1:1"}, Cluster: zk})
	status, _, body := webtest.Ask(t, srv.Client(), "POST", srv.URL+"/locks", "clients=3&hold=1ms", "Origin", srv.URL)
	if got, want := liveRows(body), []string{"children-lock", "predecessor-lock"}; status !=
		http.StatusInternalServerError || !strings.Contains(body, "no luck") || !slices.Equal(got, want) {
		t.Errorf("status %d, with real figures of %q", status, got)
	}
}

// TestContestOnlyReading checks that a read-only server says so on the page and refuses a post.
func TestContestOnlyReading(t *testing.T) {
	zk, runs := webtest.Counting()
	srv := webtest.Serve(t, web.Config{ZK: []string{"127.0.0.1:1"}, Cluster: zk, ReadOnly: true})
	if _, _, body := webtest.Get(t, srv.URL+"/locks?clients=2"); strings.Contains(body, `formmethod="post"`) ||
		!strings.Contains(body, "--zk-write") {
		t.Error("the page offers to run it, or does not say why not")
	}
	status, _, _ := webtest.Ask(t, srv.Client(), "POST", srv.URL+"/locks", "clients=2", "Origin", srv.URL)
	if n := runs.Load(); status != http.StatusForbidden || n != 0 {
		t.Errorf("a post: status %d and %d runs", status, n)
	}
}

// TestContestOnRedis runs the locks on Redis on a real one, beside the simulated ones.
func TestContestOnRedis(t *testing.T) {
	t.Parallel()
	on := named.Elsewhere{}
	if err := on.Add(event.RedisSystem, redistest.Start(t).Addr(), func(string) string { return "" }); err != nil {
		t.Fatal(err)
	}
	srv := webtest.Serve(t, web.Config{Elsewhere: on})
	status, h, body := webtest.Ask(t, srv.Client(), "POST", srv.URL+"/locks", "clients=3&hold=5ms", "Origin", srv.URL)
	if status != http.StatusSeeOther {
		t.Fatalf("the post is answered with %d: %s", status, body)
	}
	_, _, body = webtest.Get(t, srv.URL+h.Get("Location"))
	var want []string
	for _, row := range cells(body) {
		if name, _, _ := strings.Cut(row[0], " "); strings.HasPrefix(name, "redis-") && !strings.HasSuffix(row[0], "live") {
			want = append(want, name)
		}
	}
	if got := liveRows(body); len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("real figures of %q, want %q", got, want)
	}
}

// TestContestOnEachDatabase checks that a lock in tables takes part once for each named database.
func TestContestOnEachDatabase(t *testing.T) {
	on := named.Elsewhere{}
	for kind, address := range map[event.SystemKind]string{
		event.PostgresSystem: "postgres://u@127.0.0.1:1/db", event.MySQLSystem: "mysql://u@127.0.0.1:1/db",
	} {
		if err := on.Add(kind, address, func(string) string { return "" }); err != nil {
			t.Fatal(err)
		}
	}
	srv := webtest.Serve(t, web.Config{Elsewhere: on})
	_, _, body := webtest.Get(t, srv.URL+"/locks?clients=3")
	var got []string
	for _, row := range cells(body) {
		if strings.HasPrefix(row[0], "pg-advisory") || strings.HasPrefix(row[0], "unique-lock") {
			got = append(got, row[0])
		}
	}
	if want := []string{"unique-lock", "pg-advisory MySQL or MariaDB", "pg-advisory PostgreSQL"}; !slices.Equal(got,
		want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
