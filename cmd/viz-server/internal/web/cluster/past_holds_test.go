package cluster_test

import (
	"html"
	"net/http"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestPastHolders checks the table of who held a lock by transaction logs: the filter, what is missing, and that the
// page of handovers leads there and each hold to its moment.
func TestPastHolders(t *testing.T) {
	expired := at(5, wire.Txn{Session: 0xb, Op: wire.OpCloseSession, Paths: []string{"/lock/lock-0000000002"}})
	expired.Cxid = 0
	begin := []wire.Txn{at(1, wire.Txn{Session: 9, Op: wire.OpCreate, Path: "/lock"}), queued(2, 0xa, 1),
		queued(3, 0xb, 2), left(4, 0xa, 1), expired, queued(6, 0xc, 3)}
	whole := webtest.Serve(t, web.Config{Past: ofFiles(t, map[string][]byte{"log.1": txnlogtest.Log(begin...)})})
	holes := webtest.Serve(t, web.Config{Past: ofFiles(t, map[string][]byte{"log.1": txnlogtest.Log(begin...),
		"log.14": txnlogtest.Log(queued(20, 0xd, 4), left(21, 0xd, 4))})})
	_, body := found(t, whole.URL+"/past?path=/lock&hands=1")
	if link := html.UnescapeString(between(body, `href="/past/holders`, `"`)); link != "?path=%2Flock" {
		t.Errorf("the page of handovers leads to %q", link)
	}
	for _, c := range []struct {
		url, query string
		has, not   []string
	}{
		{whole.URL, "", []string{"2 holds ended since", "<code>0xa</code>", "<code>0xb</code>", "<code>0xc</code>",
			"it let go</span>", "its session expired</span>", "holds it now", "held 2 times: too few", "for 2.0 s", "for 1.0 s",
			"/past/moment?at="}, []string{"host unknown", "missing"}},
		{whole.URL, "&why=expired", []string{"<code>0xb</code>", "1 of 3 shown."}, []string{"<code>0xa</code>"}},
		{whole.URL, "&who=0xa", []string{"<code>0xa</code>", "1 of 3 shown."}, []string{"<code>0xb</code>"}},
		{whole.URL, "&since=2s", []string{"2 of 3 shown."}, []string{"<code>0xa</code>"}},
		{whole.URL, "&until=2026-11-25T03:00:03.5Z", []string{"<code>0xa</code>"}, []string{"<code>0xb</code>"}},
		{holes.URL, "", []string{"Transactions are missing between 0x6 and 0x14", "this log doesn&#39;t show why",
			"for at most"}, nil},
		{whole.URL, "x", []string{"These files name no such znode"}, []string{"<table"}},
	} {
		status, body := found(t, c.url+"/past/holders?path=/lock"+c.query)
		if status != http.StatusOK {
			t.Errorf("%q: status %d", c.query, status)
		}
		for _, want := range c.has {
			if !strings.Contains(body, want) {
				t.Errorf("%q: the page lacks %q:\n%s", c.query, want, textOf(body))
			}
		}
		for _, never := range c.not {
			if strings.Contains(between(body, "<main", "</main>"), never) {
				t.Errorf("%q: the page has %q", c.query, never)
			}
		}
	}
	for _, query := range []string{"", "?path=lock", "?path=/lock&why=x", "?path=/lock&since=x"} {
		if status, _, _ := webtest.Get(t, whole.URL+"/past/holders"+query); status != http.StatusBadRequest {
			t.Errorf("%q: status %d", query, status)
		}
	}
	if status, _, _ := webtest.Get(t, webtest.Serve(t, web.Config{}).URL+"/past/holders"); status != http.StatusNotFound {
		t.Errorf("without logs: status %d", status)
	}
}
