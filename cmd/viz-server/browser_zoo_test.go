package main

import (
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/static/join"
)

// joinTheZoo queues with its own client, like a reader, and finds it and its requests in the Zoo.
func joinTheZoo(t *testing.T, b *browser) {
	inside, err := listenInside(t.Context(), "127.0.0.1:0", 1, nil, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := inside.Close(); err != nil {
			t.Error(err)
		}
	})
	addr := inside.ConnectString()
	w := desktop
	w.still = false
	v := visit(t, b.ctx, b.serve(t, web.Config{Zoo: inside}), w)
	v.open("/zoo")
	v.wait("stage", "ready")
	v.wait("host", "zoo")
	if text := v.text("#way-0"); !strings.Contains(text, "-server "+addr) {
		t.Errorf("the lines to paste are %q, without %s", text, addr)
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

	conn, _, err := zk.Connect([]string{addr}, 40*time.Second, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	lock := zk.NewLock(conn, join.Path, zk.WorldACL(zk.PermAll))
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	counted("in the queue", "1")
	logged("lock-000")

	v.click("[data-do=more]")
	v.click("[data-do=more]")
	v.wait("contenders", "2")
	counted("in the queue", "3")
	counted("watches set", "2") // so a client learns that the lock is free
	v.shoot("zoo/queue")
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	logged("lock-000 was deleted")
	v.shoot("zoo/left")

	v.press("2") // the first contender
	v.wait("selected", "client-2")
	v.until("its facts", func() bool { return strings.Contains(v.text("#inspector"), "a contender") })
	v.press("p")
	v.search("client.paused")
	v.until("a contender to be paused", func() bool {
		// If the machine stalled until the first contender's session ended, try the others.
		for n := range 50 {
			if strings.Contains(v.text("#log"), "client.paused") {
				return true
			}
			time.Sleep(time.Duration(n) * time.Millisecond)
		}
		v.press(strconv.Itoa(2+rand.IntN(8)), "p")
		return false
	})
	v.search("")
	v.shoot("zoo/paused")
	v.press("1", "p") // the reader's own
	v.wait("selected", "client-1")
	if n := v.count(".fault-buttons button"); n != 0 {
		t.Errorf("there are %d buttons to do something to a program from outside", n)
	}
	v.until("a refusal", func() bool { return strings.Contains(v.text("#link:not([hidden])"), "a program of its own") })

	v.click("[data-do=fewer]")
	v.wait("contenders", "1")
	if _, err := conn.Create(join.Path+"/"+markup, []byte(markup), 0, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	v.press(kb.End)
	logged("onerror=window.hacked")
	if got := v.says("window.hacked || stage.contentWindow.hacked || document.querySelector('img[src=x], #log b, " +
		"#inspector b')"); got != "null" {
		t.Errorf("a znode's name or data was taken for markup: %s", got)
	}
	v.shoot("zoo/tree")

	v.resize(upright)
	if over := v.integer("document.documentElement.scrollWidth - innerWidth"); over > 0 {
		t.Errorf("on a phone the page is %d px too wide", over)
	}
	v.shoot("zoo/phone")
}

// crashInTheZoo crashes the leader of the ensemble inside while contenders queue, and starts it again.
func crashInTheZoo(t *testing.T, b *browser) {
	inside, err := listenInside(t.Context(), "127.0.0.1:0", 3, nil, io.Discard)
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
	v := visit(t, b.ctx, b.serve(t, web.Config{Zoo: inside}), w)
	v.open("/zoo")
	v.wait("stage", "ready")
	if text := v.text("#way-0"); !strings.Contains(text, "-server "+inside.ConnectString()) {
		t.Errorf("the lines to paste are %q, without %s", text, inside.ConnectString())
	}
	v.click("[data-do=more]")
	v.click("[data-do=more]")
	v.wait("contenders", "2")
	is := func(what string) {
		t.Helper()
		v.until("server 3 to be "+what, func() bool { return strings.Contains(v.text("#inspector"), what) })
	}
	choose := func(name, label string) {
		t.Helper()
		x, y := v.find(name)
		v.do(chromedp.MouseClickXY(x, y))
		v.wait("selected", name)
		v.until("the menu", func() bool { return v.count("#menu") == 1 })
		v.do(chromedp.Click(`//*[@id="menu-deeds"]/button[.="` + label + `"]`))
	}
	v.shoot("zoo/ensemble")
	choose("server-3", "Crash")
	is("is down")
	v.search("epoch 2")
	v.until("another leader", func() bool { return strings.Contains(v.text("#log"), "leader.activated") })
	v.search("")
	v.shoot("zoo/crashed")
	choose("server-3", "Start")
	is("follows")
	v.shoot("zoo/started")
	v.resize(upright)
	v.shoot("zoo/ensemble-phone")
}
