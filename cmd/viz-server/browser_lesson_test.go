package main

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/live/zktest"
	"github.com/zkviz/zkviz/lessons"
)

func openBook(t *testing.T) *lessons.Book {
	t.Helper()
	book, err := lessons.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return book
}

// enter opens a lesson and waits for its first step.
func (v *visitor) enter(l *lessons.Lesson) {
	v.t.Helper()
	v.open("/lessons/" + l.Slug)
	v.wait("stage", "ready")
	v.wait("step", l.Steps[0].Anchor)
}

// TestBrowserEveryStep goes through every lesson with the arrow keys, and back to its start. Its pictures
// of every step are for a person to look at.
func TestBrowserEveryStep(t *testing.T) {
	book := openBook(t)
	v := visit(t, web.Config{Book: book}, window{width: 1400, height: 900, still: true})
	for i := range book.Lessons {
		l := &book.Lessons[i]
		v.enter(l)
		v.shoot(l.Slug + "/" + l.Steps[0].Anchor)
		for _, s := range l.Steps[1:] {
			v.press(kb.ArrowRight)
			v.wait("step", s.Anchor)
			v.wait("playing", "false")
			v.shoot(l.Slug + "/" + s.Anchor)
		}
		if v.number("seq") == 0 {
			t.Errorf("%s: the last step showed no event", l.Slug)
		}
		for i := len(l.Steps) - 2; i >= 0; i-- {
			v.press(kb.ArrowLeft)
			v.wait("step", l.Steps[i].Anchor)
		}
		v.press(kb.Home)
		v.wait("seq", "0")
	}
}

// TestBrowserByPointer goes through a lesson with the mouse, in motion, and drags the time line.
func TestBrowserByPointer(t *testing.T) {
	book := openBook(t)
	l, _ := book.Find("03-the-herd")
	v := visit(t, web.Config{Book: book}, window{width: 1024, height: 768})
	v.enter(l)
	for _, s := range l.Steps[1:4] {
		v.click("[data-command=step]")
		v.wait("step", s.Anchor)
		v.wait("playing", "false")
	}
	forward := v.number("seq")
	v.click("[data-command=step-back]")
	v.wait("step", l.Steps[2].Anchor)
	if back := v.number("seq"); back >= forward {
		t.Errorf("a step back led from event %d to event %d", forward, back)
	}
	v.click("#timeline") // its middle
	v.until("the time line to lead further", func() bool { return v.number("seq") > forward })
	v.click("[data-command=play-pause]")
	v.wait("playing", "true")
	v.click("[data-command=play-pause]")
	v.wait("playing", "false")
	v.press(".")
	next := v.number("seq")
	v.press(",")
	v.until("one event back", func() bool { return v.number("seq") == next-1 })
}

// TestBrowserTwoBelieve pauses the holder for longer than its session lasts: that is a new branch in which
// two believe that they are inside. The old branch is still there.
func TestBrowserTwoBelieve(t *testing.T) {
	book := openBook(t)
	l, _ := book.Find("04-watch-the-one-ahead")
	v := visit(t, web.Config{Book: book}, window{width: 1400, height: 900, still: true})
	v.enter(l)
	v.wait("branches", "1")
	v.press("1")
	v.wait("selected", "client-1")
	v.press("p")
	v.wait("branches", "2")
	v.wait("branch", "1")
	v.press(kb.End)
	v.wait("verdict", "belief-exclusion")
	v.shoot("branch-two-believe")
	v.press("b")
	v.wait("branch", "0")
	v.press(kb.End)
	v.wait("ended", "true")
	v.wait("verdict", "ok")
	v.wait("branches", "2")
}

// TestBrowserLive changes the host to a real ZooKeeper and follows the lesson there.
func TestBrowserLive(t *testing.T) {
	zk := zktest.Start(t)
	book := openBook(t)
	l, _ := book.Find("04-watch-the-one-ahead")
	v := visit(t, web.Config{Book: book, ZK: []string{zk.Addr}}, window{width: 1400, height: 900})
	v.enter(l)
	v.press("h")
	v.wait("host", "live")
	v.wait("step", l.Steps[0].Anchor)
	v.press(kb.ArrowRight)
	v.wait("step", l.Steps[1].Anchor)
	v.shoot("live")
	v.press(kb.ArrowLeft)
	v.wait("step", l.Steps[0].Anchor)
}
