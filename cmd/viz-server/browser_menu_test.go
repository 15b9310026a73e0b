package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/lessons"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

// byMenu uses the menu beside things on the stage: by mouse, by keyboard, on a phone and enlarged.
func byMenu(t *testing.T, b *browser) {
	l, _ := b.book.Find("watch-the-one-ahead")
	v := visit(t, b.ctx, b.url, desktop)
	v.enter(l)
	v.pick("client-1")
	v.until("the menu", func() bool { return v.count("#menu") == 1 })
	if n := v.count("#menu [data-deed]"); n != 6 {
		t.Errorf("%d things can be done to a client, want 6", n)
	}
	v.shoot("menu/client")
	v.inSight("on a desktop")
	v.click("#menu [data-deed=pause]")
	v.wait("branches", "2")
	if v.count("#menu") != 0 {
		t.Error("the menu stays when it has been used")
	}
	if said := v.text("#branches"); !strings.Contains(said, "pause") {
		t.Errorf("the branches are %q", said)
	}

	v.press("b")
	v.wait("branch", "0")
	v.press("2", "m")
	v.until("the menu of B", func() bool { return strings.Contains(v.text("#menu-title"), "B") && v.count("#menu") == 1 })
	if in := v.says("document.activeElement.dataset.deed"); in != "crash" {
		t.Errorf("the focus is on %q", in)
	}
	v.press(kb.ArrowDown, kb.Escape)
	v.until("the menu to close", func() bool { return v.count("#menu") == 0 })
	if v.mark("selected") != "client-2" {
		t.Errorf("after Escape %q is selected", v.mark("selected"))
	}
	v.press("m", kb.Enter)
	v.wait("branches", "3")

	v.pick("/zkviz/predecessor-lock") // it belongs to no client, so it has no actions
	if v.count("#menu") != 0 {
		t.Error("there is a menu at the root")
	}
	v.press("n", "m")
	v.until("the menu of a znode", func() bool {
		return strings.Contains(v.text("#menu-deeds"), "Expire the session of A")
	})
	if n := v.count("#menu [data-deed]"); n != 1 {
		t.Errorf("%d things can be done to a znode, want 1", n)
	}

	for name, w := range map[string]window{
		"upright": upright, "sideways": sideways, "enlarged": {width: 700, height: 450},
	} {
		v.resize(w)
		v.until("the stage on another window", func() bool {
			v.press("0", "n", "m")
			return v.count("#menu") == 1
		})
		v.inSight(name)
		v.shoot("menu/" + name)
		v.press(kb.Escape)
	}

	v.resize(upright)
	v.press("0")
	v.pick("client-2")
	v.until("the buttons on a phone", func() bool { return v.count("#faults .fault-buttons button") == 6 })
	if n := v.count("#menu"); n != 0 {
		t.Error("on a phone the menu has the same buttons as what is selected")
	}
	v.shoot("menu/tapped on a phone")
}

// byMenuOfServers partitions an ensemble's leader from the others. Then it crashes another server and starts it
// again, by keyboard alone.
func byMenuOfServers(t *testing.T, b *browser) {
	l, _ := b.book.Find("a-write-asks-a-majority")
	v := visit(t, b.ctx, b.url, desktop)
	v.enter(l)
	v.pick("server-3")
	v.until("the menu", func() bool { return v.count("#menu") == 1 })
	if n := v.count("#menu-deeds button"); n != 7 {
		t.Errorf("%d things can be done to a server, want 7", n)
	}
	v.shoot("menu/server")
	v.inSight("on a desktop")
	v.click("#menu-deeds button:nth-last-child(2)")
	v.wait("branches", "2")
	if said := v.text("#branches"); !strings.Contains(said, "partition server-3 | server-1 server-2") {
		t.Errorf("the branches are %q", said)
	}

	v.press("0")
	v.wait("selected", "")
	v.until("a server to be selected by keys", func() bool {
		v.press("n")
		return v.mark("selected") == "server-1"
	})
	choose := func(deed string) {
		t.Helper()
		v.press("m")
		v.until("a menu with "+deed, func() bool { return strings.Contains(v.text("#menu-deeds"), deed) })
		v.until(deed+" to have the focus", func() bool {
			if v.says("document.activeElement.textContent") == deed {
				return true
			}
			v.press(kb.ArrowDown)
			return false
		})
		v.press(kb.Enter)
	}
	stepTo := func(what string) {
		t.Helper()
		v.until("server 1 to be "+what, func() bool {
			if strings.Contains(v.text("#inspector"), what) {
				return true
			}
			v.press(".")
			return false
		})
	}
	choose("Crash")
	v.wait("branches", "3")
	v.wait("playing", "false")
	stepTo("is down")
	choose("Start")
	v.wait("branches", "4")
	if said := v.text("#branches"); !strings.Contains(said, "start server-1") {
		t.Errorf("the branches are %q", said)
	}
	stepTo("follows")
}

// byMenuOfMessages wins a task by messages between servers, which it chooses by keys. Only one of them doesn't win it,
// and the reader is told why. A server can't be struck there.
func byMenuOfMessages(t *testing.T, b *browser) {
	l, _ := b.book.Find("neither-yes-nor-no")
	n := slices.IndexFunc(l.Steps, func(s lessons.Step) bool { return s.Challenge != nil })
	v := visit(t, b.ctx, b.url, desktop)
	v.enter(l)
	for range n {
		v.turn(kb.ArrowRight)
	}
	v.wait("step", l.Steps[n].Anchor)
	v.wait("playing", "false")
	v.does(l, n)
	f, err := fault.Parse(l.Steps[n].Challenge.Solution[0])
	if err != nil {
		t.Fatal(err)
	}
	v.says("zkvizPage.command('seek', 5100)")
	v.wait("atMs", "5100")
	x, y, is := v.where("canvas.title === '' && canvas.style.cursor === 'pointer'", false)
	if !is {
		t.Fatal("no message answers to the pointer")
	}
	v.do(chromedp.MouseClickXY(x, y))
	v.until("the menu of a message", func() bool {
		return strings.HasPrefix(v.text("#menu-title"), "PROPOSAL on its way from S3")
	})
	v.shoot("menu/message")
	v.inSight("beside a message")
	v.press(kb.Escape)
	v.suffers(f)
	v.wait("branch", "3")
	if said := v.text("#branches"); !strings.Contains(said, "delay "+f.Message.String()) {
		t.Errorf("the branches are %q", said)
	}
	v.shoot("menu/message held up")
	v.press(kb.End)
	why := uistrings.English().Say("challenge.why.kept-by-one")
	v.until("to be told why that failed", func() bool {
		return strings.Contains(v.text(".step[data-here] .outcome"), why)
	})
	v.press("a")
	v.wait("branch", "0")
	v.suffers(fault.Fault{Kind: fault.CrashServer, Server: 1})
	v.until("to be told that it is forbidden", func() bool { return strings.Contains(v.text("#link"), "isn't allowed") })
}

// inSight checks that no part of the menu is cut off.
func (v *visitor) inSight(where string) {
	v.t.Helper()
	if cut := v.says("((r) => r.left < 0 || r.top < 0 || r.right > innerWidth || r.bottom > innerHeight)" +
		"(menu.getBoundingClientRect())"); cut != "false" {
		v.t.Errorf("%s the menu is cut off", where)
	}
}
