package main

import (
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/zkviz/zkviz/engine/testing/natstest"
)

// servedClass is a class whose pages are at two viz-servers, which share a NATS. Each visitor has a balancer.
type servedClass struct {
	classroom
	nats  *natstest.Server
	link  *natstest.Relay
	one   started
	other started // over link
	doors map[*visitor]*balancer
}

// aClassOverServers kills the server that decides about a class, cuts the next one off, and pauses a third. Pages go to
// a server that lives, the class goes on, and what was confirmed is there once.
func aClassOverServers(t *testing.T, b *browser) {
	n := natstest.Start(t)
	c := &servedClass{classroom: classroom{t: t, b: b}, nats: n, link: n.Relay(t), doors: map[*visitor]*balancer{}}
	c.lesson, _ = b.book.Find("the-herd")
	c.one, c.other = startServer(t, "--nats", n.URL()), startServer(t, "--nats", c.link.URL())
	c.one.linked(t)
	c.other.linked(t)
	c.teacher, c.ana, c.bo = c.visit(desktop, c.one, c.other), c.visit(upright, c.one, c.other), c.visit(desktop, c.other, c.one)
	c.opens()
	c.joins(c.ana, "Ana")
	c.joins(c.bo, "Bo")
	c.teacher.enters("#class-from")
	c.teacher.wait("stage", "ready")
	c.losesItsServer()
	c.isCutOff()
	c.hangs()
}

// visit opens a tab whose connections go to the first of the servers that lives.
func (c *servedClass) visit(w window, servers ...started) *visitor {
	c.t.Helper()
	w.noisy = true // the browser says that there is no connection
	d := balance(c.t, servers...)
	v := visit(c.t, c.b.ctx, d.url(), w)
	c.doors[v] = d
	return v
}

// losesItsServer kills the server that decides, while a question is open.
func (c *servedClass) losesItsServer() {
	c.t.Helper()
	v := c.teacher
	v.click(".progress a[href='#fan']")
	v.wait("step", "fan")
	c.meet("at the question", c.ana, c.bo)
	v.click("#class-ask")
	c.answers(c.ana, 0)
	c.answers(c.bo, 1)
	c.bo.says(`zkvizPage.room.say({ do: "tell", deed: { task: "the-herd/fan", faults: ["crash client-1 at 2s"], count: 1 } })`)
	v.until("both answers", func() bool { return v.count("#class-dots [data-answered=true]") == 2 })
	v.until("the deed", func() bool { return v.says(rows) == "1" })

	c.one.signal(c.t, syscall.SIGKILL)
	c.answers(c.bo, 2)
	c.ana.until("a connection to the other server", func() bool { return c.ana.says("zkvizPage.room.link") == "" })
	v.until("both here", func() bool { return v.count("#class-dots [data-where=here]") == 2 })
	if got := v.says(rows); got != "1" {
		c.t.Errorf("the board has %s rows", got)
	}
	v.click("#class-reveal")
	for _, l := range []*visitor{c.ana, c.bo} {
		l.until("one for each choice", func() bool { return l.says(counts) == "[1,0,1]" })
	}
	c.shoot("killed")
	v.press(kb.ArrowRight)
	c.meet("a step on", c.ana, c.bo)
}

// isCutOff cuts the server that decides off from NATS.
func (c *servedClass) isCutOff() {
	c.t.Helper()
}

func (c *servedClass) hangs() {
	c.t.Helper()
}

const (
	rows   = "zkvizPage.room.boards['the-herd/fan']?.rows.length ?? 0"
	counts = "JSON.stringify(zkvizPage.room.question()?.counts)"
)

// answers has a learner answer the question of the step, and waits until it counts.
func (c *servedClass) answers(l *visitor, choice int) {
	c.t.Helper()
	l.until("the question", func() bool { return l.says("!!zkvizPage.room.question()") == "true" })
	l.says(fmt.Sprintf("document.querySelectorAll('.step[data-here] .choice input')[%d].click()", choice))
	l.until("the answer to count", func() bool {
		return l.says("zkvizPage.room.said.you?.choice") == fmt.Sprint(choice)
	})
}

func (c *servedClass) shoot(name string) {
	c.teacher.shoot("servers/" + name + " teacher")
	c.ana.shoot("servers/" + name + " phone")
	c.bo.shoot("servers/" + name + " desktop")
}

// balancer passes each connection on to the first of its servers that accepts it.
type balancer struct {
	ln      net.Listener
	passing sync.WaitGroup

	mu      sync.Mutex
	servers []started
	conns   []net.Conn
}

func balance(t *testing.T, servers ...started) *balancer {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &balancer{ln: ln, servers: servers}
	d.passing.Go(d.accept)
	t.Cleanup(d.close)
	return d
}

func (d *balancer) url() string { return "http://" + d.ln.Addr().String() }

// use has new connections go to these servers.
func (d *balancer) use(servers ...started) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.servers = servers
}

func (d *balancer) accept() {
	for {
		client, err := d.ln.Accept()
		if err != nil {
			return
		}
		server := d.dial()
		if server == nil {
			client.Close()
			continue
		}
		d.mu.Lock()
		d.conns = append(d.conns, client, server)
		d.mu.Unlock()
		pass := func(to, from net.Conn) {
			_, _ = io.Copy(to, from) // it ends with one of them
			to.Close()
			from.Close()
		}
		d.passing.Go(func() { pass(client, server) })
		d.passing.Go(func() { pass(server, client) })
	}
}

func (d *balancer) dial() net.Conn {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.servers {
		if to, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://")); err == nil {
			return to
		}
	}
	return nil
}

func (d *balancer) close() {
	d.ln.Close()
	d.mu.Lock()
	for _, c := range d.conns {
		c.Close()
	}
	d.mu.Unlock()
	d.passing.Wait()
}
