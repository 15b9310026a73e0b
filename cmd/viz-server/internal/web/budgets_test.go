package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/run/room"
	"github.com/zkviz/zkviz/recipes"
)

// TestClassOpensALargeRun makes thirty learners behind one address open a large run. It is computed and kept once, and
// all are served. In short tests it is smaller, because with the race detector a busy machine may exceed a page's time.
func TestClassOpensALargeRun(t *testing.T) {
	clients, events := 400, event.Seq(100_000)
	if testing.Short() {
		clients, events = 200, 20_000
	}
	srv := webtest.Serve(t, web.Config{})
	var class []*webtest.Client
	for range 30 {
		c := webtest.Dial(t, srv)
		c.Send(fmt.Sprintf(`{"do":"open","query":"recipe=children-lock&clients=%d"}`, clients))
		class = append(class, c)
	}
	for i, c := range class {
		s := c.Next()
		if s.Say != "run" || s.Branches[0].Events < events {
			t.Fatalf("learner %d gets %+v", i+1, s)
		}
	}
	last := class[len(class)-1]
	for len(last.Logs[0]) < 1000 {
		last.Next()
	}
}

// TestClassDoesAsItLikes makes thirty learners behind one address each open another recipe and inject a few faults.
func TestClassDoesAsItLikes(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	all := recipes.All()
	class := make([]*webtest.Client, 30)
	for i := range class {
		class[i] = webtest.Dial(t, srv)
		class[i].Send(fmt.Sprintf(`{"do":"open","query":"recipe=%s&seed=%d"}`, all[i%len(all)].Name, i))
		for n := range 3 {
			class[i].Send(fmt.Sprintf(`{"do":"fault","branch":%d,"fault":"crash client-%d at %d0ms"}`, n, n+1, n+1))
		}
	}
	for i, c := range class {
		for branches := 0; branches < 4; {
			switch s := c.Until(func(s webtest.Message) bool { return s.Say != "" }); s.Say {
			case "run":
				branches = len(s.Branches)
			case "branch":
				branches = s.ID + 1
			case "error":
				t.Fatalf("learner %d: %s", i+1, s.Text)
			}
		}
	}
}

// TestWhoHasLeftMakesRoom opens and leaves more subtrees than the limit, in the zoo and on the cluster. The next are
// served at once.
func TestWhoHasLeftMakesRoom(t *testing.T) {
	srv := webtest.Serve(t, web.Config{Zoo: webtest.NewZoo(), Cluster: &webtest.Cluster{Observes: idleObservation}})
	for _, do := range []string{"zoo", "observe"} {
		c := webtest.Dial(t, srv)
		for i := range 2 * room.MaxZoos {
			c.Send(fmt.Sprintf(`{"do":"%s","path":"/q%d"}`, do, i))
			if s := c.Next(); s.Say != "run" {
				t.Fatalf("%s: after %d that were left: %+v", do, i, s)
			}
		}
	}
}

// TestTooManyPages uses up one address's connections. The next page is told when to come again.
func TestTooManyPages(t *testing.T) {
	if testing.Short() {
		t.Skip("it opens more than a thousand connections")
	}
	srv := webtest.Serve(t, web.Config{})
	ask := openUnique
	for range room.MaxSocketsPerClient {
		c := webtest.Dial(t, srv)
		c.Send(ask)
		run := c.Until(webtest.OfKind("run")).Run // not idle from here on
		ask = fmt.Sprintf(`{"do":"resume","run":%q}`, run)
		go c.Drain()
	}
	_, resp, err := websocket.Dial(t.Context(), srv.URL+"/ws", &websocket.DialOptions{HTTPClient: webtest.From(1)})
	if err == nil || resp == nil || resp.StatusCode != http.StatusServiceUnavailable ||
		resp.Header.Get("Retry-After") == "" {
		t.Errorf("one page more gets %+v, %v", resp, err)
	}
	c := webtest.DialFrom(t, srv, 2)
	c.Send(openUnique)
	c.Until(webtest.OfKind("run"))
}

// TestContendersAreFew asks for more contenders than one address may have.
func TestContendersAreFew(t *testing.T) {
	srv := webtest.Serve(t, web.Config{Zoo: webtest.NewZoo()})
	contend := func(from byte, i int) webtest.Message {
		c := webtest.DialFrom(t, srv, from)
		c.Send(fmt.Sprintf(`{"do":"zoo","path":"/q%d"}`, i))
		c.Until(webtest.OfKind("run"))
		c.Send(`{"do":"contend","clients":10}`)
		return c.Until(func(s webtest.Message) bool { return s.Say == "error" || s.Say == "contenders" })
	}
	for i := range room.MaxContendersPerClient / protocol.MaxContenders {
		if s := contend(1, i); s.Clients != 10 {
			t.Fatalf("the contenders of zoo %d: %+v", i+1, s)
		}
	}
	if s := contend(1, 10); s.Say != "error" || !strings.Contains(s.Text, "may have 40") || s.AgainMS == 0 {
		t.Errorf("more than an address may have: %+v", s)
	}
	if s := contend(2, 11); s.Clients != 10 {
		t.Errorf("those of another address: %+v", s)
	}
}

// TestTraceOfAForkedRun reads a whole history over several branches.
func TestTraceOfAForkedRun(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	c := webtest.Dial(t, srv)
	c.Send(openUnique)
	run := c.Next()
	c.Full(run.Branches[0])
	c.Send(`{"do":"fault","branch":0,"fault":"crash client-2 at 2s"}`)
	b := c.Until(webtest.OfKind("branch")).Row
	c.Full(b)
	status, _, text := webtest.Get(t, fmt.Sprintf("%s/api/trace?run=%s&branch=1", srv.URL, run.Run))
	if lines := strings.Count(text, "\n"); status != 200 || event.Seq(lines) != b.Events+1 {
		t.Errorf("%d: the file of %d events has %d lines", status, b.Events, lines)
	}
}
