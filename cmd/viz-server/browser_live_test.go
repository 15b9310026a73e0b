package main

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/live/zktest"
)

// liveLesson changes a lesson's host to a real ZooKeeper, follows its steps there, and comes back.
func liveLesson(t *testing.T, b *browser) {
	server := zktest.Start(t)
	l, _ := b.book.Find("04-watch-the-one-ahead")
	w := desktop
	w.still = false
	v := visit(t, b.ctx, b.serve(t, web.Config{ZK: []string{server.Addr}}), w)
	v.enter(l)
	v.press("h")
	v.wait("host", "live")
	for _, s := range l.Steps[:2] {
		v.until(s.Anchor, func() bool { return v.says("document.querySelector('.step[data-here]').id") == s.Anchor })
		if v.wait("step", s.Anchor); s.Anchor != l.Steps[1].Anchor {
			v.press(kb.ArrowRight)
		}
	}
	v.shoot("live/lesson")
	v.press(kb.ArrowLeft)
	v.wait("step", l.Steps[0].Anchor)
	v.press(kb.End) // the live edge
	v.wait("playing", "true")
	v.choose("#host", "Sim")
	v.wait("host", "sim")
	v.wait("step", l.Steps[0].Anchor)
}

const markup = "<img src=x onerror=window.hacked=1>"

// liveSubtree watches a part of a real ZooKeeper's tree, whose names and data are hostile, through the
// server's end and its return.
func liveSubtree(t *testing.T, b *browser) {
	server := zktest.Start(t)
	conn, _, err := zk.Connect([]string{server.Addr}, 20*time.Second, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	create := func(path string, data []byte, flags int32) {
		t.Helper()
		if _, err := conn.Create(path, data, flags, zk.WorldACL(zk.PermAll)); err != nil {
			t.Fatalf("create %.60q: %v", path, err)
		}
	}
	create("/shop", []byte("open"), 0)
	create("/shop/"+markup, []byte("</script><script>window.hacked=1</script>\x00\x1b[2J"), 0)
	create("/shop/\u202egnihton\u2066\u200b\u0301\u0301\u0301", []byte("\xff\xfe\x00"), 0)
	create("/shop/large", []byte(strings.Repeat("<b>", 100_000/3)), 0)
	create("/shop/"+strings.Repeat("long", 25_000), nil, 0)

	w := desktop
	w.still = false
	v := visit(t, b.ctx, b.serve(t, web.Config{ZK: []string{server.Addr}}), w)
	v.open("/live")
	v.do(chromedp.SendKeys(chromedp.CSS("#path"), "/shop"), chromedp.KeyEvent(kb.Enter))
	v.wait("stage", "ready")
	v.wait("host", "observed")
	logged := func(text string) func() bool {
		return func() bool { return strings.Contains(v.text("#log"), text) }
	}
	v.until("markup as text", logged("onerror=window.hacked"))
	v.until("the large znode", logged("large"))

	create("/shop/queue", nil, 0)
	for range 3 {
		create("/shop/queue/job-", []byte("print"), zk.FlagEphemeral|zk.FlagSequence)
	}
	v.until("a queue", logged("job-002"))
	if _, err := conn.Set("/shop/queue", []byte("busy"), -1); err != nil {
		t.Fatal(err)
	}
	v.until("new data", logged("busy"))
	v.shoot("live/subtree")
	if said := v.text("#verdict"); said != "" {
		t.Errorf("where nobody promised anything the verdict is %q", said)
	}
	if n := v.count("[data-fault], #host, #branches"); n != 0 {
		t.Errorf("what is only observed has %d controls that change something", n)
	}

	v.press(" ") // what stands still is found sooner
	v.wait("playing", "false")
	for _, id := range []string{"/shop/large", "/shop/" + markup} {
		x, y := v.find(id)
		v.do(chromedp.MouseClickXY(x, y))
		v.wait("selected", id)
		v.until("its facts", func() bool { return strings.Contains(v.text("#inspector"), id) })
	}
	v.shoot("live/hostile")
	v.press(kb.End) // to the live edge again
	v.wait("playing", "true")

	server.Kill()
	v.until("the loss of ZooKeeper", func() bool { return strings.Contains(v.text("#link:not([hidden])"), server.Addr) })
	v.shoot("live/away")
	server.Start()
	v.until("its return", func() bool { return v.count("#link") == 0 })
	retry(t, func() error {
		_, err := conn.Create("/shop/after", nil, 0, zk.WorldACL(zk.PermAll))
		return err
	})
	v.until("what came after", logged("after"))

	if got := v.says("window.hacked || stage.contentWindow.hacked || document.querySelector('img[src=x], #log b, #inspector b')"); got != "null" {
		t.Errorf("a znode's name or data was taken for markup: %s", got)
	}
	if over := v.integer("document.documentElement.scrollWidth - innerWidth"); over > 0 {
		t.Errorf("the page became %d px too wide", over)
	}
	_, stat, err := conn.Get("/shop")
	if err != nil || stat.Version != 0 || stat.NumChildren != 6 {
		t.Errorf("the observed znode was written to: %+v, %v", stat, err)
	}
}

// retry tries until the connection is there again.
func retry(t *testing.T, do func() error) {
	t.Helper()
	err := do()
	for end := time.Now().Add(waitLimit); err != nil && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		err = do()
	}
	if err != nil {
		t.Fatal(err)
	}
}
