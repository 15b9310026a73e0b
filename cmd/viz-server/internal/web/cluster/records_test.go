package cluster_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event/trace"
	"github.com/zkviz/zkviz/engine/observe/record"
)

// TestRecords records a path that nobody looks at and one that somebody opens. It lists both, and serves only names in
// the list.
func TestRecords(t *testing.T) {
	const odd = "/<b>owl"
	night := webtest.NamedZooKeeper(t, "night", odd)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "secret.jsonl"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	folder, err := record.Open(record.Config{Dir: filepath.Join(dir, "records"), Max: record.MinBytes})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.Close() }) // after the server has closed
	s := webtest.NewServer(t, web.Config{Named: []web.Named{night}, Record: folder,
		RecordPaths: []web.ClusterPath{{Cluster: "night", Path: "/"}}})
	srv := webtest.Start(t, s)
	recorded := func(path string) record.Record {
		for {
			for _, r := range folder.List() {
				if r.Path == path && r.Events > 1 {
					return r
				}
			}
			time.Sleep(time.Millisecond)
		}
	}
	all := recorded("/")
	c := webtest.Dial(t, srv)
	c.Send(`{"do":"observe","path":"` + odd + `","cluster":"night"}`)
	c.Until(webtest.OfKind("run"))
	one := recorded(odd)
	if all.Cluster != "night" || one.Cluster != "night" || len(folder.List()) != 2 {
		t.Errorf("%+v", folder.List())
	}
	if text := webtest.Scrape(s); !strings.Contains(text, "zkviz_record_segments 2\n") ||
		!strings.Contains(text, "zkviz_record_segments_live 2\n") ||
		!strings.Contains(text, fmt.Sprintf("zkviz_record_max_bytes %d\n", record.MinBytes)) ||
		!regexp.MustCompile(`zkviz_record_events_total [1-9]`).MatchString(text) ||
		!regexp.MustCompile(`zkviz_record_written_bytes_total [1-9]`).MatchString(text) ||
		!strings.Contains(text, "zkviz_record_lost_events_total 0\n") || strings.Contains(text, "owl") {
		t.Errorf("the metrics are\n%s", text)
	}
	_, _, body := webtest.Get(t, srv.URL+"/live/records?path="+url.QueryEscape(odd))
	if !strings.Contains(body, "&lt;b&gt;owl</a>") || strings.Contains(body, odd) || !strings.Contains(body, all.Name) {
		t.Errorf("the list of those that have one path: %s", body)
	}
	for query, has := range map[string]bool{"path=/&cluster=night": false, "path=/none&cluster=night": false,
		"path=" + url.QueryEscape(odd) + "&cluster=day": false, "path=" + url.QueryEscape(odd) + "&cluster=night": true} {
		_, _, body = webtest.Get(t, srv.URL+"/live/records?"+query)
		if strings.Contains(body, one.Name) != has {
			t.Errorf("%s: the list has it: %v", query, !has)
		}
	}
	_, _, body = webtest.Get(t, srv.URL+"/live/records")
	if !strings.Contains(body, all.Name) || !strings.Contains(body, one.Name) {
		t.Errorf("the list: %s", body)
	}
	_, _, body = webtest.Get(t, srv.URL+"/live/records/"+one.Name)
	if !strings.Contains(body, `data-url="/api/record/`+one.Name) {
		t.Errorf("the page of a recording: %s", body)
	}
	if !strings.Contains(body, `href="/live/records/`+one.Name+"/hour") {
		t.Errorf("it doesn't lead to who held a lock: %s", body)
	}
	for query, want := range map[string]struct {
		status int
		text   string
	}{"": {200, "There is no lock at /&lt;b&gt;owl in this recording."},
		"?path=/other": {400, "isn&#39;t in this recording of"}, "?path=x": {400, "alert"},
		"?why=x": {400, "isn&#39;t a reason"}} {
		status, _, body := webtest.Get(t, srv.URL+"/live/records/"+one.Name+"/hour"+query)
		if status != want.status || !strings.Contains(body, want.text) {
			t.Errorf("the last hour by %q: %d, %s", query, status, between(body, "<main", "</main>"))
		}
	}
	status, head, body := webtest.Get(t, srv.URL+"/api/record/"+one.Name)
	log, err := trace.Read(strings.NewReader(body))
	if status != http.StatusOK || err != nil || log.Header.Root != odd || len(log.Events) < 2 ||
		!strings.HasPrefix(head.Get("Content-Disposition"), "attachment") {
		t.Errorf("%d, %v: %s", status, err, body)
	}
	for ms, want := range map[int64]string{one.From.UnixMilli(): one.Name, all.From.UnixMilli(): all.Name,
		all.From.UnixMilli() - 1:            "",
		one.From.Add(time.Hour).UnixMilli(): ""} {
		at := recordedMoment(t, srv.URL, odd, ms)
		if got := strings.TrimPrefix(at.Path, "/live/records/"); want != "" && got != want ||
			want == "" && at.Path != "/live" || at.Query().Get("znode") != odd+"/x" {
			t.Errorf("the moment %d leads to %v, not to %q", ms, at, want)
		}
	}
	for _, name := range []string{"..%2Fsecret.jsonl", "%2e%2e%2fsecret.jsonl", "record.lock",
		url.PathEscape(dir + "/secret.jsonl")} {
		for _, at := range []string{"/live/records/", "/api/record/"} {
			if status, _, body := webtest.Get(t, srv.URL+at+name); status != http.StatusNotFound || body == "secret" {
				t.Errorf("%s%s: %d, %s", at, name, status, body)
			}
		}
	}
	if status, _, _ := webtest.Get(t, webtest.Serve(t, web.Config{}).URL+"/live/records"); status != http.StatusNotFound {
		t.Errorf("a server that records nothing: %d", status)
	}
}

// recordedMoment returns the address to which the page of a moment redirects if no history of its path is kept.
func recordedMoment(t *testing.T, server, path string, ms int64) *url.URL {
	t.Helper()
	asked := url.Values{"cluster": {"night"}, "path": {path}, "znode": {path + "/x"}, "moment": {fmt.Sprint(ms)}}
	status, h, body := webtest.Ask(t, http.DefaultClient, "GET", server+"/live/moment?"+asked.Encode(), "")
	at, err := url.Parse(h.Get("Location"))
	if err != nil || status != http.StatusFound || at.Query().Get("moment") != fmt.Sprint(ms) {
		t.Fatalf("%d, %v, to %v: %s", status, err, at, body)
	}
	return at
}
