package main

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/testing/indextest"
	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// thePast finds all pages on a phone, including Past. It drags over the time line of a night, turns the wheel,
// filters kinds, looks for handovers and opens one.
func thePast(t *testing.T, b *browser) {
	begin := indextest.Begin()
	v := visit(t, b.ctx, b.serve(t, web.Config{Past: indextest.Night(t)}), desktop)
	minutes := func(mark string) float64 { // since the night's start, on the time line
		t.Helper()
		ms, err := strconv.ParseInt(v.says("document.querySelector('.past-line').dataset."+mark), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return time.UnixMilli(ms).Sub(begin).Minutes()
	}
	near := func(what string, from, until float64) {
		t.Helper()
		if a, z := minutes("fromMs"), minutes("untilMs"); a < from-1 || a > from+1 || z < until-1 || z > until+1 {
			t.Errorf("%s shows the minutes %.1f to %.1f, not %.1f to %.1f", what, a, z, from, until)
		}
	}
	moved := func(do func()) {
		t.Helper()
		v.says("window.old = true, ''")
		do()
		v.until("another time", func() bool {
			return v.says("String(!window.old && document.readyState === 'complete' && !!document.querySelector('.chosen'))") ==
				"true"
		})
	}
	v.open("/past")
	v.until("the time line", func() bool { return v.count(".past-line .column") > 10 })
	v.resize(upright)
	if out := v.says("[...document.querySelectorAll('.top a, .top button')].filter((e) => { const r = " +
		"e.getBoundingClientRect(); const n = e.closest('nav, .top').getBoundingClientRect(); return r.left < n.left || " +
		"r.right > n.right; }).map((e) => e.textContent).join()"); out != "" {
		t.Errorf("on a phone %q is out of sight", out)
	}
	v.resize(desktop)
	line := func(part float64) (x, y float64) {
		at := func(side string) float64 {
			return float64(v.integer("document.querySelector('.past-line svg').getBoundingClientRect()." + side))
		}
		return at("left") + part*(at("width")), at("top") + at("height")/2
	}
	const all = 59.5 // minutes
	moved(func() {
		x0, y := line(0.25)
		x1, _ := line(0.5)
		v.do(chromedp.MouseEvent("mouseMoved", x0, y), chromedp.MouseEvent("mousePressed", x0, y, chromedp.ButtonLeft),
			chromedp.MouseEvent("mouseMoved", x1, y, chromedp.ButtonLeft))
		if n := v.count(".chosen"); n != 1 {
			t.Errorf("while it is dragged over, %d parts of the time line are marked", n)
		}
		v.do(chromedp.MouseEvent("mouseReleased", x1, y, chromedp.ButtonLeft))
	})
	near("dragging", all/4, all/2)
	moved(func() {
		x, y := line(0.5)
		v.says(fmt.Sprintf("document.querySelector('.past-line svg').dispatchEvent(new WheelEvent('wheel', "+
			"{deltaY: 100, clientX: %f, clientY: %f, bubbles: true, cancelable: true})), ''", x, y))
	})
	near("turning the wheel back", all/8, all*5/8)
	if !strings.Contains(v.text(".past-rows"), "session expired") {
		t.Errorf("the rows have %q", v.text(".past-rows"))
	}
	moved(func() {
		v.click("[name=kind][value=\"znode.created\"]")
		v.click(".past-form button.primary")
	})
	if rows := v.text(".past-rows"); strings.Contains(rows, "session expired") || !strings.Contains(rows, "Created") {
		t.Errorf("of what is created the rows have %q", rows)
	}
	moved(func() {
		v.says("document.querySelector('[name=path]').value = '/app/lock', ''")
		v.click("[name=hands]")
	})
	v.until("handovers", func() bool { return strings.Contains(v.text(".past-rows"), "its session expired") })
	near("looking for handovers", all/8, all*5/8)
	when := v.text(".past-rows li:nth-child(3) time")
	v.shoot("past/hands")
	v.click(".past-rows li:nth-child(3) a")
	v.wait("stage", "ready")
	v.wait("host", "joined")
	v.wait("playing", "false")
	if got := v.text("h1"); got != when {
		t.Errorf("the row of %s leads to %s", when, got)
	}
	clock := strings.Fields(when)[1]
	v.until("that moment on the stage", func() bool { return strings.Contains(v.text("#log [aria-current]"), clock[:8]) })
	v.shoot("past/moment")
	pastHoles(t, b)
}

// pastHoles finds missing transactions of a lock, reads what is uncertain, and opens the period before them.
func pastHoles(t *testing.T, b *browser) {
	dir := crashed(t, map[string][]byte{
		"log.1": txnlogtest.Log(numbered(1, wire.Txn{Op: wire.OpCreate, Path: "/lock"}, stand(7, "lock-0000000000"))...),
		"log.9": txnlogtest.Log(numbered(9, stand(9, "lock-0000000002"), step(8, "lock-0000000001"))...),
	})
	x := indextest.Read(t, dir)
	v := visit(t, b.ctx, b.serve(t, web.Config{Past: x}), desktop)
	v.open("/past?path=/lock&hands=1")
	v.until("what isn't known", func() bool {
		return strings.Contains(v.text("p.trouble"), "Transactions are missing between 0x2 and 0x9")
	})
	rows := v.text(".past-rows")
	for _, want := range []string{"Had it with lock-0000000000, and may have lost it in the transactions that are missing",
		"Is first with lock-0000000002 of those that are known, but may not hold it"} {
		if !strings.Contains(rows, want) {
			t.Errorf("the rows lack %q: %s", want, rows)
		}
	}
	v.click("main details summary")
	v.until("what is missing", func() bool {
		return strings.Contains(v.text("main details"), "what was there before them may have gone since")
	})
	v.shoot("past/holes")
	v.click(".past-rows li:nth-child(1) a")
	v.wait("stage", "ready")
	v.wait("host", "joined")
	v.wait("playing", "false")
	v.until("who had the lock", func() bool { return strings.Contains(v.text("#log"), "seen 0x7") })
	if log := v.text("#log"); strings.Contains(log, "0x9") {
		t.Errorf("the while before what is missing has the log %q", log)
	}
}
