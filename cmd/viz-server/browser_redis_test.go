package main

import (
	"io"
	"net"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/stores/redis/resp"
)

// teller is the reader's own client.
type teller struct {
	t  *testing.T
	to net.Conn
	in *resp.Reader
}

func tell(t *testing.T, addr string) teller {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return teller{t, c, resp.NewReader(c)}
}

func (c teller) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.to, line+"\r\n"); err != nil {
		c.t.Fatal(err)
	}
}

func (c teller) ask(line string) string {
	c.t.Helper()
	c.send(line)
	v, err := c.in.Value()
	if err != nil {
		c.t.Fatal(err)
	}
	return v.String()
}

// takeTheLock takes a lock on the Redis inside with its own clients, like a reader. It then sees them, their keys,
// waiters and notifications.
func takeTheLock(t *testing.T, b *browser) {
	inside, err := listenRedis(t.Context(), "127.0.0.1:0", nil, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := inside.Close(); err != nil {
			t.Error(err)
		}
	})
	w := desktop
	w.still = false
	v := visit(t, b.ctx, b.serve(t, web.Config{Redis: inside, Base: "/team/zkviz"}), w)
	v.open("/zoo/redis")
	v.wait("stage", "ready")
	v.wait("host", "zoo")
	_, port, err := net.SplitHostPort(inside.Place())
	if err != nil {
		t.Fatal(err)
	}
	if text := v.text("#way-0"); !strings.Contains(text, "-p "+port) {
		t.Errorf("the lines to paste are %q, without the port %s", text, port)
	}
	logged := func(text string) {
		t.Helper()
		v.search(text) // it stays, whatever else happens
		v.until(text, func() bool { return strings.Contains(v.text("#log"), text) })
		v.search("")
	}
	counted := func(what, n string) {
		t.Helper()
		v.until(n+" "+what, func() bool { return strings.Contains(v.text("#counts"), what+"\n"+n+"\n") })
	}
	holder, waiter, reader := tell(t, inside.Place()), tell(t, inside.Place()), tell(t, inside.Place())
	holder.ask("client setname <b>holder</b>")
	holder.ask("set lock token-1 nx px 600000")
	logged("token-1")
	waiter.ask("client setname waiter")
	if got := waiter.ask("set lock token-2 nx px 600000"); got != "(nil)" {
		t.Errorf("the second gets %s", got)
	}
	waiter.send("blpop signal 0")
	counted("waiting for an element", "1")
	reader.ask("subscribe news")
	counted("connected now", "3")
	holder.ask("publish news hello")
	logged("hello")
	v.shoot("zoo/redis")

	v.press("1")
	v.wait("selected", "client-1")
	v.until("its name", func() bool { return strings.Contains(v.text("#inspector"), "<b>holder</b>") })
	holder.ask("pexpire lock 1")
	counted("keys", "0")
	holder.ask("rpush signal x")
	counted("waiting for an element", "0")
	if err := reader.to.Close(); err != nil {
		t.Fatal(err)
	}
	counted("connected now", "2")
	v.shoot("zoo/redis-over")
}
