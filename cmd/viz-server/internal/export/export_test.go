package export_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/export"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/compare"
	"github.com/zkviz/zkviz/recipes"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

// few are lessons that have all that a lesson can have: figures, a challenge, a run beside, a repair, the Zoo.
var few = []string{"the-herd", "no-second-look", "your-own-client", "two-believe"}

// odd is a path that needs escapes, and has some that aren't.
const odd = "/a b/50%25 é+#/"

// slow is a handler that at first is busy with a page, and then has a part of it.
func slow(whole http.Handler, page string) http.Handler {
	asked := 0
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == page {
			asked++
		}
		switch {
		case r.URL.Path != page || asked > 2:
			whole.ServeHTTP(w, r)
		case asked == 1:
			w.Header().Set("Retry-After", "1")
			http.Error(w, "busy", http.StatusServiceUnavailable)
		default:
			w.Header().Set("Refresh", "1")
			_, _ = w.Write([]byte("a part"))
		}
	})
}

// write exports a site and returns its folder. With -short it has few lessons, else all.
func write(t *testing.T, cfg export.Config) (folder string, names []string) {
	t.Helper()
	var only []string
	if testing.Short() {
		only = few
	}
	pages := webtest.NewServer(t, web.Config{Exported: cfg.Address, Lessons: only, Pseudo: true})
	defer pages.Close()
	cfg.Dir, cfg.Pages = filepath.Join(t.TempDir(), "my site"), slow(pages, "/locks")
	sum, err := export.Write(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(cfg.Dir, func(name string, d os.DirEntry, err error) error {
		name, _ = filepath.Rel(cfg.Dir, name)
		if !d.IsDir() && !strings.HasPrefix(name, ".") && filepath.Ext(name) != ".br" && filepath.Ext(name) != ".gz" {
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil || sum.Files != len(names) || sum.Packed >= sum.Bytes/2 {
		t.Errorf("%d files in the folder, counted %+v: %v", len(names), sum, err)
	}
	return cfg.Dir, names
}

// TestSite exports a site and checks its links, what it says of itself, and its words.
func TestSite(t *testing.T) {
	folder, names := write(t, export.Config{Address: "https://example.org/zk%20viz/", Base: "/zk%20viz/"})
	t.Run("links", func(t *testing.T) { checkLinks(t, folder, names) })
	t.Run("for others", func(t *testing.T) { checkForOthers(t, folder) })
	t.Run("the herd", func(t *testing.T) { checkHerd(t, folder) })
	t.Run("words", func(t *testing.T) { checkWords(t, folder, names) })
	t.Run("offline", func(t *testing.T) { checkOffline(t, folder, names) })
}

// checkLinks serves the site from a plain file server below an odd path, and follows all links: each leads to a file or
// a part of a page, none to the root of the host.
func checkLinks(t *testing.T, folder string, names []string) {
	below := strings.ReplaceAll(url.PathEscape(strings.Trim(odd, "/")), "%2F", "/")
	host := httptest.NewServer(http.StripPrefix(strings.TrimSuffix(odd, "/"), http.FileServer(http.Dir(folder))))
	defer host.Close()
	c := crawler{t: t, root: host.URL + "/" + below + "/", pages: map[string]*html.Node{}}
	c.follow(c.root + "index.html")
	c.follow(c.root + "stage.html")
	c.follow(c.root + uistrings.Pseudo + "/stage.html")
	for _, name := range names {
		alone := slices.Contains([]string{"404.html", "robots.txt", "sitemap.xml"}, path.Base(name)) ||
			path.Ext(name) == ".png" || // absolute links lead to these
			strings.HasPrefix(name, "offline.")
		if !alone && !strings.HasPrefix(name, "static/") && c.pages[c.root+name] == nil {
			t.Errorf("no link leads to %s", name)
		}
		_, packed := os.Stat(filepath.Join(folder, name+".br"))
		if path.Ext(name) == ".html" && path.Base(name) != "stage.html" && packed != nil { // that one is too short
			t.Errorf("%s isn't there in compressed form", name)
		}
	}
}

// checkForOthers checks the pages' heads, and the files for search engines and for hosts.
func checkForOthers(t *testing.T, folder string) {
	lost := read(t, folder, "404.html")
	for _, want := range []string{`href="/zk%20viz/index.html"`, `href="/zk%20viz/static/page.`} {
		if !strings.Contains(lost, want) {
			t.Errorf("404.html has no %s", want)
		}
	}
	herd := read(t, folder, "lessons/the-herd.html")
	for _, want := range []string{
		`<link rel="canonical" href="https://example.org/zk%20viz/lessons/the-herd.html">`, `<meta name="description" content="N`,
		`<meta property="og:title" content="The herd`, `<link rel="manifest" href="../manifest.webmanifest">`,
		`<meta property="og:image:alt" content="`, `<meta name="twitter:card" content="summary_large_image">`,
		`type="application/json+oembed" href="the-herd/oembed.json"`,
	} {
		if !strings.Contains(herd, want) {
			t.Errorf("the lesson has no %s", want)
		}
	}
	checkPictures(t, folder, herd)
	const src = `src=\"https://example.org/zk%20viz/lessons/the-herd.html?embed=words,steps,play\"`
	if o := read(t, folder, "lessons/the-herd/oembed.json"); !strings.Contains(strings.ReplaceAll(o, `\u0026`, "&"), src) {
		t.Errorf("the description for frames has no %s: %s", src, o)
	}
	if m := read(t, folder, "sitemap.xml"); strings.Count(m, "<loc>") < len(few) ||
		!strings.Contains(m, "<loc>https://example.org/zk%20viz/lessons/the-herd.html</loc>") {
		t.Errorf("the site map is %s", m)
	}
	if r := read(t, folder, "robots.txt"); !strings.HasSuffix(r, "\nSitemap: https://example.org/zk%20viz/sitemap.xml\n") {
		t.Errorf("robots.txt is %q", r)
	}
}

// checkHerd checks that the first page and a lesson find the runs that they play.
func checkHerd(t *testing.T, folder string) {
	for name, clients := range map[string]int{"index.html": 24, "lessons/the-herd.html": 100} {
		text := read(t, folder, name)
		for _, recipe := range []string{"children-lock", "predecessor-lock"} {
			file := fmt.Sprintf("api/figures/%s-%d-moments.json", recipe, clients)
			if !strings.Contains(text, file+`"`) {
				t.Errorf("%s has no link to %s", name, file)
			}
			want, err := compare.MeasureMoments(t.Context(), event.Simulated, run.Sim,
				run.Scenario{Recipe: recipe, Clients: clients, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			var got compare.Row
			err = json.Unmarshal([]byte(read(t, folder, file)), &got)
			if err != nil || !slices.Equal(got.Moments, want.Moments) {
				t.Errorf("%s isn't the run: %v", file, err)
			}
		}
	}
}

// checkPictures checks the picture for links to a lesson, and the icons of the manifest.
func checkPictures(t *testing.T, folder, lesson string) {
	preview := regexp.MustCompile(`"og:image" content="https://example.org/zk%20viz/(lessons/the-herd/[a-z-]+\.png)"`)
	if m := preview.FindStringSubmatch(lesson); m == nil || sizeOf(t, folder, m[1]) != (image.Point{1200, 630}) {
		t.Errorf("the lesson's picture is %v", m)
	}
	var manifest struct {
		Icons []struct{ Src, Sizes, Type string }
	}
	if err := json.Unmarshal([]byte(read(t, folder, "manifest.webmanifest")), &manifest); err != nil {
		t.Fatal(err)
	}
	for _, icon := range manifest.Icons {
		if icon.Type == "image/svg+xml" {
			read(t, folder, icon.Src)
		} else if size := sizeOf(t, folder, icon.Src); icon.Sizes != fmt.Sprintf("%dx%d", size.X, size.Y) {
			t.Errorf("%+v has %v pixels", icon, size)
		}
	}
	if len(manifest.Icons) != 4 {
		t.Errorf("%d icons", len(manifest.Icons))
	}
}

// sizeOf returns the size of a PNG in pixels.
func sizeOf(t *testing.T, folder, name string) image.Point {
	t.Helper()
	c, err := png.DecodeConfig(strings.NewReader(read(t, folder, name)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return image.Point{c.Width, c.Height}
}

func read(t *testing.T, folder, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// crawler follows links as a browser does that runs no scripts.
type crawler struct {
	t     *testing.T
	root  string
	pages map[string]*html.Node // by address; what isn't HTML has an empty one
}

var inStyles = regexp.MustCompile(`url\(['"]?([^'")]+)`)

func (c *crawler) follow(address string) {
	if c.pages[address] != nil {
		return
	}
	c.pages[address] = &html.Node{}
	response, err := http.Get(address)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		c.t.Errorf("%s: %s, %v", address, response.Status, err)
		return
	}
	switch kind := response.Header.Get("Content-Type"); {
	case strings.HasPrefix(kind, "text/css"):
		for _, m := range inStyles.FindAllStringSubmatch(string(body), -1) {
			c.link(address, "url", m[1])
		}
	case strings.HasPrefix(kind, "text/html"):
		doc, err := html.Parse(strings.NewReader(string(body)))
		if err != nil {
			c.t.Fatal(err)
		}
		c.pages[address] = doc
		for n := range doc.Descendants() {
			for _, a := range n.Attr {
				c.link(address, a.Key, a.Val)
			}
		}
	}
}

// link follows a link of a page, if an attribute is one.
func (c *crawler) link(from, name, to string) {
	isLink := slices.Contains([]string{"href", "src", "srcset", "action", "url"}, name) ||
		strings.HasPrefix(name, "data-") &&
			regexp.MustCompile(`^[\w./-]+\.(html|json|bin|wasm)(\?|$)`).MatchString(to)
	if !isLink && !strings.HasPrefix(to, "/") {
		return
	}
	base, err := url.Parse(from)
	if err != nil {
		c.t.Fatal(err)
	}
	target, err := base.Parse(to)
	if err != nil || !isLink || strings.HasPrefix(to, "/") {
		c.t.Errorf("%s: %s is %q, %v", from, name, to, err)
		return
	}
	fragment := target.Fragment
	target.RawQuery, target.Fragment = "", ""
	if target.Scheme == "https" {
		return
	}
	if !strings.HasPrefix(target.String(), c.root) {
		c.t.Errorf("%s: %s leads out of the site: %q", from, name, to)
		return
	}
	c.follow(target.String())
	page := c.pages[target.String()]
	if fragment != "" && page.Type == html.DocumentNode && !absent(target.Path) && !hasID(page, fragment) {
		c.t.Errorf("%s: there is no such part: %q", from, to)
	}
}

func hasID(doc *html.Node, id string) bool {
	for n := range doc.Descendants() {
		if slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "id" && a.Val == id }) {
			return true
		}
	}
	return false
}

// checkWords checks that exported pages say what the server's pages say. Pages that need a server say how to start one.
func checkWords(t *testing.T, folder string, names []string) {
	srv := webtest.Serve(t, web.Config{})
	compared := 0
	for _, name := range names {
		if strings.HasPrefix(name, uistrings.Pseudo) {
			continue
		}
		part := "main"
		if path.Dir(name) == "lessons" && !absent(name) {
			part = "article" // the controls differ
		}
		at, isPage := strings.CutSuffix(name, ".html")
		if !isPage || name == "stage.html" || name == "404.html" {
			continue
		}
		ours := words(t, read(t, folder, name), part)
		switch at {
		case "live", "zoo", "zoo/redis":
			if !strings.Contains(ours, "viz-server") || !strings.Contains(ours, "github.com/zkviz/zkviz") {
				t.Errorf("%s doesn't say what it needs: %s", name, ours)
			}
			continue
		case "locks", "search", "lessons/your-own-client":
			continue
		case "review": // it asks what the lessons ask that are there
			if !strings.Contains(ours, "Asked in lesson") {
				t.Errorf("%s asks nothing: %s", name, ours)
			}
			continue
		case "index":
			at = ""
		}
		if absent(name) {
			if !strings.Contains(ours, "viz-server") {
				t.Errorf("%s doesn't say where the lesson is: %s", name, ours)
			}
			continue
		}
		if at == "lab/compare" {
			checkLab(t, ours, "main", "/"+at, srv.URL)
			continue
		}
		if recipe, ok := strings.CutPrefix(at, "lab/"); ok || at == "lab" {
			checkLab(t, ours, "section", "/lab?recipe="+cmp.Or(recipe, recipes.Default), srv.URL)
			continue
		}
		_, _, page := webtest.Get(t, srv.URL+"/"+at)
		for _, key := range []string{"class.find.another", "teach.foot", "teach.open"} { // a class needs a server
			page = strings.Replace(page, uistrings.English().Say(key), "", 1)
		}
		if theirs := words(t, page, part); ours != theirs || ours == "" {
			t.Errorf("%s says\n%s\nThe server says\n%s", name, ours, theirs)
		}
		compared++
	}
	if compared < len(few) {
		t.Errorf("compared %d pages", compared)
	}
}

// checkLab checks that a page of the Lab says all that an element of the server's says but for what needs one.
func checkLab(t *testing.T, ours, element, at, server string) {
	t.Helper()
	_, _, page := webtest.Get(t, server+at)
	rest, theirs := strings.Fields(ours), words(t, page, element)
	theirs = strings.Replace(theirs, `<p class="trouble">`+uistrings.English().Say("lab.noscript")+"</p>", "", 1)
	for _, word := range strings.Fields(theirs) {
		i := slices.Index(rest, word)
		if i < 0 {
			t.Errorf("%s doesn't say %q", at, word)
			return
		}
		rest = rest[i+1:]
	}
}

// absent reports whether a file stands for a lesson that isn't written.
func absent(name string) bool {
	slug := strings.TrimSuffix(path.Base(name), ".html")
	return testing.Short() && path.Base(path.Dir(name)) == "lessons" && !slices.Contains(few, slug)
}

// words returns the text of a page's first element of a kind, without what is for runs on a real ZooKeeper.
func words(t *testing.T, page, element string) string {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode || n.Data != element {
			continue
		}
		var text strings.Builder
		for d := range n.Descendants() {
			if d.Type == html.TextNode && !forLive(d) {
				text.WriteString(d.Data + " ")
			}
		}
		return strings.Join(strings.Fields(text.String()), " ")
	}
	return ""
}

func forLive(n *html.Node) bool {
	for up := range n.Ancestors() {
		if slices.ContainsFunc(up.Attr, func(a html.Attribute) bool { return strings.HasPrefix(a.Val, "when-live") }) {
			return true
		}
	}
	return false
}

// tiny are pages for tests of the folder.
var tiny = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch r.URL.Path {
	case "/":
		io.WriteString(w, `<a href="/part/one?x=1#here">one</a> <a href="https://example.org/">elsewhere</a>`)
	case "/part/one":
		io.WriteString(w, `<a href="../">home</a> <source srcset="/part/one.svg?theme=dark&amp;shape=low"> <img src="/part/one.svg?theme=dark">`)
	case "/part/one.svg":
		w.Header().Set("Content-Type", "image/svg+xml")
		io.WriteString(w, "<svg/>")
	case "/static/icon.svg":
		w.Header().Set("Content-Type", "image/svg+xml")
	default:
		http.NotFound(w, r)
	}
})

func writeTiny(ctx context.Context, dir string) error {
	_, err := export.Write(ctx, export.Config{Dir: dir, Pages: tiny})
	return err
}

// TestLinks checks how links become links between files.
func TestLinks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	if err := writeTiny(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"index.html":            `<a href="part/one.html?x=1#here">one</a> <a href="https://example.org/">elsewhere</a>`,
		"part/one.html":         `<a href="../index.html">home</a> <source srcset="one.dark-low.svg"> <img src="one.dark.svg">`,
		"part/one.dark.svg":     "<svg/>",
		"part/one.dark-low.svg": "<svg/>",
	} {
		if got := read(t, dir, name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	bad := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/part/one.svg" {
			http.NotFound(w, r)
			return
		}
		tiny(w, r)
	})
	_, err := export.Write(t.Context(), export.Config{Dir: dir, Pages: bad})
	const want = "/part/one: the link to /part/one.svg?theme=dark&shape=low: there is no such page"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a dead link: %v", err)
	}
}
