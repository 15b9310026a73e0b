package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/lessons"
)

// kindsOfPage returns a path for every kind of page that needs no ZooKeeper.
func kindsOfPage(book *lessons.Book) []string {
	herd, _ := book.Find("the-herd")
	believe, _ := book.Find("two-believe")
	return []string{
		"/", "/lessons/" + herd.Slug, "/lessons/" + herd.Slug + "#" + herd.Steps[1].Anchor,
		"/lessons/" + believe.Slug + "#break-it", "/lab", "/lab?recipe=predecessor-lock", "/lab/compare", "/recipes",
		"/teach", "/lessons/" + herd.Slug + "/plan", "/lessons/" + believe.Slug + "/answers",
		"/lessons/" + herd.Slug + "/print",
		"/locks", "/glossary", "/review/line", "/review#all", "/search?q=herd", "/live", "/zoo", "/zoo/redis", "/zoo/servers",
	}
}

// everyPage opens a page of every kind, waits for its stage if it has one, and tries its purpose: a changing subtree of
// a real ZooKeeper, its list of locks, what a tap, transaction logs and a recording show, and a lesson, on a server and
// on a site of files.
func everyPage(t *testing.T, b *browser) {
	server, root := zktest.Shared(t), zktest.Root(t)
	conn, _, err := zk.Connect([]string{server.Addr}, zktest.MaxSession, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	lock := root + "/lock"
	for _, path := range []string{root, lock} {
		if _, err := conn.Create(path, nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
			t.Fatal(err)
		}
	}
	enqueue := func() {
		if _, err := conn.Create(lock+"/lock-", nil, zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll)); err != nil {
			t.Fatal(err)
		}
	}
	enqueue()
	v := visit(t, b.ctx, b.serve(t, web.Config{ZK: []string{server.Addr}}), desktop)
	for _, path := range append(kindsOfPage(b.book), "/live?path="+lock, "/live/locks/hour?path="+lock,
		"/live/locks?path="+root) { // the list last: it is looked at below
		v.open(path)
		if v.count("#stage") > 0 {
			v.wait("stage", "ready")
		}
		if v.text("h1") == "" {
			t.Errorf("%s has no heading", path)
		}
		if over := v.integer("document.documentElement.scrollWidth - innerWidth"); over > 0 {
			t.Errorf("%s is %d px wider than the window", path, over)
		}
		v.shoot("pages" + path)
	}
	v.until("the lock in the list", func() bool { return v.count(`tr[data-path="`+lock+`"]`) == 1 })

	v.open("/live?path=" + lock)
	v.wait("host", "observed")
	enqueue()
	v.until("a znode that is created", func() bool { return strings.Contains(v.text("#log"), "lock-001") })

	addresses := watchedPages(t, b) // their servers stop after the visitor has left
	watched := visit(t, b.ctx, "", desktop)
	for _, address := range addresses {
		watched.looksWell(address)
	}

	herd := slices.IndexFunc(b.book.Lessons, func(l lessons.Lesson) bool { return l.Slug == "the-herd" })
	v.everyStep(b, herd)
	files := visit(t, b.ctx, b.export(t, filepath.Join(t.TempDir(), "site"), exportedLessons...).url, desktop)
	files.ends = ".html"
	files.everyStep(b, herd)
}
