package web_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
)

const comparing = "recipe=unique-lock&recipe=predecessor-lock&clients=2,5"

// TestALinkRunsNothingOnTheCluster checks that loading the address of a comparison runs nothing on the cluster.
func TestALinkRunsNothingOnTheCluster(t *testing.T) {
	zk, runs := webtest.Counting()
	srv := webtest.Serve(t, web.Config{ZK: []string{"127.0.0.1:1"}, Cluster: zk})
	for _, headers := range [][]string{
		nil,
		{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"},
		{"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"},
	} {
		status, _, body := webtest.Ask(t, srv.Client(), "GET", srv.URL+"/lab/compare?"+comparing+"&live=1", "", headers...)
		if status != http.StatusOK || !strings.Contains(body, "Figures of 127.0.0.1:1 that aren&#39;t here: 4.") ||
			!strings.Contains(body, `formmethod="post"`) || !strings.Contains(body, `<th scope="row">4</th>`) {
			t.Errorf("%q: %d, and the page does not say how to run it on the cluster, or has no simulated figures", headers,
				status)
		}
	}
	webtest.Ask(t, srv.Client(), "HEAD", srv.URL+"/lab/compare?"+comparing+"&live=1", "")
	for _, where := range []string{
		"/lab/compare?recipe=children-lock&recipe=unique-lock&clients=3&live=on", "/locks?clients=3&live=1",
		"/lab?recipe=predecessor-lock&clients=3&host=live", "/lessons/the-herd?host=live", "/live?path=/a",
		"/api/figures?recipe=predecessor-lock&clients=3&host=live&live=1", "/ws?do=open&recipe=predecessor-lock&host=live",
	} {
		webtest.Ask(t, srv.Client(), "GET", srv.URL+where, "")
	}
	if n := runs.Load(); n != 0 {
		t.Errorf("%d runs on the cluster, want none", n)
	}
}

// TestThePostOfOurPageRunsOnTheCluster checks that a post runs the comparison, whose figures the page then shows.
func TestThePostOfOurPageRunsOnTheCluster(t *testing.T) {
	zk, runs := webtest.Counting()
	srv := webtest.Serve(t, web.Config{ZK: []string{"127.0.0.1:1"}, Cluster: zk})
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
		if status, _, _ := webtest.Ask(t, srv.Client(), "POST", at, comparing, headers...); status != http.StatusForbidden {
			t.Errorf("a post with %q: %d, want 403", headers, status)
		}
	}
	if status, _, _ := webtest.Ask(t, srv.Client(), "POST", at, strings.Repeat("x", 100<<10), "Origin",
		srv.URL); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a form of 100 KiB: %d, want 413", status)
	}
	if n := runs.Load(); n != 0 {
		t.Fatalf("%d runs on the cluster before anybody asked for one", n)
	}
	status, h, _ := webtest.Ask(t, srv.Client(), "POST", at, comparing, "Origin", srv.URL, "Sec-Fetch-Site", "same-origin")
	next, err := url.Parse(h.Get("Location"))
	if err != nil || status != http.StatusSeeOther || next.Path != "/lab/compare" || next.Query().Get("live") == "" {
		t.Fatalf("the post is answered with %d to %s", status, h.Get("Location"))
	}
	for range 2 {
		status, _, body := webtest.Get(t, srv.URL+next.String())
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
	zk, runs := webtest.Counting()
	zk.Swept = make(chan struct{})
	zk.Observes = func(ctx context.Context, _ string, _ event.Sink) error { <-ctx.Done(); return ctx.Err() }
	srv := webtest.Serve(t, web.Config{ZK: []string{"127.0.0.1:1"}, Cluster: zk, ReadOnly: true})
	c := webtest.Dial(t, srv)
	c.Send(openLive)
	if e := c.Until(webtest.OfKind("error")); !strings.Contains(e.Text, "--zk-write") {
		t.Errorf("a live run: %+v", e)
	}
	c.Send(`{"do":"observe","path":"/a"}`)
	c.Until(webtest.OfKind("run"))
	status, _, body := webtest.Ask(t, srv.Client(), "POST", srv.URL+"/lab/compare", comparing, "Origin", srv.URL)
	if status != http.StatusForbidden || !strings.Contains(body, "--zk-write") {
		t.Errorf("a comparison: %d", status)
	}
	for _, path := range []string{"/", "/lab", "/lab/compare?live=1", "/lessons/" + firstLesson(t)} {
		_, _, body := webtest.Get(t, srv.URL+path)
		if strings.Contains(body, `formmethod="post"`) || !strings.Contains(body, "--zk-write") {
			t.Errorf("%s offers live runs, or does not say why not", path)
		}
	}
	if n := runs.Load(); n != 0 {
		t.Errorf("%d runs on the cluster, want none", n)
	}
	srv.Close()
	select {
	case <-zk.Swept:
		t.Error("the cluster was swept")
	default:
	}
}

// TestSessionsAreCountedTogether checks that runs, figures and observations share one limit, and one for each address.
func TestSessionsAreCountedTogether(t *testing.T) {
	zk := &webtest.Cluster{Runs: func(ctx context.Context, sink event.Sink, _ <-chan fault.Fault) error {
		sink.Append(event.Event{Seq: 1, Kind: event.RunStarted})
		<-ctx.Done()
		return ctx.Err()
	}}
	zk.Observes = func(ctx context.Context, _ string, _ event.Sink) error { <-ctx.Done(); return ctx.Err() }
	srv := webtest.Serve(t, web.Config{ZK: []string{"127.0.0.1:1"}, Cluster: zk})
	const large = `{"do":"open","query":"recipe=unique-lock&clients=100","host":"live"}`
	a := webtest.Dial(t, srv)
	for range 2 {
		a.Send(large)
		a.Until(webtest.OfKind("run"))
		a = webtest.Dial(t, srv)
	}
	again := webtest.Dial(t, srv)
	again.Send(`{"do":"observe","path":"/a"}`)
	if e := again.Until(webtest.OfKind("error")); !strings.Contains(e.Text,
		"202 sessions are open on 127.0.0.1:1 for your address") {
		t.Errorf("more sessions from one address: %+v", e)
	}
	b := webtest.DialFrom(t, srv, 2)
	b.Send(`{"do":"open","query":"recipe=unique-lock&clients=97","host":"live"}`) // up to the last session
	b.Until(webtest.OfKind("run"))
	c := webtest.DialFrom(t, srv, 3)
	c.Send(`{"do":"observe","path":"/a"}`)
	if e := c.Until(webtest.OfKind("error")); !strings.Contains(e.Text,
		"300 sessions are open on 127.0.0.1:1, and there may be 300; try again in 5 s") {
		t.Errorf("more sessions than all may have: %+v", e)
	}
	status, h, body := webtest.Ask(t, webtest.From(3), "POST", srv.URL+"/lab/compare", comparing, "Origin", srv.URL)
	if status != http.StatusServiceUnavailable || h.Get("Retry-After") != "5" || !strings.Contains(body, "300 sessions") {
		t.Errorf("figures beyond the limit: %d, Retry-After %q", status, h.Get("Retry-After"))
	}
}
