package main

import (
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

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
	c.teacher, c.ana = c.visit(desktop, c.one, c.other), c.visit(upright, c.one, c.other)
	c.bo = c.visit(desktop, c.other, c.one)
	c.opens()
	c.joins(c.ana, "Ana")
	c.joins(c.bo, "Bo")
	c.teacher.enters("#class-from")
	c.teacher.wait("stage", "ready")
	c.losesItsServer()
	c.isCutOff()
	c.link.Delay(50 * time.Millisecond)
	c.hangs()
	c.link.Delay(0)
	c.isLate()
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
	c.bo.says("zkvizPage.room.say({ do: 'tell', deed: " +
		"{ task: 'the-herd/fan', faults: ['crash client-1 at 2s'], count: 1 } })")
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
	c.ana.until("an end of what the stage said of it", func() bool { return c.ana.text("#link") == "" })
}

// isCutOff has a server come up, and cuts off the one that decides: the phone stays there, and answers a question.
func (c *servedClass) isCutOff() {
	c.t.Helper()
	c.one = startServer(c.t, "--nats", c.nats.URL())
	c.one.linked(c.t)
	for _, v := range []*visitor{c.teacher, c.bo} {
		c.doors[v].use(c.one, c.other)
		v.reloads()
	}
	c.asks("Who decides?")
	c.cutsOff()
	c.ana.click("#class-choices button:nth-of-type(1)")
	c.ana.until("word that it's on its way", func() bool {
		return strings.Contains(c.ana.text("#class-answers"), "on its way")
	})
	c.shoot("cut off")
	c.bo.click("#class-choices button:nth-of-type(2)")
	c.teacher.until("one answer", func() bool { return c.teacher.count("#class-dots [data-answered=true]") == 1 })
	c.teacher.press(kb.ArrowRight)
	c.meet("two steps on", c.bo)
	c.shoot("taken over")
	c.link.Heal()
	c.ana.until("the answer to count", func() bool {
		return strings.Contains(c.ana.text("#class-answers"), "Your answer counts")
	})
	c.meet("the phone too", c.ana)
	c.teacher.until("two answers", func() bool { return c.teacher.count("#class-dots [data-answered=true]") == 2 })
	c.shoot("healed")
}

// asks has the teacher ask a question of one's own.
func (c *servedClass) asks(text string) {
	c.t.Helper()
	c.teacher.says("zkvizPage.room.say({ do: 'pose', question: { text: '" + text +
		"', words: ['one server', 'all servers'], choices: 2, right: 0 } })")
	for _, l := range []*visitor{c.ana, c.bo} {
		l.until("the choices", func() bool {
			return l.text("#class-question-text") == text && l.count("#class-choices button") == 2
		})
	}
}

// cutsOff cuts the phone's server off from NATS.
func (c *servedClass) cutsOff() {
	c.t.Helper()
	c.link.Cut()
	c.ana.until("word of it", func() bool { return strings.HasPrefix(c.ana.text("#class-link"), "This server has lost") })
}

// hangs pauses the server that decides, for longer than it may. The phone, at the other one, changes its answer.
func (c *servedClass) hangs() {
	c.t.Helper()
	c.one.signal(c.t, syscall.SIGSTOP)
	c.bo.click("#class-choices button:nth-of-type(1)")
	c.ana.click("#class-choices button:nth-of-type(2)")
	c.ana.until("the answer to count", func() bool { return c.ana.says("zkvizPage.room.said.you.choice") == "1" })
	c.shoot("paused")
	c.one.signal(c.t, syscall.SIGCONT)
	c.bo.until("the answer to count", func() bool { return c.bo.says("zkvizPage.room.said.you.choice") == "0" })
	c.teacher.click("#class-reveal")
	for _, v := range []*visitor{c.teacher, c.ana, c.bo} {
		v.until("one for each choice", func() bool { return v.says(counts) == "[1,1]" })
	}
	c.teacher.press(kb.ArrowLeft)
	c.meet("a step back", c.ana, c.bo)
	c.shoot("goes on")
}

// isLate has the phone answer while it is cut off, until nobody takes answers any more.
func (c *servedClass) isLate() {
	c.t.Helper()
	c.asks("Who is late?")
	c.cutsOff()
	c.ana.click("#class-choices button:nth-of-type(1)")
	c.teacher.click("#class-reveal")
	c.bo.until("no answers", func() bool { return c.bo.says(counts) == "[0,0]" })
	c.link.Heal()
	c.ana.until("word that it's late", func() bool {
		return strings.Contains(c.ana.text("#class-answers"), "No more answers were taken when yours arrived")
	})
	c.shoot("late")
	if n := c.ana.count("#class-bars [data-mine]"); n != 0 {
		c.t.Errorf("the phone shows %d choices as its reader's, of an answer that was late", n)
	}
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
