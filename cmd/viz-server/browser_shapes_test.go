package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp/kb"
)

// shown finds the still picture that the page shows.
const shown = "[...document.querySelectorAll('.poster img')].find((i) => i.checkVisibility())"

// shapeShown returns the shape in the address of the still picture once that is there.
func (v *visitor) shapeShown(theme string) string {
	v.t.Helper()
	v.until("a "+theme+" picture", func() bool {
		return v.says("((i) => !!i && i.complete && i.naturalWidth > 0 && i.currentSrc.includes('theme="+theme+"'))("+
			shown+")") == "true"
	})
	return v.says("new URL(" + shown + ".currentSrc).searchParams.get('shape') ?? 'usual'")
}

// onEveryScreen opens lessons on many screens while their program is held back. Each brings only pictures in the shape
// for its screen, and no word in them has less than 9 px.
func onEveryScreen(t *testing.T, b *browser) {
	const leastPx = 9
	g := newGate(t, b.url)
	for _, on := range []struct {
		width, height int
		shape         string
		pair          string // the shape of a picture of two runs, empty if its words may be smaller
	}{
		{390, 844, "tall", "tall"}, {412, 915, "tall", "tall"}, {768, 1024, "tall", "tall"},
		{390, 664, "low", "low"}, {360, 640, "low", "low"}, {375, 553, "low", "low"}, {320, 568, "low", "low"},
		{844, 390, "low", ""}, {667, 375, "low", ""},
		{1024, 768, "usual", ""}, {1400, 900, "usual", "usual"},
	} {
		for where, shape := range map[string]string{"the-herd#release": on.shape, "fencing#price": on.pair} {
			if shape == "" {
				continue
			}
			v := visit(t, b.ctx, g.url, window{width: on.width, height: on.height, still: true})
			v.open("/lessons/" + where)
			v.wait("stage", "loading")
			name := fmt.Sprintf("%s at %d by %d", where, on.width, on.height)
			if got := v.shapeShown("light"); got != shape {
				t.Errorf("%s: the picture's shape is %s, want %s", name, got, shape)
			}
			v.says("fetch(" + shown + ".currentSrc).then((r) => r.text()).then((svg) => { window.px = " +
				"Math.min(...[...svg.matchAll(/font-size=\"([0-9.]+)/g)].map((m) => +m[1])) * ((i) => " +
				"Math.min(i.width / i.naturalWidth, i.height / i.naturalHeight))(" + shown + "); })")
			v.until("its words", func() bool { return v.says("window.px > 0") == "true" })
			if v.says(fmt.Sprintf("window.px >= %d", leastPx)) != "true" {
				t.Errorf("%s: words have %s px", name, v.says("window.px"))
			}
			// The picture that the page opened with, and those of the next steps.
			brought := v.says("performance.getEntriesByType('resource').map((e) => new URL(e.name)).filter((u) => " +
				"u.pathname.endsWith('.svg') && u.searchParams.has('theme')).map(" +
				"(u) => (u.searchParams.get('shape') ?? 'usual') + ' ' + " +
				"u.searchParams.get('theme')).filter((s, i, all) => all.indexOf(s) === i).join()")
			if on.pair == on.shape && brought != shape+" light" {
				t.Errorf("%s: pictures came as %s", name, brought)
			}
			v.shoot(fmt.Sprintf("shapes/%s-%d-%d", strings.ReplaceAll(where, "#", "-"), on.width, on.height))
		}
	}
}

// turnsAndPrints looks at a picture on a phone: in the dark, on its side, and on paper.
func turnsAndPrints(t *testing.T, b *browser) {
	g := newGate(t, b.url)
	v := visit(t, b.ctx, g.url, upright)
	v.open("/lessons/the-herd")
	v.wait("stage", "loading")
	v.press("t")
	v.press(kb.ArrowRight)
	if got := v.shapeShown("dark"); got != "tall" {
		t.Errorf("in the dark the shape is %s", got)
	}
	v.resize(sideways)
	v.until("the picture for a phone on its side", func() bool { return v.shapeShown("dark") == "low" })
	v.resize(desktop)
	v.until("the picture for a wide window", func() bool { return v.shapeShown("dark") == "usual" })
	v.resize(upright)
	v.do(command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}))
	v.says("dispatchEvent(new Event('beforeprint'))")
	v.until("pictures on paper", func() bool {
		return v.says("[...document.querySelectorAll('.reading .in-light')].every((i) => i.checkVisibility() && "+
			"i.complete && i.naturalWidth === 760 && !i.currentSrc.includes('shape='))") == "true"
	})
}

// titlesInSight turns steps on phones, on still pictures and with the stage, from the end of the step before. The title
// of the next one is then in sight, below the stage and above the buttons.
func titlesInSight(t *testing.T, b *browser) {
	g := newGate(t, b.url)
	for _, on := range []window{upright, {width: 360, height: 640, still: true}} {
		for _, server := range []string{g.url, b.url} {
			for _, slug := range []string{"two-believe", "fencing"} {
				l, _ := b.book.Find(slug)
				v := visit(t, b.ctx, server, on)
				v.open("/lessons/" + slug)
				if v.wait("stage", "loading"); server == b.url {
					v.wait("stage", "ready")
				}
				for i := 1; i < len(l.Steps); i++ {
					v.says("scrollTo(0, document.documentElement.scrollHeight)")
					v.press(kb.ArrowRight)
					v.until("the title of "+l.Steps[i].Anchor+" in sight", func() bool { return v.titleInSight(l.Steps[i].Anchor) })
				}
			}
		}
	}
}

// titleInSight reports whether a step is shown with its title in sight. Where only that leaves room for a task, the
// words begin below the stage.
func (v *visitor) titleInSight(anchor string) bool {
	v.t.Helper()
	return v.says("(() => { const step = document.querySelector('.step[data-here]'), "+
		"stage = document.querySelector('.stage');"+
		"const edges = (e) => e.getBoundingClientRect();"+
		"const top = Math.max(0, getComputedStyle(stage).position === 'sticky' ? edges(stage).bottom : 0);"+
		"const bottom = edges(document.querySelector('.step-buttons')).top;"+
		"const sees = (e) => edges(e).top >= top && edges(e).bottom <= bottom;"+
		"const task = step.querySelector('.task'); return step.id === '"+anchor+"' && "+
		"(sees(step.querySelector('.step-title')) || !!task && sees(task)); })()") == "true"
}
