package web_test

import (
	"context"
	"html"
	"net"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/redis/port"
)

// newRedis starts a Redis that ends with the test.
func newRedis(t *testing.T) *port.Server {
	t.Helper()
	s, err := port.Listen(port.Config{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestRedisInTheZoo checks that two pages see the same events, and that no page can do anything to the Redis.
func TestRedisInTheZoo(t *testing.T) {
	s := newRedis(t)
	srv := serve(t, web.Config{Redis: s, Zoo: newZoo()})
	a, b := dial(t, srv), dial(t, srv)
	const open = `{"do":"zoo","path":"/","system":"redis"}`
	a.send(open)
	run := a.next()
	if run.Header.Host != string(event.Embedded) {
		t.Fatalf("it begins as %+v", run)
	}
	b.send(open)
	if again := b.next(); again.Run != run.Run {
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
	for !strings.Contains(paths(b.logs[0]), "entry.set lock") {
		b.next()
	}
	for send, want := range map[string]string{
		`{"do":"zoo","path":"/a","system":"redis"}`:                            "ask for the path /",
		`{"do":"zoo","path":"/","system":"etcd"}`:                              `no "etcd" runs inside`,
		`{"do":"contend","clients":1}`:                                         `"zoo" first`,
		`{"do":"fault","branch":0,"fault":"restart node-1 at 1s for 2s"}`:      "",
		`{"do":"fault","branch":0,"fault":"pause client-1 at 1s for 5s"}`:      "",
		`{"do":"zoo","path":"/","system":"` + strings.Repeat("x", 1000) + `"}`: "runs inside",
	} {
		a.send(send)
		if s := a.until(says("error")); !strings.Contains(s.Text, want) {
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

// TestRedisPage checks that the page has the lines to paste with the reader's own address, or says how to start it.
func TestRedisPage(t *testing.T) {
	s := newRedis(t)
	_, port, err := net.SplitHostPort(s.Place())
	if err != nil {
		t.Fatal(err)
	}
	_, _, on := get(t, serve(t, web.Config{Redis: s}).URL+"/zoo/redis")
	on = html.UnescapeString(on)
	for _, line := range []string{
		"redis-cli -h 127.0.0.1 -p " + port, `redis.Redis(host="127.0.0.1", port=` + port, `r.lock("lock", timeout=10)`,
		"/stage?zoo=%2F&system=redis",
	} {
		if !strings.Contains(on, line) {
			t.Errorf("the page lacks %s", line)
		}
	}
	if _, _, off := get(t, serve(t, web.Config{}).URL+"/zoo/redis"); !strings.Contains(off, "--redis-listen") {
		t.Error("without a Redis the page does not say how to start one")
	}
}
