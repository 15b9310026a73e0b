package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
)

// exploring looks for schedules that break promises on a server and on a site of files, whose page explores in its
// worker. The reader is told the same. Once a server is lost, the worker goes on, and the stage opens what it finds.
func exploring(t *testing.T, b *browser) {
	x := b.export(t, filepath.Join(t.TempDir(), "site"))
	server, site := visit(t, b.ctx, b.url, desktop), visit(t, b.ctx, x.url, desktop)
	want, got := server.explores(""), site.explores(".html")
	if !slices.Equal(got, want) {
		t.Errorf("on a site of files the reader is told\n%s\nOn a server\n%s", strings.Join(got, "\n"),
			strings.Join(want, "\n"))
	}

	url, stop := b.serveUntil(t, web.Config{})
	noisy := desktop
	noisy.noisy = true // the browser says that there is no connection
	v := visit(t, b.ctx, url, noisy)
	v.open("/lab?" + manySchedules)
	v.wait("stage", "ready")
	v.wait("engine", "kept")
	v.click("#explore")
	v.farAlong()
	stop()
	v.wait("engine", "ready")
	was := v.tried()
	v.until("progress of the worker", func() bool { return v.tried() != was })
	v.farAlong()
	v.click("#explore-stop")
	v.whatCame("held")
	v.shoot("explore/lost")

	url, stop = b.serveUntil(t, web.Config{})
	v = visit(t, b.ctx, url, noisy)
	v.open("/lab?" + fewSchedules)
	v.wait("stage", "ready")
	v.wait("engine", "kept")
	stop()
	v.wait("engine", "ready")
	v.click("#explore")
	v.whatCame("broke")
	v.click("#explore-found a")
	v.wait("verdict", "truth-exclusion")
	v.wait("link", "same")
}

// The promise of fewSchedules is broken by one of the first, and that of manySchedules by none of a thousand slow ones.
const (
	fewSchedules  = "recipe=no-second-look&clients=3"
	manySchedules = "recipe=predecessor-lock&clients=12&servers=9"
)

// tried returns how many schedules have been tried, by the bar.
func (v *visitor) tried() int {
	return v.integer("document.querySelector('#explore-far progress').value")
}

// farAlong waits until some schedules have been tried.
func (v *visitor) farAlong() {
	v.t.Helper()
	v.until("some schedules", func() bool {
		return strings.HasSuffix(v.text("#explore-far"), " of 1,000 schedules") && v.tried() > 0
	})
}

// whatCame waits for the end of an exploration, and returns what the page says of it.
func (v *visitor) whatCame(state string) string {
	v.t.Helper()
	v.until("what came of it, "+state, func() bool { return v.count("#explore-found[data-state="+state+"]") == 1 })
	return v.text("#explore-found")
}

// explores explores runs in the Lab, whose page ends in ends. It returns what the page says.
func (v *visitor) explores(ends string) (seen []string) {
	v.t.Helper()
	lab := "/lab" + ends + "?"
	v.open(lab + fewSchedules)
	v.wait("stage", "ready")
	v.says("document.getElementById('explore').focus() || ''")
	v.press(" ")
	seen = append(seen, v.whatCame("broke"))
	v.shoot("explore/broke" + ends)
	if at := v.says("document.activeElement.id"); at != "explore" {
		v.t.Errorf("the focus is at %q", at)
	}
	v.resize(upright)
	v.says("document.getElementById('explore-found').scrollIntoView({block: 'center'}) || ''")
	v.shoot("explore/phone" + ends)
	v.resize(desktop)
	v.click("#explore-own")
	v.click("#explore")
	seen = append(seen, v.whatCame("held"))
	v.shoot("explore/held" + ends)
	v.open(lab + fewSchedules + "&fault=expire+client-1+at+1s")
	v.wait("stage", "ready")
	v.click("#explore-own")
	v.click("#explore")
	v.whatCame("broke")
	v.click("#explore-found a")
	v.wait("link", "same")
	seen = append(seen, v.mark("verdict"), v.mark("seq"), strings.Replace(v.says("location.search"), ".html", "", 1))

	v.open(lab + manySchedules)
	v.wait("stage", "ready")
	v.click("#explore")
	v.farAlong()
	v.press("9", "c") // the stage goes on meanwhile
	v.wait("branch", "1")
	v.click("#explore-stop")
	if said := v.whatCame("held"); !strings.Contains(said, " of 1,000 schedules tried before the search ended") {
		v.t.Errorf("when it is stopped, the page says %q", said)
	}
	return seen
}
