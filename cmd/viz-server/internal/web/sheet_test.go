package web_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"testing"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

// told is what a page reads of a sheet.
type told struct {
	Events, Sheets int
	SVG            string
}

// TestStory checks whom /api/sheet answers, and that a branch has its own story.
func TestStory(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	c := webtest.Dial(t, srv)
	c.Send(openUnique)
	run := c.Next().Run
	c.Send(`{"do":"fault","branch":0,"fault":"crash client-2 at 2s"}`)
	b := c.Until(webtest.OfKind("branch")).Row
	of := func(branch int) string { return fmt.Sprintf("run=%s&branch=%d", run, branch) }
	stories := map[string]told{}
	for _, x := range []struct {
		query string
		want  int
	}{
		{of(0), 200}, {of(1), 200}, {of(0), 200}, {of(1) + "&theme=dark", 200}, {of(1) + "&lit=9&down=1&width=350", 200},
		{of(0) + "&sheet=-1&width=x&height=1e99&lit=%00&theme=%3Cb%3E", 200},
		{of(2), 404}, {"run=" + run, 404}, {"run=r0&branch=0", 404}, {"", 404},
	} {
		status, h, text := webtest.Get(t, srv.URL+"/api/sheet?"+x.query)
		if status != x.want {
			t.Errorf("%s: %d, want %d", x.query, status, x.want)
		}
		if status != 200 {
			continue
		}
		var s told
		if err := json.Unmarshal([]byte(text), &s); err != nil || h.Get("Content-Type") != "application/json" ||
			h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v, %v", x.query, err, h)
		}
		if was, ok := stories[x.query]; ok && was != s {
			t.Errorf("%s has another story now", x.query)
		}
		stories[x.query] = s
	}
	if a, b1 := stories[of(0)], stories[of(1)]; a.SVG == b1.SVG || b1.Events != int(b.Events) {
		t.Errorf("the branch has %d events in its story, want %d", b1.Events, b.Events)
	}
	if stories[of(1)].SVG == stories[of(1)+"&theme=dark"].SVG {
		t.Error("a dark story is as the light one")
	}
}

// TestStoryGrows checks that the story of an observation has what has been seen by now.
func TestStoryGrows(t *testing.T) {
	inside, err := embed.Listen(embed.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = inside.Close() })
	srv := webtest.Serve(t, web.Config{Zoo: inside})
	p := webtest.Dial(t, srv)
	p.Send(openZoo)
	run := p.Until(webtest.OfKind("run")).Run
	story := func() (s told) {
		t.Helper()
		status, _, text := webtest.Get(t, srv.URL+"/api/sheet?branch=0&run="+url.QueryEscape(run))
		if err := json.Unmarshal([]byte(text), &s); status != 200 || err != nil {
			t.Fatal(status, err, text)
		}
		return s
	}
	before := story()
	conn, _, err := zk.Connect([]string{inside.Addr().String()}, 1e10, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Create("/locks", nil, 0, zk.WorldACL(zk.PermAll)); err != nil && err != zk.ErrNodeExists {
		t.Fatal(err)
	}
	seen := 0
	for made := false; !made; seen++ {
		for seen >= len(p.Logs[0]) {
			p.Next()
		}
		made = p.Logs[0][seen].Kind == event.SessionCreated
	}
	if after := story(); after.Events < seen || after.Events <= before.Events || after.SVG == before.SVG {
		t.Errorf("the story has %d events, before %d, and the log %d", after.Events, before.Events, seen)
	}
}
