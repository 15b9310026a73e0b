package web_test

import (
	"net"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/redis/port"
	"github.com/zkviz/zkviz/engine/testing/redistest"
)

// TestRedisInTheZoo checks that two pages see the same events, and that no page can do anything to the Redis.
func TestRedisInTheZoo(t *testing.T) {
	s := redistest.Simulated(t, port.Config{})
	srv := webtest.Serve(t, web.Config{Redis: s, Zoo: webtest.NewZoo()})
	a, b := webtest.Dial(t, srv), webtest.Dial(t, srv)
	const open = `{"do":"zoo","path":"/","system":"redis"}`
	a.Send(open)
	run := a.Next()
	if run.Header.Host != string(event.Embedded) {
		t.Fatalf("it begins as %+v", run)
	}
	b.Send(open)
	if again := b.Next(); again.Run != run.Run {
		t.Errorf("the second page got the run %q, the first %q", again.Run, run.Run)
	}
	c, err := net.Dial("tcp", s.Place())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("set lock me nx px 60000\r\n")); err != nil {
		t.Fatal(err)
	}
	for !strings.Contains(paths(b.Logs[0]), "entry.set lock") {
		b.Next()
	}
	for send, want := range map[string]string{
		`{"do":"zoo","path":"/a","system":"redis"}`:                            "ask for the path /",
		`{"do":"zoo","path":"/","system":"etcd"}`:                              `no "etcd" runs inside`,
		`{"do":"contend","clients":1}`:                                         `"zoo" first`,
		`{"do":"fault","branch":0,"fault":"restart node-1 at 1s for 2s"}`:      "",
		`{"do":"fault","branch":0,"fault":"pause client-1 at 1s for 5s"}`:      "",
		`{"do":"zoo","path":"/","system":"` + strings.Repeat("x", 1000) + `"}`: "runs inside",
	} {
		a.Send(send)
		if s := a.Until(webtest.OfKind("error")); !strings.Contains(s.Text, want) {
			t.Errorf("%s: %q", send, s.Text)
		}
	}
}

// paths lists the events' kinds and paths.
func paths(events []event.Event) string {
	var b strings.Builder
	for _, e := range events {
		b.WriteString(e.Kind.String() + " " + e.Path + "\n")
	}
	return b.String()
}
