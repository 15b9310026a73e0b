package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// withoutScripts reads a lesson without JavaScript: an article with a picture for each step.
func withoutScripts(t *testing.T, b *browser) {
	w := desktop
	w.noScripts = true
	v := visit(t, b.ctx, b.url, w)
	v.readArticle(b, "without-scripts")
}

// withoutWebGL walks a lesson in a browser that can't draw the stage.
func withoutWebGL(t *testing.T, b *browser) {
	v := visit(t, launch(t, chromedp.Flag("disable-3d-apis", true)), b.url, desktop)
	v.do(command(emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true}))
	l, _ := b.book.Find("the-herd")
	v.open("/lessons/" + l.Slug)
	v.wait("stage", "failed")
	v.walk(b, l)
	v.saysWhatWorks("no WebGL 2")
	v.shoot("without-webgl")
}

func (v *visitor) readArticle(b *browser, name string) {
	v.t.Helper()
	l, _ := b.book.Find("the-herd")
	v.open("/lessons/" + l.Slug)
	v.until("the first picture", func() bool { return v.count("#"+l.Steps[0].Anchor+" img.picture") > 0 })
	v.shoot(name)
	text := v.text("main")
	for n, s := range l.Steps {
		if title := l.Prose["en"].Steps[n].Title; !strings.Contains(text, title) {
			v.t.Errorf("the step %q is not on the page", title)
		}
		v.says("document.getElementById('" + s.Anchor + "').scrollIntoView()") // like a reader who scrolls
		v.until("the picture of "+s.Anchor, func() bool { return v.count("#"+s.Anchor+" img.picture") > 0 })
	}
	if over := v.integer("document.documentElement.scrollWidth - innerWidth"); over > 0 {
		v.t.Errorf("the page is %d px wider than the window", over)
	}
}

// fromElsewhere opens a page of another origin that tries to use the server.
func fromElsewhere(t *testing.T, b *browser) {
	host := strings.TrimPrefix(b.url, "http://")
	page := fmt.Sprintf(`<!doctype html><title>elsewhere</title><script>
		const done = (what, how) => { document.documentElement.dataset[what] = how; };
		const socket = new WebSocket("ws://%[1]s/ws");
		socket.onopen = () => done("socket", "open");
		socket.onerror = () => done("socket", "refused");
		fetch("http://%[1]s/api/figures?recipe=barrier&clients=10").then(() => done("figures", "read"), () => done("figures", "refused"));
		</script>`, host)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, page)
	}))
	defer elsewhere.Close()
	w := desktop
	w.noisy = true
	v := visit(t, b.ctx, elsewhere.URL, w)
	v.open("/")
	for _, mark := range []string{"socket", "figures"} {
		v.until(mark, func() bool { return v.mark(mark) != "" })
		if got := v.mark(mark); got != "refused" {
			t.Errorf("%s: %s", mark, got)
		}
	}
}
