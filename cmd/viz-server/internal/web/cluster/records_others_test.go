package cluster_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/observe/record"
	"github.com/zkviz/zkviz/engine/run/shared"
	"github.com/zkviz/zkviz/engine/testing/natstest"
)

// TestRecordsOfOthers lists, plays, searches and downloads at a server that records nothing what another one has. Once
// that one is out of reach, pages say so.
func TestRecordsOfOthers(t *testing.T) {
	night := webtest.NamedZooKeeper(t, "night", "/owl")
	n := natstest.Start(t)
	link := n.Relay(t)
	connect := func(url string) func() *shared.Bus {
		bus, err := shared.Open(t.Context(), shared.Config{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(bus.Close)
		return func() *shared.Bus { return bus }
	}
	folder, err := record.Open(record.Config{Dir: t.TempDir(), Max: record.MinBytes})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.Close() }) // after the server has closed
	named := []web.Named{night}
	one := webtest.Serve(t, web.Config{Named: named, Record: folder, Bus: connect(link.URL()),
		RecordPaths: []web.ClusterPath{{Cluster: "night", Path: "/"}}})
	two := webtest.Serve(t, web.Config{Named: named, Bus: connect(n.URL())})
	get := func(address string) string {
		status, _, body := webtest.Get(t, address)
		if status != http.StatusOK {
			t.Errorf("%s: %d", address, status)
		}
		return between(body, "<main", "</main>")
	}
	until := func(address, text string) (body string) {
		for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
			if body = get(address); strings.Contains(body, text) {
				return body
			}
			if time.Now().After(end) {
				t.Fatalf("%s doesn't say %q: %s", address, text, body)
			}
		}
	}
	mine, theirs := until(one.URL+"/live/records", "and goes on"), until(two.URL+"/live/records", "and goes on")
	if !strings.Contains(mine, "the other servers are in the list") || strings.Contains(mine, "at another server") {
		t.Errorf("its own list: %s", mine)
	}
	if !strings.Contains(theirs, "records nothing itself") || !strings.Contains(theirs, "at another server") ||
		!strings.Contains(theirs, "night") {
		t.Errorf("the list of a server without recordings: %s", theirs)
	}
	address := regexp.MustCompile(`/live/records/[a-z2-7]{16}\.[^"/]+`)
	at := address.FindString(theirs)
	if at == "" || address.FindString(mine) != at {
		t.Fatalf("a recording is at %q here and at %q there", address.FindString(mine), at)
	}
	if body := get(two.URL + at); !strings.Contains(body, "/api/record/"+strings.TrimPrefix(at, "/live/records/")) {
		t.Errorf("its page: %s", body)
	}
	until(two.URL+at+"/hour?path=/owl", "There is no lock at /owl in this recording.")
	file := "/api/record/" + strings.TrimPrefix(at, "/live/records/")
	_, _, want := webtest.Get(t, one.URL+file)
	_, head, got := webtest.Get(t, two.URL+file)
	if !strings.HasPrefix(got, want) || !strings.HasPrefix(head.Get("Content-Disposition"), "attachment") {
		t.Errorf("the file is %q there and %q here", got, want)
	}
	moment := recordedMoment(t, two.URL, "/owl", folder.List()[0].From.UnixMilli())
	if moment.Path != at {
		t.Errorf("the moment leads to %v", moment)
	}
	if body := get(two.URL + "/live/records?cluster=day"); !strings.Contains(body, "Nothing has been recorded") {
		t.Errorf("another cluster's list: %s", body)
	}
	link.Cut()
	if status, _, body := webtest.Get(t, two.URL+at); status != http.StatusServiceUnavailable ||
		!strings.Contains(body, "answer now") {
		t.Errorf("without the other server, its recording: %d, %s", status, body)
	}
	if body := get(two.URL + "/live/records"); !strings.Contains(body, "answer now: 1.") {
		t.Errorf("without the other server, the list: %s", body)
	}
	if body := get(one.URL + "/live/records?path=" + url.QueryEscape("/owl")); !strings.Contains(body, at) {
		t.Errorf("without NATS, its own list: %s", body)
	}
}
