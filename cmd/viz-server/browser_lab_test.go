package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// compareInTheLab compares two recipes by keyboard and by pointer, with charts and a table, on a desktop and a phone.
func compareInTheLab(t *testing.T, b *browser) {
	v := visit(t, b.ctx, b.url, desktop)
	v.open("/lab/compare")
	v.wait("runs", "9") // the initial comparison
	v.click("input[value=children-lock]")
	v.says("(document.querySelector('[name=clients]').focus(), document.activeElement.select())")
	v.press("2", ",", "8", ",", "3", "2", ",", "6", "4", kb.Enter)
	v.wait("runs", "8")
	// The mark is set early, so wait for the whole page.
	v.until("all of the page", func() bool { return v.says("document.readyState") == "complete" })
	for _, chart := range []string{"Wakeups", "Requests", "Bytes", "Time"} {
		drawn := v.says("[...document.querySelectorAll('figure')].filter((f) => f.innerText.startsWith('" + chart +
			"')).map((f) => " +
			"f.querySelectorAll('.line').length + ' lines, ' + [...f.querySelectorAll('text')].at(-1).textContent)")
		if drawn != "2 lines, waiters" {
			t.Errorf("the chart %s has %q", chart, drawn)
		}
	}
	if n := v.count("figure svg"); n != 4 {
		t.Errorf("%d charts, want 4", n)
	}
	table := v.text(".costs")
	for _, row := range []string{"unique-lock\n1\t0.5\t1\t3\t", "\n63\t31.5\t63\t65\t", "predecessor-lock\n1\t0.5\t1\t4\t",
		"\n63\t1\t1\t5\t"} {
		if !strings.Contains(table, row) {
			t.Errorf("the table has no row %q:\n%s", row, table)
		}
	}
	v.shoot("lab/compare")

	v.resize(upright)
	if over := v.integer("document.documentElement.scrollWidth - innerWidth"); over > 0 {
		t.Errorf("on a phone the page is %d px too wide", over)
	}
	if cut := v.integer("[...document.querySelectorAll('figure svg')].filter((e) => { const r = " +
		"e.getBoundingClientRect(); return r.left < 0 || r.right > innerWidth }).length"); cut > 0 {
		t.Errorf("on a phone %d charts are cut off", cut)
	}
	if v.says("((s) => s.scrollWidth <= s.clientWidth || getComputedStyle(s).overflowX === "+
		"'auto')(document.querySelector('.scrolled'))") != "true" {
		t.Error("on a phone the table is cut off and cannot be scrolled")
	}
	v.resize(window{width: upright.width, height: 2800})
	v.shoot("lab/phone")
}
