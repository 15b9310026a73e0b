package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/run"
)

// comparedHere compares recipes on a site of files, whose page computes the figures in a worker, and on a server. The
// reader sees the same, stops what takes long, and learns why there are no figures.
func comparedHere(t *testing.T, b *browser) {
	x := b.export(t, filepath.Join(t.TempDir(), "site"))
	site := visit(t, b.ctx, x.url, desktop)
	noisy := desktop
	noisy.noisy = true // browsers report what is refused, and a file that isn't there
	server := visit(t, b.ctx, b.serve(t, web.Config{Lessons: exportedLessons}), noisy)
	want, got := server.comparisons(""), site.comparisons(".html")
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			t.Errorf("the site shows\n%.3000s\nThe server shows\n%.3000s", got[i], want[i])
		}
	}
	if len(want) != len(got) {
		t.Errorf("the site shows %d things, the server %d", len(got), len(want))
	}

	site.open("/lab/compare.html?recipe=children-lock&clients=2,996,997,998,999,1000")
	site.wait("runs", "1")
	site.until("the second run", func() bool {
		return strings.HasPrefix(site.text("#measuring"), "Run 2 of 6: children-lock with 996 clients, ")
	})
	site.shoot("exported/comparing")
	site.click("#measuring button")
	if said := site.text("#measuring"); !strings.HasPrefix(said, "Stopped.") || site.mark("runs") != "1" {
		t.Errorf("with %s figures a page that is stopped says %q", site.mark("runs"), said)
	}
	site.shoot("exported/compare-stopped")
	site.resize(upright)
	if over := site.integer("document.documentElement.scrollWidth - innerWidth"); over > 0 {
		t.Errorf("on a phone the page is %d px too wide", over)
	}
	site.shoot("exported/compare-stopped-phone")
	site.open("/lab/compare.html?recipe=unique-lock&recipe=predecessor-lock&clients=2,10&servers=4")
	site.wait("runs", "4")
	site.resize(window{width: upright.width, height: 3200})
	site.shoot("exported/compare-phone")

	site.resize(desktop)
	site.open("/lab.html")
	site.wait("stage", "ready")
	site.openTrace("crowd.jsonl", simulated(t, run.Scenario{Recipe: "unique-lock", Clients: 4}.WithDefaults()))
	site.wait("ended", "true")
	site.says("document.querySelector('[data-do=fork]').click()")
	site.compared("Played again, it goes")
	site.shoot("exported/fork")

	x.gone.Store(true)
	lacking := visit(t, b.ctx, x.url, noisy)
	lacking.open("/lab/compare.html?clients=3")
	lacking.until("what is missing", func() bool { return strings.Contains(lacking.text("main"), "404") })
	if n := lacking.count("#measuring:not([hidden])"); n > 0 {
		t.Error("without the engine the page says that it measures")
	}
	lacking.shoot("exported/compare-lacking")
}

// comparisons asks for figures, and returns what is shown: the form, what is wrong, and all below the form.
func (v *visitor) comparisons(ends string) (seen []string) {
	v.t.Helper()
	const shown = "(() => { const all = []; let e = document.querySelector('.compare-form'); " +
		"while ((e = e.nextElementSibling)) all.push(e.outerHTML); return all.join('\\n') })()"
	const form = "[...document.querySelectorAll('.compare-form input')].map((e) => " +
		"e.type === 'checkbox' ? e.checked : e.name + ' ' + e.value).sort().join(', ')"
	for _, c := range [][2]string{ // a query, and how many runs it has
		{"", "9"}, {"?recipe=unique-lock&recipe=predecessor-lock&clients=10,2&servers=1", "4"},
		{"?recipe=predecessor-lock&clients=2,3&servers=4&observers=1", "2"},
		{"?recipe=redlock&clients=2&servers=1", "1"}, {"?clients=2", "3"}, {"?recipe=quorum-read&clients=2", "1"},
		{"?recipe=unique-lock&clients=many&servers=1", "0"}, {"?recipe=xyzzy&servers=1", "0"},
	} {
		query, runs := c[0], c[1]
		v.open("/lab/compare" + ends + query)
		v.wait("runs", runs)
		if runs == "0" {
			v.until("what is wrong", func() bool { return v.count(".trouble[role=alert]") == 1 })
		}
		seen = append(seen, query+": "+v.says(form),
			v.says("document.querySelector('.trouble[role=alert]')?.innerText ?? ''"),
			v.says("document.querySelector('.compare-form a')?.parentElement.checkVisibility() "+
				"? document.querySelector('.compare-form a').parentElement.innerText : ''"))
		if runs != "0" {
			seen = append(seen, v.says(shown))
		}
		v.shoot("exported/compare" + ends + "-" + runs)
	}
	return seen
}
