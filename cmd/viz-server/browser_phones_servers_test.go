package main

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/testing/natstest"
)

// thePhonesOverServers has phones at two servers move clients, which are in the ZooKeeper of the server that owns the
// class. That one is paused: the other one's ZooKeeper has clients then, also when the first one goes on.
func thePhonesOverServers(t *testing.T, b *browser) {
	n := natstest.Start(t)
	serves := func() started {
		s := startServer(t, "--nats", n.URL(), "--zk-listen", "127.0.0.1:0")
		s.linked(t)
		return s
	}
	first, second := serves(), serves()
	name, secret := webtest.BeginClass(t, &httptest.Server{URL: first.URL}, "/zoo")
	anasDoor, door := balance(t, first), balance(t, second)
	noisy := func(w window, at *balancer) *visitor {
		w.noisy = true // the browser says that there is no connection
		return visit(t, b.ctx, at.url(), w)
	}
	teacher, ana, bo := noisy(desktop, door), noisy(upright, anasDoor), noisy(upright, door)
	teacher.open("/class/" + name + "#teach=" + secret)
	teacher.until("the teacher's door", func() bool { return teacher.count("#class-from") == 1 })
	ana.joins(name, "Ana", "/zoo")
	bo.joins(name, "Bo", "/zoo")
	teacher.enters("#class-from")
	teacher.wait("stage", "ready")
	is := func(v *visitor, words string) {
		t.Helper()
		v.until(words, func() bool { return strings.HasPrefix(v.text("#class-client"), words) })
	}
	bar := func(words string, pages ...*visitor) {
		t.Helper()
		for _, v := range pages {
			v.until("the bar to say "+strconv.Quote(words), func() bool {
				text := v.text("#class-link")
				return text == words || words != "" && strings.HasPrefix(text, words)
			})
		}
	}
	shoot := func(name string) {
		teacher.shoot("servers/phones " + name + " teacher")
		ana.shoot("servers/phones " + name + " Ana")
		bo.shoot("servers/phones " + name + " Bo")
	}
	teacher.until("the choice", func() bool { return teacher.count("#class-clients") == 1 })
	teacher.choose("#class-clients", "Phones are a queue")
	is(ana, "Not connected yet.")
	ana.click("#class-move-lock")
	is(ana, "Has the lock.")
	is(bo, "Not connected yet.")
	bo.click("#class-move-lock")
	is(bo, "Waits behind Ana.")
	picked := func(v *visitor) {
		t.Helper()
		v.until("its circle picked out", func() bool { return strings.HasPrefix(v.mark("selected"), "client-") })
	}
	bar("", ana, bo, teacher)
	picked(ana)
	picked(bo)
	teacher.until("Bo's client in the teacher's picture, too", func() bool {
		teacher.says("zkvizPage.program()?.command('select', 'client-2')")
		return strings.Contains(teacher.text("#inspector"), "Bo")
	})
	if n := teacher.integer("document.querySelectorAll('#log > .more').length"); n != 2 {
		t.Errorf("the log has rows of %d pictures", n/2)
	}
	if bo.count("#zoo-away:not([hidden])") != 1 || ana.count("#zoo-away:not([hidden])") != 0 {
		t.Error("pages don't say whose picture it is")
	}
	shoot("elsewhere")

	first.signal(t, syscall.SIGSTOP)
	is(bo, "Your client has ended.")
	bar("", teacher, bo)
	anasDoor.use(second)
	ana.says("(zkvizPage.room.on('link', (is) => { window.links = (window.links || '') + is + '.'; }), '')")
	ana.says("(performance.now = () => 1e9, '')") // nothing has been heard for long
	is(ana, "Your client has ended.")
	if links := ana.says("window.links"); !strings.HasPrefix(links, "lost.") {
		t.Errorf("Ana's page has come back by %q", links)
	}
	bar("", ana)
	shoot("gone")
	bo.click("#class-move-lock")
	is(bo, "Has the lock.")
	ana.click("#class-move-lock")
	is(ana, "Waits behind Bo.")
	shoot("again")
	first.signal(t, syscall.SIGCONT)
	first.get(t, "/class/"+name, func(status int, _ string) bool { return status == http.StatusOK })
	all := second.results(t, name, secret)
	if got := first.results(t, name, secret); got != all || strings.Count(all, `"joined"`) != 2 {
		t.Errorf("the results of one server are\n%s\nand of the other\n%s", all, got)
	}
	is(bo, "Has the lock.")
	is(ana, "Waits behind Bo.")
	cleo := noisy(desktop, anasDoor)
	anasDoor.use(first)
	cleo.joins(name, "Cleo", "/zoo")
	cleo.until("the others' clients in her picture, at a server that hasn't got them any more", func() bool {
		cleo.says("zkvizPage.program()?.command('select', 'client-1')")
		return strings.Contains(cleo.text("#inspector"), "Bo")
	})
	cleo.shoot("servers/phones Cleo")
	cleo.click("#class-leave")
	cleo.until("her server's own picture", func() bool {
		return cleo.count("#zoo-away:not([hidden])") == 0 && cleo.mark("stage") == "ready" && cleo.integer(
			"new URL(document.getElementById('stage').contentWindow.location).searchParams.has('class') ? 1 : 0") == 0
	})
}
