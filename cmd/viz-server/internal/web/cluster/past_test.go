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

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/past/index"
	"github.com/zkviz/zkviz/engine/testing/indextest"
	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// ofLock returns a night of a lock that changes hands each minute, with hostile names and data.
func ofLock(t *testing.T) *index.Index {
	t.Helper()
	own := []zoo.ACL{{Perms: zoo.PermAll, Scheme: "digest", ID: "admin:x"}}
	return indextest.Night(t,
		wire.Txn{Session: 7, Cxid: 1, Op: wire.OpCreate, Path: "/app/<script>alert(1)</script>", ACL: zoo.OpenACL()},
		wire.Txn{Session: 7, Cxid: 2, Op: wire.OpCreate, Path: "/app/secret", Data: []byte("password"), ACL: own})
}

// found loads a page of the past again as often as it asks to be refreshed.
func found(t *testing.T, address string) (status int, body string) {
	t.Helper()
	for {
		status, head, body := webtest.Get(t, address)
		if head.Get("Refresh") == "" {
			return status, body
		}
	}
}

// TestPast checks that filters find the transactions, and that each row leads to its moment.
func TestPast(t *testing.T) {
	srv := webtest.Serve(t, web.Config{Past: ofLock(t)})
	for _, c := range []struct {
		query  string
		status int
		has    string
		rows   int
	}{
		{"", 200, "Created /app/&lt;script&gt;alert(1)&lt;/script&gt;, 0 bytes.", 50},
		{"?path=/app/lock&hands=1", 200, "Lost it with n-0000000000: its session expired, after holding it for 30 s", 50},
		{"?path=/app/lock&kind=znode.deleted&session=0x64", 200, "because its session expired, after 30 s", 1},
		{"?kind=session.expired&from=2026-11-25T03:55:00Z", 200, "Session expired", 6},
		{"?path=app", 400, "begin with /", 0},
		{"?session=me", 400, "is not a session", 0},
		{"?from=yesterday", 400, "is not a time", 0},
		{"?hands=1", 400, "Name the znode", 0},
	} {
		status, body := found(t, srv.URL+"/past"+c.query)
		if n := strings.Count(body, `class="what"`); status != c.status || !strings.Contains(body, c.has) || n != c.rows {
			t.Errorf("%s: status %d, %d rows, no %q", c.query, status, n, c.has)
		}
		if drawn := strings.Contains(body, "<figure"); drawn != (status == 200) {
			t.Errorf("%s: status %d, and a time line: %t", c.query, status, drawn)
		}
		if strings.Contains(body, "password") || strings.Contains(body, "<script>alert") {
			t.Errorf("%s: it has what nobody may see, or a script", c.query)
		}
	}
	_, body := found(t, srv.URL+"/past")
	next := regexp.MustCompile(`rel="next" href="([^"]*)"`).FindStringSubmatch(body)
	if next == nil {
		t.Fatal("there's no way to more")
	}
	if _, body = found(t, srv.URL+strings.ReplaceAll(next[1], "&amp;", "&")); !strings.Contains(body, "n-0000000016") {
		t.Error("the next rows aren't the next")
	}
}

// TestMoment checks that the page names the interval around a moment, and that the stage gets its log.
func TestMoment(t *testing.T) {
	srv := webtest.Serve(t, web.Config{Past: ofLock(t)})
	_, body := found(t, srv.URL+"/past/moment?path=/app&at=2026-11-25T03:20:00Z")
	stage := regexp.MustCompile(`data-address="/stage\?([^"]*)"`).FindStringSubmatch(body)
	if stage == nil {
		t.Fatal("the page has no stage")
	}
	v, err := url.ParseQuery(strings.ReplaceAll(stage[1], "&amp;", "&"))
	if err != nil || v.Get("path") != "/app" || v.Get("at") != "20m0s" {
		t.Errorf("%v: the stage shows %v", err, v)
	}
	c := webtest.Dial(t, srv)
	c.Send(`{"do":"past","path":"/app","window":"` + v.Get("window") + `"}`)
	if run := c.Next(); run.Header.Host != string(event.Joined) || run.Header.Root != "/app" {
		t.Fatalf("it begins as %+v", run)
	}
	last := func() event.Event { return c.Logs[0][len(c.Logs[0])-1] }
	for len(c.Logs[0]) == 0 || last().Kind != event.RunEnded {
		c.Next()
	}
	for _, e := range c.Logs[0] {
		if strings.Contains(e.Text, "password") {
			t.Errorf("the log has %+v", e)
		}
	}
	if status, body := found(t, srv.URL+"/past/moment?path=/app&at=2020-01-01"); status != 400 ||
		!strings.Contains(body, "Nothing happened in that time") {
		t.Errorf("where nothing happened: status %d", status)
	}
	if status, _, _ := webtest.Get(t, webtest.Serve(t, web.Config{}).URL+"/past"); status != 404 {
		t.Errorf("without files there's a page: status %d", status)
	}
}

// TestPastGrows checks that the page keeps up while a server writes half a transaction and then the rest, begins a new
// log and removes the old one.
func TestPastGrows(t *testing.T) {
	dir := t.TempDir()
	written := func(name string, b []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	node := func(n int64) wire.Txn {
		return wire.Txn{Session: 7, Cxid: int32(n), Zxid: n, TimeMS: 1_764_000_000_000 + n*1000, Op: wire.OpCreate,
			Path: fmt.Sprintf("/node-%d", n), ACL: zoo.OpenACL()}
	}
	written("log.1", txnlogtest.Log(node(1), node(2)))
	x := indextest.Read(t, dir)
	srv := webtest.Serve(t, web.Config{Past: x})
	page := func(what string, has, hasNot []string) {
		t.Helper()
		status, body := found(t, srv.URL+"/past")
		if status != 200 || strings.Contains(body, "viz-server") {
			t.Errorf("%s: status %d, or it names a command", what, status)
		}
		for _, text := range has {
			if !strings.Contains(body, text) {
				t.Errorf("%s: the page lacks %q", what, text)
			}
		}
		for _, text := range hasNot {
			if strings.Contains(body, text) {
				t.Errorf("%s: the page has %q", what, text)
			}
		}
	}
	page("at first", []string{"/node-2"}, []string{"/node-3"})
	grown := txnlogtest.Log(node(1), node(2), node(3), node(4))
	half := len(grown) - 1024 - 40
	written("log.1", append(grown[:half:half], make([]byte, 1064)...))
	page("with half a transaction", []string{"/node-3", "is still being written"}, []string{"/node-4", "torn"})
	written("log.1", grown)
	page("with the rest", []string{"/node-4"}, []string{"still being written", "torn", "damaged"})
	written("log.5", txnlogtest.Log(node(5), node(6)))
	page("with a new log", []string{"/node-1,", "/node-6"}, []string{"missing"})
	if err := os.Remove(filepath.Join(dir, "log.1")); err != nil {
		t.Fatal(err)
	}
	page("without the old one", []string{"can&#39;t be shown: log.1", "/node-5"}, []string{"/node-1,"})
}

// TestMomentLeadsIntoThePast checks that a moment that nobody has kept leads to the files that reach there.
func TestMomentLeadsIntoThePast(t *testing.T) {
	x := ofLock(t)
	srv := webtest.Serve(t, web.Config{Past: x, ZK: []string{"127.0.0.1:1"}})
	since, until := x.Span()
	for ms, want := range map[int64]string{since: "/past", until - 1: "/past", until: "/live", since - 1: "/live"} {
		_, h, body := webtest.Ask(t, http.DefaultClient, "GET",
			fmt.Sprintf("%s/live/moment?path=/app/lock&moment=%d", srv.URL, ms), "")
		at, err := url.Parse(h.Get("Location"))
		if err != nil || at.Path != want || at.Query().Get("path") != "/app/lock" {
			t.Errorf("%d leads to %v, not to %s: %s", ms-since, at, want, body)
		}
	}
}
