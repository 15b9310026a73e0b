package cluster_test

import (
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/analysis/holds"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/trace"
)

// TestLiveLocksRead reads a ZooKeeper with a lock, and another lock that comes later.
func TestLiveLocksRead(t *testing.T) {
	night := webtest.NamedZooKeeper(t, "night", "/app")
	s := webtest.NewServer(t, web.Config{Named: []web.Named{night}})
	srv := webtest.Start(t, s)
	conn, _, err := zk.Connect(night.On.Servers, time.Minute, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	create := func(path string) string {
		const flags = zk.FlagEphemeral | zk.FlagSequence
		made, err := conn.Create(path, []byte("host-1"), flags, zk.WorldACL(zk.PermAll))
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	page := func(query string) string {
		_, _, body := webtest.Get(t, srv.URL+"/live/locks?cluster=night&path=/app"+query)
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
	until("", "looks like a lock")
	first := create("/app/lock-")
	create("/app/lock-")
	until("", `data-path="/app"`, "a lock, by the names of the ZooKeeper recipes", "host-1", "0x", "the first for")
	if body := page("&kind=queue"); !strings.Contains(body, "0 of 1 shown") {
		t.Error("the filter leaves what is not asked for")
	}
	if err := conn.Delete(first, -1); err != nil {
		t.Fatal(err)
	}
	for text := ""; !strings.Contains(text, "zkviz_cluster_sessions 1\n") ||
		strings.Contains(text, "zkviz_cluster_requests_total 0\n"); text = webtest.Scrape(s) {
		if t.Context().Err() != nil {
			t.Fatal(text)
		}
		page("") // starts reading
	}
	until("", "&amp;znode=%2Fapp%2Flock-0000000001")
	readMoment(t, srv.URL, page(""))
	readHour(t, srv.URL, page(""))
	_, _, body := webtest.Get(t, srv.URL+"/live?cluster=night&path=/app")
	if _, turn, _ := strings.Cut(body, `id="turn"`); !strings.Contains(turn, "/live/moment?path=%2Fapp&amp;cluster=night") ||
		!strings.Contains(turn, "znode=%2Fapp%2Flock-0000000001") {
		t.Error("the stage's page has forgotten the handover that the list has")
	}
	if _, _, body := webtest.Get(t, srv.URL+"/live?cluster=night&path=/other"); strings.Contains(body, `id="turn"`) {
		t.Error("there's a handover of what nobody has looked at")
	}
	_, _, body = webtest.Get(t, srv.URL+"/live?cluster=night")
	if !strings.Contains(body, "/live/locks?path=%2F&amp;cluster=night") {
		t.Error("the page Live does not lead to the locks")
	}
	for query, want := range map[string]int{"?cluster=dusk": 400, "?path=app": 400, "?path=/a//b": 400} {
		if status, _, _ := webtest.Get(t, srv.URL+"/live/locks"+query); status != want {
			t.Errorf("%s: %d, want %d", query, status, want)
		}
	}
	off := webtest.Serve(t, web.Config{})
	if status, _, body := webtest.Get(t, off.URL+"/live/locks"); status != http.StatusOK ||
		!strings.Contains(body, `data-page="live-form"`) {
		t.Errorf("without a ZooKeeper the page Live does not say what to do: %d", status)
	}
}

// readMoment follows a page's link to a handover: to the stage with the lock's kept history from before it. If the
// history is gone, the live page says so.
func readMoment(t *testing.T, server, list string) {
	t.Helper()
	at := html.UnescapeString(between(list, `href="`+"/live/moment", `"`))
	asked, err := url.ParseQuery(strings.TrimPrefix(at, "?"))
	ms := asked.Get("moment")
	if err != nil || !strings.HasPrefix(asked.Get("znode"), "/app/lock-") {
		t.Errorf("it leads to %s", at)
	}
	_, _, body := webtest.Get(t, server+"/live/moment"+at)
	if want := "/stage?file=1&amp;moment=" + ms + "&amp;select=%2Fapp%2Flock-"; !strings.Contains(body, want) {
		t.Errorf("the page of a handover has no %s: %s", want, body)
	}
	file := html.UnescapeString(between(body, `data-url="`, `"`))
	_, head, text := webtest.Get(t, server+file)
	log, err := trace.Read(strings.NewReader(text))
	if err != nil || log.Header.Host != event.Observed || log.Header.Root != "/app" ||
		head.Get("Cache-Control") != "no-store" {
		t.Fatalf("%s: %v, %+v: %s", file, err, log.Header, text)
	}
	went, _ := strconv.ParseInt(ms, 10, 64)
	if !slices.ContainsFunc(log.Events, func(e event.Event) bool {
		return e.Kind == event.ZnodeDeleted && log.Events[0].N+e.At.Milliseconds() == went
	}) {
		t.Errorf("nothing goes at %s: %s", ms, text)
	}
	for query, want := range map[string]int{"path=/app&cluster=dusk": 400, "path=app&cluster=night": 400,
		"path=/app&cluster=night&moment=1": 404, "path=/none&cluster=night&moment=" + ms: 404} {
		if status, _, body := webtest.Get(t, server+"/api/story?"+query); status != want {
			t.Errorf("%s: %d, want %d: %s", query, status, want, body)
		}
	}
	for query, want := range map[string]int{"path=/app&cluster=dusk": 400, "path=app&cluster=night": 400} {
		if status, _, _ := webtest.Get(t, server+"/live/moment?"+query); status != want {
			t.Errorf("/live/moment?%s: %d, want %d", query, status, want)
		}
	}
	_, _, body = webtest.Get(t, server+"/live/moment?path=/app&cluster=night&moment=1&znode=/app/x")
	if want := "/stage?path=%2Fapp&amp;cluster=night&amp;moment=1&amp;select=%2Fapp%2Fx\""; !strings.Contains(body, want) {
		t.Errorf("where nothing is kept the page has no %s", want)
	}
}

// readHour follows a page's link to the last hour of a lock, whose first client has let go of it. The page's JSON has
// the same, and the page leads to that moment.
func readHour(t *testing.T, server, list string) {
	t.Helper()
	at := html.UnescapeString(between(list, `href="/live/locks/hour`, `"`))
	_, _, body := webtest.Get(t, server+"/live/locks/hour"+at)
	for _, want := range []string{"1 hold ended since", "host-1", "reading can&#39;t tell why (joining can)",
		"holds it now", "znode=%2Fapp%2Flock-0000000000", "Reading doesn&#39;t show why"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page %s has no %q:\n%s", at, want, body)
		}
	}
	moment := html.UnescapeString(between(body, `href="/live/moment`, `"`))
	if status, _, _ := webtest.Get(t, server+"/live/moment"+moment); status != http.StatusOK {
		t.Errorf("%s: %d", moment, status)
	}
	for query, n := range map[string]int{"": 2, "&why=unknown": 1, "&why=expired": 0, "&who=host-1": 2, "&since=1h": 2} {
		status, head, text := webtest.Get(t, server+"/api/hour"+at+query)
		var o holds.Object
		if err := json.Unmarshal([]byte(text), &o); err != nil || status != http.StatusOK || len(o.Holds) != n ||
			o.Count != 1 || head.Get("Cache-Control") != "no-store" {
			t.Errorf("%q: %d, %v: %s", query, status, err, text)
		}
	}
	for query, want := range map[string]int{"path=/app&cluster=dusk": 400, "path=app&cluster=night": 400,
		"path=/app&cluster=night&why=so": 400, "path=/app&cluster=night&since=so": 400} {
		for _, of := range []string{"/live/locks/hour?", "/api/hour?"} {
			status, _, body := webtest.Get(t, server+of+query)
			if status != want || strings.Contains(strings.ToLower(body), "zkviz has seen no lock") {
				t.Errorf("%s%s: %d, want %d: %s", of, query, status, want, body)
			}
		}
	}
	if status, _, _ := webtest.Get(t, server+"/api/hour?path=/none&cluster=night"); status != http.StatusNotFound {
		t.Errorf("of no lock the JSON is answered by %d", status)
	}
}

// between returns the text between two others; empty if they are missing.
func between(s, from, to string) string {
	_, s, _ = strings.Cut(s, from)
	s, _, _ = strings.Cut(s, to)
	return s
}
