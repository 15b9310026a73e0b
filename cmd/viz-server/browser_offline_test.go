package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp/kb"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/export"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/testing/port"
)

// noNetwork is a window in which the console tells of requests that fail.
var noNetwork = window{width: desktop.width, height: desktop.height, still: true, noisy: true}

// fileHost serves folders in turn at one address, below an odd path.
type fileHost struct {
	t      *testing.T
	addr   string
	srv    *httptest.Server
	silent atomic.Bool // it takes requests and answers none
}

// noFrames is the policy of a host that lets no other site show a page.
const noFrames = "frame-ancestors 'self'"

const oddPath = `/a b/é%'"&/`

func (h *fileHost) url() string {
	return "http://" + h.addr + strings.TrimSuffix((&url.URL{Path: oddPath}).String(), "/")
}

func (h *fileHost) start(folder string) {
	h.t.Helper()
	listener, err := net.Listen("tcp", h.addr)
	if err != nil {
		h.t.Fatal(err)
	}
	files := http.StripPrefix(strings.TrimSuffix(oddPath, "/"), http.FileServer(http.Dir(folder)))
	h.srv = &httptest.Server{Listener: listener, Config: &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if h.silent.Load() {
				<-r.Context().Done()
				return
			}
			w.Header().Set("Content-Security-Policy", noFrames)
			files.ServeHTTP(w, r)
		}),
	}}
	h.srv.Start()
}

// stop ends the server and its connections.
func (h *fileHost) stop() {
	h.silent.Store(false)
	h.srv.CloseClientConnections()
	h.srv.Close()
}

// exportedVersion writes a site with some lessons and returns its folder and its version, the name of its list.
func exportedVersion(t *testing.T, b *browser, lessons ...string) (folder, version string) {
	t.Helper()
	pages, err := web.New(t.Context(), web.Config{Book: b.book, Exported: "/", Lessons: lessons})
	if err != nil {
		t.Fatal(err)
	}
	defer pages.Close()
	folder = filepath.Join(t.TempDir(), "site")
	if _, err = export.Write(t.Context(), export.Config{Dir: folder, Pages: pages}); err != nil {
		t.Fatal(err)
	}
	worker, err := os.ReadFile(filepath.Join(folder, "offline.js"))
	if err != nil {
		t.Fatal(err)
	}
	return folder, regexp.MustCompile(`offline\.[0-9a-f]+\.json`).FindString(string(worker))
}

// withoutNetwork visits one lesson of a site of files. Then its server takes requests and says nothing, and then it
// goes: the other lesson plays, and the search finds. The next version of the site takes the place of the first as a
// whole, and a site without the worker ends it.
func withoutNetwork(t *testing.T, b *browser) {
	first, version := exportedVersion(t, b, "the-herd", "no-second-look")
	host := &fileHost{t: t, addr: port.Addr(t)}
	host.start(first)
	v := visit(t, b.ctx, host.url(), noNetwork)
	v.open("/lessons/the-herd.html")
	v.wait("kept", version)
	if line := v.says("document.getElementById('offline').textContent"); !strings.Contains(line, "without a network") {
		t.Errorf("the keys say %q", line)
	}
	v.press("?")
	v.until("the line among the keys", func() bool { return v.count("#offline") == 1 })
	v.shoot("exported/offline")

	host.silent.Store(true)
	v.open("/index.html")
	v.open("/search.html?q=herd")
	v.until("a result without a word from the network", func() bool { return v.count(".hits li") > 0 })

	host.stop()
	v.open("/index.html")
	v.click("a[href='lessons/no-second-look.html']")
	v.wait("stage", "ready")
	l, _ := b.book.Find("no-second-look")
	v.reads(b, l, 0)
	v.turn(kb.ArrowRight)
	v.reads(b, l, 1)
	v.says("fetch('the-herd.html').then((page) => page.headers.get('Content-Security-Policy'))" +
		".then((policy) => { document.documentElement.dataset.policy = policy; })")
	v.wait("policy", noFrames)
	v.open("/lab.html?recipe=barrier&clients=3&fault=pause+client-1+at+1s+for+2s")
	v.wait("engine", "ready")
	v.until("its run", func() bool { return v.number("branches") == 1 && v.mark("stage") == "ready" })
	v.press("2", "c")
	v.wait("branch", "1")
	v.shoot("exported/offline-lab")
	v.open("/search.html?q=herd")
	v.until("a result", func() bool { return v.count(".hits li") > 0 })
	v.open("/lessons/the-herd?x=1#break-it") // as links are that were made on a server
	v.wait("stage", "ready")
	v.wait("step", "break-it")

	second, next := exportedVersion(t, b, "the-herd", "no-second-look", "two-believe")
	host.start(second)
	v.open("/lessons/the-herd.html")
	v.wait("kept", next)
	host.stop()
	v.open("/lessons/two-believe.html")
	v.wait("stage", "ready")
	v.says("caches.keys().then((names) => caches.open(names[0]).then((c) => Promise.all([c.keys(), names.length])))" +
		".then(([keys, n]) => { document.documentElement.dataset.caches = n + ' ' + " +
		"keys.filter((k) => k.url.endsWith('" + version + "')).length; })")
	v.wait("caches", "1 0")

	if err := os.Remove(filepath.Join(second, "offline.js")); err != nil {
		t.Fatal(err)
	}
	host.start(second)
	defer host.stop()
	v.open("/search.html")
	const looked = "performance.getEntriesByType('resource').some((r) => r.name.endsWith('/offline.js'))"
	v.until("the worker to leave", func() bool {
		v.says("navigator.serviceWorker.getRegistrations().then((all) => caches.match('" + host.url() +
			"/?kept=whole').then((kept) => { document.documentElement.dataset.workers = all.length + ' ' + !!kept; }))")
		if v.mark("workers") == "0 false" {
			return true
		}
		if v.says(looked) == "true" { // the page before called the worker back: each next one sends it away again
			v.open("/search.html")
		}
		return false
	})
}

// aPhoneOffline visits a site on a phone, which then has another lesson's pictures without a network: all in the shapes
// for small screens, and one of those in place of the usual one.
func aPhoneOffline(t *testing.T, b *browser) {
	folder, version := exportedVersion(t, b, "the-herd", "no-second-look")
	host := &fileHost{t: t, addr: port.Addr(t)}
	host.start(folder)
	w := upright
	w.noisy = true
	v := visit(t, b.ctx, host.url(), w)
	v.open("/lessons/the-herd.html")
	v.wait("kept", version)
	host.stop()
	l, _ := b.book.Find("no-second-look")
	for _, s := range l.Steps {
		for shape, want := range map[string]string{"-tall": "390", "-low": "352", "": "390 352"} {
			v.says("fetch('no-second-look/" + s.Anchor + ".light" + shape + ".svg').then((r) => r.text()).then((svg) => " +
				"{ document.documentElement.dataset.width = svg.match(/width=.([0-9]+)/)[1]; })")
			v.until("the picture of "+s.Anchor, func() bool { return v.mark("width") != "" })
			if got := v.mark("width"); !strings.Contains(want, got) {
				t.Errorf("%s%s has a width of %s, want %s", s.Anchor, shape, got, want)
			}
			v.says("document.documentElement.dataset.width = ''")
		}
	}
	v.open("/lessons/no-second-look.html")
	v.wait("stage", "ready")
}

// littleRoom visits a site in a browser with no room for the programs. The lessons can be read without a network.
func littleRoom(t *testing.T, b *browser) {
	folder, version := exportedVersion(t, b, "the-herd", "no-second-look")
	host := &fileHost{t: t, addr: port.Addr(t)}
	host.start(folder)
	v := visit(t, b.ctx, host.url(), noNetwork)
	room := 6e6
	v.do(command(storage.OverrideQuotaForOrigin, storage.OverrideQuotaForOriginParams{
		Origin: "http://" + host.addr, QuotaSize: &room,
	}))
	v.open("/lessons/the-herd.html")
	v.wait("kept", "full")
	if line := v.says("document.getElementById('offline').textContent"); !strings.Contains(line, "no room") {
		t.Errorf("the keys say %q", line)
	}
	if full := v.says("localStorage.getItem('zkviz.offline-full')"); full != version {
		t.Errorf("it's full for %s, want %s", full, version)
	}
	host.stop()
	v.open("/lessons/no-second-look.html")
	v.wait("stage", "failed")
	v.until("its picture", func() bool { return v.count("#poster img.picture, .step img.picture") > 0 })
	v.press(kb.ArrowRight)
	l, _ := b.book.Find("no-second-look")
	v.until("the next step", func() bool {
		return v.says("document.querySelector('.step[data-here]').id") == l.Steps[1].Anchor
	})
	v.shoot("exported/little-room")
}
