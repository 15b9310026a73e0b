package main

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/live/zktest"
)

// seen counts the elements of a selector that are laid out and, if pictures, have been loaded.
const seen = `[...document.querySelectorAll(%)].filter((e) => e.getClientRects().length && (e.tagName !== "IMG" || e.complete && e.naturalWidth)).length`

func (v *visitor) sees(selector string) bool {
	v.t.Helper()
	return v.says(strings.Replace(seen, "%", "'"+selector+"'", 1)) != "0"
}

// TestBrowserWithoutTheStage opens a lesson in browsers that cannot run it: text and pictures are there.
func TestBrowserWithoutTheStage(t *testing.T) {
	book := openBook(t)
	l, _ := book.Find("03-the-herd")
	for _, lack := range []string{"scripts", "webgl"} {
		t.Run(lack, func(t *testing.T) {
			v := visit(t, web.Config{Book: book}, window{width: 1024, height: 768, without: lack})
			v.open("/lessons/" + l.Slug)
			if lack == "webgl" {
				v.wait("stage", "failed")
			}
			v.until("the first picture", func() bool { return v.sees("img.picture") })
			v.shoot("without-" + lack)
			text := v.says("document.querySelector('main').innerText")
			for _, s := range l.Prose["en"].Steps {
				if !strings.Contains(text, s.Title) {
					t.Errorf("the title of step %s, %q, is not on the page", s.Anchor, s.Title)
				}
			}
		})
	}
}

// TestBrowserSizes opens a lesson on a phone, both ways: the stage is there and nothing hangs over the edge.
func TestBrowserSizes(t *testing.T) {
	book := openBook(t)
	l, _ := book.Find("03-the-herd")
	for name, w := range map[string]window{
		"upright":  {width: 390, height: 844, still: true},
		"sideways": {width: 844, height: 390, still: true},
		"tablet":   {width: 1024, height: 768, still: true},
	} {
		t.Run(name, func(t *testing.T) {
			v := visit(t, web.Config{Book: book}, w)
			v.enter(l)
			v.press(kb.ArrowRight)
			v.wait("step", l.Steps[1].Anchor)
			v.shoot("size-" + name)
			if !v.sees("#stage") {
				t.Error("the stage is not to be seen")
			}
			if over := v.says("document.documentElement.scrollWidth - innerWidth"); strings.TrimPrefix(over, "-") == over && over != "0" {
				t.Errorf("the page is %s px wider than the window", over)
			}
		})
	}
}

// TestBrowserPausedDrawsNothing leaves a paused page alone for a while.
func TestBrowserPausedDrawsNothing(t *testing.T) {
	book := openBook(t)
	v := visit(t, web.Config{Book: book}, window{width: 1024, height: 768, still: true})
	v.enter(&book.Lessons[2])
	v.wait("playing", "false")
	v.until("the drawing to end", func() bool {
		before := v.mark("drawn")
		time.Sleep(300 * time.Millisecond)
		return v.mark("drawn") == before
	})
	before := v.mark("drawn")
	time.Sleep(time.Second)
	if after := v.mark("drawn"); after != before {
		t.Errorf("in a second of pause %s frames became %s", before, after)
	}
}

// TestBrowserHostileNames observes a subtree whose names and data are markup: they are shown as text.
func TestBrowserHostileNames(t *testing.T) {
	server := zktest.Start(t)
	conn, _, err := zk.Connect([]string{server.Addr}, 10*time.Second, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const name = "<img src=x onerror=window.hacked=1>"
	everyone := zk.WorldACL(zk.PermAll)
	for _, path := range []string{"/shop", "/shop/" + name} {
		if _, err := conn.Create(path, []byte("</script><script>window.hacked=1</script>\x00\x1b[2J"), 0, everyone); err != nil {
			t.Fatal(err)
		}
	}
	v := visit(t, web.Config{Book: openBook(t), ZK: []string{server.Addr}}, window{width: 1400, height: 900, still: true})
	v.open("/live?path=/shop")
	v.wait("stage", "ready")
	v.wait("host", "observed")
	shown := func(text string) func() bool {
		return func() bool { return strings.Contains(v.says("document.body.innerText"), text) }
	}
	v.until("the name in the log", shown("onerror"))
	if _, err := conn.Create("/shop/later", nil, 0, everyone); err != nil {
		t.Fatal(err)
	}
	v.until("what was created later", shown("later"))
	v.shoot("live-view")
	if v.says("window.hacked || stage.contentWindow.hacked || document.querySelector('img[src=x]')") != "null" {
		t.Error("a znode's name was taken for markup")
	}
}
