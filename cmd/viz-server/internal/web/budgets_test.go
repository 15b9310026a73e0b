package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
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
	srv := serve(t, web.Config{})
	var class []*client
	for range 30 {
		c := dial(t, srv)
		c.send(fmt.Sprintf(`{"do":"open","query":"recipe=children-lock&clients=%d"}`, clients))
		class = append(class, c)
	}
	for i, c := range class {
		s := c.next()
		if s.Say != "run" || s.Branches[0].Events < events {
			t.Fatalf("learner %d gets %+v", i+1, s)
		}
	}
	last := class[len(class)-1]
	for len(last.logs[0]) < 1000 {
		last.next()
	}
}

// TestClassDoesAsItLikes makes thirty learners behind one address each open another recipe and inject a few faults.
func TestClassDoesAsItLikes(t *testing.T) {
	srv := serve(t, web.Config{})
	all := recipes.All()
	class := make([]*client, 30)
	for i := range class {
		class[i] = dial(t, srv)
		class[i].send(fmt.Sprintf(`{"do":"open","query":"recipe=%s&seed=%d"}`, all[i%len(all)].Name, i))
		for n := range 3 {
			class[i].send(fmt.Sprintf(`{"do":"fault","branch":%d,"fault":"crash client-%d at %d0ms"}`, n, n+1, n+1))
		}
	}
	for i, c := range class {
		for branches := 0; branches < 4; {
			switch s := c.until(func(s said) bool { return s.Say != "" }); s.Say {
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
	srv := serve(t, web.Config{Zoo: newZoo(), Cluster: &cluster{observe: idleObservation}})
	for _, do := range []string{"zoo", "observe"} {
		c := dial(t, srv)
		for i := range 2 * room.MaxZoos {
			c.send(fmt.Sprintf(`{"do":"%s","path":"/q%d"}`, do, i))
			if s := c.next(); s.Say != "run" {
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
	srv := serve(t, web.Config{})
	ask := openUnique
	for range room.MaxSocketsOfAsker {
		c := dial(t, srv)
		c.send(ask)
		run := c.until(says("run")).Run // not idle from here on
		ask = fmt.Sprintf(`{"do":"resume","run":%q}`, run)
		go c.drain()
	}
	_, resp, err := websocket.Dial(t.Context(), srv.URL+"/ws", &websocket.DialOptions{HTTPClient: from(1)})
	if err == nil || resp == nil || resp.StatusCode != http.StatusServiceUnavailable ||
		resp.Header.Get("Retry-After") == "" {
		t.Errorf("one page more gets %+v, %v", resp, err)
	}
	c := dialFrom(t, srv, 2)
	c.send(openUnique)
	c.until(says("run"))
}

// TestContendersAreFew asks for more contenders than one address may have.
func TestContendersAreFew(t *testing.T) {
	srv := serve(t, web.Config{Zoo: newZoo()})
	contend := func(from byte, i int) said {
		c := dialFrom(t, srv, from)
		c.send(fmt.Sprintf(`{"do":"zoo","path":"/q%d"}`, i))
		c.until(says("run"))
		c.send(`{"do":"contend","clients":10}`)
		return c.until(func(s said) bool { return s.Say == "error" || s.Say == "contenders" })
	}
	for i := range room.MaxContendersOfAsker / protocol.MaxContenders {
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
	srv := serve(t, web.Config{})
	c := dial(t, srv)
	c.send(openUnique)
	run := c.next()
	c.full(run.Branches[0])
	c.send(`{"do":"fault","branch":0,"fault":"crash client-2 at 2s"}`)
	b := c.until(says("branch")).row
	c.full(b)
	status, _, text := get(t, fmt.Sprintf("%s/api/trace?run=%s&branch=1", srv.URL, run.Run))
	if lines := strings.Count(text, "\n"); status != 200 || event.Seq(lines) != b.Events+1 {
		t.Errorf("%d: the file of %d events has %d lines", status, b.Events, lines)
	}
}
