package web_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
)

// scrapeUntil scrapes until ok, for a minute at most: a request is counted only after its answer.
func scrapeUntil(s *web.Server, ok func(text string) bool) string {
	for patience := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if text := webtest.Scrape(s); ok(text) || time.Now().After(patience) {
			return text
		}
	}
}

// TestMetrics does one thing of each kind and finds it counted, by the server's routes only.
func TestMetrics(t *testing.T) {
	log := new(safeBuffer)
	cfg := web.Config{Version: "v1.2.3", Log: slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{
		Level: slog.LevelDebug}))}
	s := webtest.NewServer(t, cfg)
	srv := webtest.Start(t, s)
	c := webtest.Dial(t, srv)
	c.Send(openUnique)
	c.Full(c.Until(webtest.OfKind("run")).Branches[0])
	c.Send(`{"do":"open","query":"recipe=none"}`)
	c.Until(webtest.OfKind("error"))
	webtest.Get(t, srv.URL+"/lessons/the-herd?secret=/a")
	webtest.Get(t, srv.URL+"/lessons/secret")
	webtest.Get(t, srv.URL+"/secret")
	webtest.Ask(t, srv.Client(), "GET", srv.URL+"/lab", "", "Origin", "http://evil.example")
	wants := []string{
		`zkviz_build_info{version="v1.2.3",goversion="go`, "zkviz_viewers 1\n", "zkviz_rooms 1\n",
		"zkviz_cluster_sessions 0\n", "zkviz_cluster_requests_total 0\n", `zkviz_refused_total{by="room"} 1`,
		`zkviz_refused_total{by="guard"} 1`,
		`zkviz_http_requests_total{route="/lessons/{slug}",code="200"} 1`,
		`zkviz_http_requests_total{route="/lessons/{slug}",code="404"} 1`,
		`zkviz_http_requests_total{route="/",code="404"} 1`,
		`zkviz_http_requests_total{route="refused",code="403"} 1`,
		`zkviz_http_request_duration_seconds_count{route="/lessons/{slug}"} 2`,
		`zkviz_http_request_duration_seconds_bucket{route="/lessons/{slug}",le="+Inf"} 2`,
		"\ngo_goroutines ", "\nprocess_start_time_seconds ",
	}
	sent := regexp.MustCompile(`zkviz_events_sent_total [1-9]\d*\n`)
	lacks := func(text string) []string {
		return slices.DeleteFunc(slices.Clone(wants), func(want string) bool { return strings.Contains(text, want) })
	}
	text := scrapeUntil(s, func(text string) bool { return len(lacks(text)) == 0 && sent.MatchString(text) })
	if all := lacks(text); len(all) > 0 {
		t.Errorf("the metrics lack %q", all)
	}
	if strings.Contains(text, "zkviz_record") { // nothing is recorded
		t.Errorf("the metrics are\n%s", text)
	}
	if strings.Contains(text, "secret") || !sent.MatchString(text) {
		t.Errorf("the metrics are\n%s", text)
	}
	if logged := log.String(); strings.Contains(logged, "secret") ||
		!strings.Contains(logged, `"msg":"answered","method":"GET","route":"/lessons/{slug}","code":200`) {
		t.Errorf("the log is\n%s", logged)
	}
}

// TestClusterRequestsAreCounted checks the count of the requests that runs send to a real system.
func TestClusterRequestsAreCounted(t *testing.T) {
	zk, _ := webtest.Counting()
	cfg := web.Config{ZK: []string{"127.0.0.1:1"}, Cluster: asking{zk}}
	s := webtest.NewServer(t, cfg)
	c := webtest.Dial(t, webtest.Start(t, s))
	c.Send(openLive)
	c.Full(c.Until(webtest.OfKind("run")).Branches[0])
	counted := func(text string) bool { return strings.Contains(text, "zkviz_cluster_requests_total 2\n") }
	if text := scrapeUntil(s, counted); !counted(text) {
		t.Errorf("two requests are counted as\n%s", text)
	}
}

// TestReadiness checks that a build without the stage is unready, but not a server whose cluster is away.
func TestReadiness(t *testing.T) {
	page := &fstest.MapFile{Data: []byte("a")}
	for _, c := range []struct {
		stage   bool
		zk      []string
		want    int
		cluster string
	}{
		{true, nil, 200, ""},
		{false, nil, 503, ""},
		{true, []string{"127.0.0.1:1"}, 200, "unreachable"},
	} {
		files := fstest.MapFS{"app.css": page}
		if c.stage {
			files["built/stage.wasm"] = page
		}
		cfg := web.Config{Static: files, ZK: c.zk}
		if c.zk != nil {
			cfg.Cluster = &webtest.Cluster{}
		}
		srv := webtest.Serve(t, cfg)
		status, _, body := webtest.Ask(t, srv.Client(), "GET", srv.URL+"/readyz", "", "Host", "whatever")
		var st web.Readiness
		if err := json.Unmarshal([]byte(body), &st); err != nil || status != c.want || st.Ready != (status == 200) ||
			st.Stage != c.stage || st.Cluster != c.cluster && st.Cluster != "not known yet" || strings.Contains(body, ":1\"") {
			t.Errorf("%+v: %d %s, %v", c, status, body, err)
		}
		if status, _, body := webtest.Get(t, srv.URL+"/healthz"); status != 200 || body != "ok\n" {
			t.Errorf("/healthz: %d %q", status, body)
		}
		if status, _, _ := webtest.Get(t, srv.URL+"/metrics"); status != http.StatusNotFound {
			t.Errorf("the pages have metrics: %d", status)
		}
	}
}

// asking is a cluster whose runs send two requests.
type asking struct{ web.Cluster }

func (asking) Run(_ context.Context, _ run.Scenario, sink event.Sink, _ <-chan fault.Fault) error {
	for i, kind := range []event.Kind{event.RunStarted, event.OpSent, event.OpSent, event.RunEnded} {
		sink.Append(event.Event{Seq: event.Seq(i + 1), Kind: kind})
	}
	return nil
}
