package web_test

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
)

// counting returns a cluster whose runs end at once, and their counter.
func counting() (zk *cluster, runs *atomic.Int32) {
	runs = new(atomic.Int32)
	return &cluster{run: func(_ context.Context, sink event.Sink, _ <-chan fault.Fault) error {
		runs.Add(1)
		sink.Append(event.Event{Seq: 1, Kind: event.RunStarted})
		sink.Append(event.Event{Seq: 2, Kind: event.RunEnded})
		return nil
	}}, runs
}

// ask sends a request with headers, names and values in turn, and follows no redirect.
func ask(t *testing.T, client *http.Client, method, address, body string, headers ...string) (int, http.Header,
	string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	c := *client
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(text)
}

const comparing = "recipe=unique-lock&recipe=predecessor-lock&clients=2,5"

// TestALinkRunsNothingOnTheCluster checks that loading the address of a comparison runs nothing on the cluster.
func TestALinkRunsNothingOnTheCluster(t *testing.T) {
	zk, runs := counting()
	srv := serve(t, web.Config{ZK: []string{"127.0.0.1:1"}, Cluster: zk})
	for _, headers := range [][]string{
		nil,
		{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"},
		{"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"},
	} {
		status, _, body := ask(t, srv.Client(), "GET", srv.URL+"/lab/compare?"+comparing+"&live=1", "", headers...)
		if status != http.StatusOK || !strings.Contains(body, "Figures of 127.0.0.1:1 that aren&#39;t here: 4.") ||
			!strings.Contains(body, `formmethod="post"`) || !strings.Contains(body, `<th scope="row">4</th>`) {
			t.Errorf("%q: %d, and the page does not say how to run it on the cluster, or has no simulated figures", headers,
				status)
		}
	}
	ask(t, srv.Client(), "HEAD", srv.URL+"/lab/compare?"+comparing+"&live=1", "")
	for _, where := range []string{
		"/lab/compare?recipe=children-lock&recipe=unique-lock&clients=3&live=on", "/locks?clients=3&live=1",
		"/lab?recipe=predecessor-lock&clients=3&host=live", "/lessons/the-herd?host=live", "/live?path=/a",
		"/api/figures?recipe=predecessor-lock&clients=3&host=live&live=1", "/ws?do=open&recipe=predecessor-lock&host=live",
	} {
		ask(t, srv.Client(), "GET", srv.URL+where, "")
	}
	if n := runs.Load(); n != 0 {
		t.Errorf("%d runs on the cluster, want none", n)
	}
}

// TestThePostOfOurPageRunsOnTheCluster checks that a post runs the comparison, whose figures the page then shows.
func TestThePostOfOurPageRunsOnTheCluster(t *testing.T) {
	zk, runs := counting()
	srv := serve(t, web.Config{ZK: []string{"127.0.0.1:1"}, Cluster: zk})
	at := srv.URL + "/lab/compare"
	for _, headers := range [][]string{
		nil,
		{"Origin", "null"},
		{"Origin", "http://evil.example"},
		{"Origin", strings.Replace(srv.URL, "127.0.0.1", "localhost", 1)},
		{"Origin", srv.URL, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"},
		{"Origin", srv.URL, "Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"},
		{"Origin", srv.URL, "Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"},
		{"Sec-Fetch-Site", "same-origin"},
	} {
		if status, _, _ := ask(t, srv.Client(), "POST", at, comparing, headers...); status != http.StatusForbidden {
			t.Errorf("a post with %q: %d, want 403", headers, status)
		}
	}
	if status, _, _ := ask(t, srv.Client(), "POST", at, strings.Repeat("x", 100<<10), "Origin",
		srv.URL); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a form of 100 KiB: %d, want 413", status)
	}
	if n := runs.Load(); n != 0 {
		t.Fatalf("%d runs on the cluster before anybody asked for one", n)
	}
	status, h, _ := ask(t, srv.Client(), "POST", at, comparing, "Origin", srv.URL, "Sec-Fetch-Site", "same-origin")
	next, err := url.Parse(h.Get("Location"))
	if err != nil || status != http.StatusSeeOther || next.Path != "/lab/compare" || next.Query().Get("live") == "" {
		t.Fatalf("the post is answered with %d to %s", status, h.Get("Location"))
	}
	for range 2 {
		status, _, body := get(t, srv.URL+next.String())
		if status != http.StatusOK || strings.Count(body, `<td class="host">live</td>`) != 4 ||
			strings.Contains(body, "t here: ") {
			t.Errorf("the page after the post: %d, without the live figures", status)
		}
	}
	if n := runs.Load(); n != 4 {
		t.Errorf("%d runs on the cluster, want 4", n)
	}
}

// TestOnlyReading checks that a read-only server observes and runs nothing.
func TestOnlyReading(t *testing.T) {
	zk, runs := counting()
	zk.swept = make(chan struct{})
	zk.observe = func(ctx context.Context, _ string, _ event.Sink) error { <-ctx.Done(); return ctx.Err() }
	srv := serve(t, web.Config{ZK: []string{"127.0.0.1:1"}, Cluster: zk, ReadOnly: true})
	c := dial(t, srv)
	c.send(openLive)
	if e := c.until(says("error")); !strings.Contains(e.Text, "--zk-write") {
		t.Errorf("a live run: %+v", e)
	}
	c.send(`{"do":"observe","path":"/a"}`)
	c.until(says("run"))
	status, _, body := ask(t, srv.Client(), "POST", srv.URL+"/lab/compare", comparing, "Origin", srv.URL)
	if status != http.StatusForbidden || !strings.Contains(body, "--zk-write") {
		t.Errorf("a comparison: %d", status)
	}
	for _, path := range []string{"/", "/lab", "/lab/compare?live=1", "/lessons/" + firstLesson(t)} {
		_, _, body := get(t, srv.URL+path)
		if strings.Contains(body, `formmethod="post"`) || !strings.Contains(body, "--zk-write") {
			t.Errorf("%s offers live runs, or does not say why not", path)
		}
	}
	if n := runs.Load(); n != 0 {
		t.Errorf("%d runs on the cluster, want none", n)
	}
	srv.Close()
	select {
	case <-zk.swept:
		t.Error("the cluster was swept")
	default:
	}
}

// TestSessionsAreCountedTogether checks that runs, figures and observations share one limit, and one for each address.
func TestSessionsAreCountedTogether(t *testing.T) {
	zk := &cluster{run: func(ctx context.Context, sink event.Sink, _ <-chan fault.Fault) error {
		sink.Append(event.Event{Seq: 1, Kind: event.RunStarted})
		<-ctx.Done()
		return ctx.Err()
	}}
	zk.observe = func(ctx context.Context, _ string, _ event.Sink) error { <-ctx.Done(); return ctx.Err() }
	srv := serve(t, web.Config{ZK: []string{"127.0.0.1:1"}, Cluster: zk})
	const large = `{"do":"open","query":"recipe=unique-lock&clients=100","host":"live"}`
	a := dial(t, srv)
	for range 2 {
		a.send(large)
		a.until(says("run"))
		a = dial(t, srv)
	}
	again := dial(t, srv)
	again.send(`{"do":"observe","path":"/a"}`)
	if e := again.until(says("error")); !strings.Contains(e.Text,
		"202 sessions are open on 127.0.0.1:1 for your address") {
		t.Errorf("more sessions from one address: %+v", e)
	}
	b := dialFrom(t, srv, 2)
	b.send(`{"do":"open","query":"recipe=unique-lock&clients=97","host":"live"}`) // up to the last session
	b.until(says("run"))
	c := dialFrom(t, srv, 3)
	c.send(`{"do":"observe","path":"/a"}`)
	if e := c.until(says("error")); !strings.Contains(e.Text,
		"300 sessions are open on 127.0.0.1:1, and there may be 300; try again in 5s") {
		t.Errorf("more sessions than all may have: %+v", e)
	}
	status, h, body := ask(t, from(3), "POST", srv.URL+"/lab/compare", comparing, "Origin", srv.URL)
	if status != http.StatusServiceUnavailable || h.Get("Retry-After") != "5" || !strings.Contains(body, "300 sessions") {
		t.Errorf("figures beyond the limit: %d, Retry-After %q", status, h.Get("Retry-After"))
	}
}
