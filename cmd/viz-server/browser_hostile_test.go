package main

import (
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
)

// hostileTexts are what somebody may put into a link, in the hope that a page runs it.
var hostileTexts = []string{
	`'"><script>window.pwned = 1</script><img src=x onerror="parent.pwned = window.pwned = 1">`,
	"a\x00\x1b[31m\r\nb\u202ec\u2028 javascript:window.pwned=1//`${window.pwned=1}",
	"__proto__",
}

// badLinks opens links that are damaged, too long, made by another version or by an attacker, on a server and on a site
// of files. Each gets a clear sentence, and nothing in it is run.
func badLinks(t *testing.T, b *browser) {
	w := desktop
	w.noisy = true // the browser says that a server refuses a page
	server := b.serve(t, web.Config{Embed: []string{"https://course.example"}})
	site := b.export(t, filepath.Join(t.TempDir(), "site")).url
	for _, at := range [][2]string{{server, ""}, {site, ".html"}} {
		ends := at[1]
		v := visit(t, b.ctx, at[0], w)
		of := func(page string, more ...string) string {
			q := url.Values{}
			for i := 0; i < len(more); i += 2 {
				q.Add(more[i], more[i+1])
			}
			return page + ends + "?" + q.Encode()
		}
		const lesson, lab = "/lessons/the-herd", "/lab"
		for _, text := range hostileTexts {
			v.saysOfLink(of(lesson, "at", text), "can't be read")
			v.saysOfLink(of(lesson, "at", "2s", "event", "10", "fault", text), "the wrong number of words")
			v.saysOfLink(of(lesson, "at", "2s", "event", "10", "sum", text, "select", text, "beside", text), "not the hash")
			v.saysOfLink(of(lesson, "at", "2s", text, text), "which this version of zkviz doesn't know")
			v.saysOfLink(of(lab, "recipe", text), "recipe")
			v.saysOfLink(of(lab, "recipe", "barrier", "fault", text), "the wrong number of words")
			v.saysOfLink(of(lab, "recipe", "barrier", text, text), "no parameter")
			v.saysOfLink(of(lab, "recipe", "no-second-look", "rule", "truth-exclusion", "title", text, "text", text), "")
			v.open(of(lesson, "embed", text+",words", "theme", text))
			v.wait("stage", "ready")
			if parts, theme := v.mark("embed"), v.mark("theme"); parts != "words" || theme != "" || v.pwned() {
				t.Errorf("embed=%q makes a frame with %q, in theme %q", text, parts, theme)
			}
		}
		long := strings.Repeat("long", 600)
		v.saysOfLink(of(lesson, "at", "2s", "x", long), "at most 2048 bytes")
		v.saysOfLink(of(lab, "recipe", "barrier", "x", long), "at most 2048 bytes")
		for _, c := range [][2]string{{"clients", "1000000000"}, {"rounds", "99999"}, {"seed", "-1"},
			{"hold", "999999999h"}, {"servers", "1e9"}, {"latency", "-5s"}} {
			v.saysOfLink(of(lab, "recipe", "barrier", c[0], c[1]), c[0])
			if got := v.says("document.querySelector('[name=" + c[0] + "]').value"); got != c[1] {
				t.Errorf("%s=%s leaves %q in the form", c[0], c[1], got)
			}
		}
		v.shoot("bad-link/huge" + ends)
		for _, c := range [][2]string{{"at", "999999999h"}, {"event", "1000000000000000000000"}, {"event", "-1"}} {
			v.saysOfLink(of(lesson, c[0], c[1]), "can't be read")
		}
		v.press(kb.ArrowRight)
		v.until("the next step", func() bool { return v.count(".step[data-here]") == 1 })
		v.shoot("bad-link/lesson" + ends)
	}
}

// saysOfLink opens a link, and waits until the page says the words of it, or shows what it leads to if there are none.
// It checks that nothing in the link was run.
func (v *visitor) saysOfLink(link, words string) {
	v.t.Helper()
	v.open(link)
	said := ""
	v.until(strconv.Quote(words)+" of "+link[:min(len(link), 300)], func() bool {
		said = strings.ToLower(v.text(".trouble[role=alert]") + v.text("#link"))
		return said != "" && strings.Contains(said, words) || words == "" && v.mark("stage") == "ready"
	})
	if strings.Contains(said, "undefined") || strings.Contains(said, "panic") {
		v.t.Errorf("of %s the page says %q", link, said)
	}
	if v.pwned() {
		v.t.Errorf("%s runs a script", link)
	}
}

// pwned reports whether a page has run what was put into its address.
func (v *visitor) pwned() bool { return v.says("!!window.pwned || !!{}.polluted") == "true" }
