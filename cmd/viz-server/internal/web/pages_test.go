package web_test

import (
	"encoding/json"
	"encoding/xml"
	"html"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	xhtml "golang.org/x/net/html"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/event/trace"
	"github.com/zkviz/zkviz/engine/run"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

func get(t *testing.T, address string) (int, http.Header, string) {
	t.Helper()
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(body)
}

// TestEveryLinkLeadsSomewhere walks over all pages, following every link and loading every picture. Only the choice of
// a language may lead to another language.
func TestEveryLinkLeadsSomewhere(t *testing.T) {
	if testing.Short() {
		t.Skip("one page after another: nothing that a race detector could find")
	}
	srv := serve(t, web.Config{Pseudo: true})
	seen := map[string]bool{}
	queue := []string{"/"}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		status, h, body := get(t, srv.URL+at)
		if status != 200 {
			t.Errorf("%s: %d", at, status)
		}
		if !strings.HasPrefix(h.Get("Content-Type"), "text/html") {
			continue
		}
		here, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		links, ids := linksAndIDs(body)
		once := map[string]bool{}
		for _, id := range ids {
			if once[id] {
				t.Errorf("%s: two elements have the id %q: a step's anchor may be the name of a pane", at, id)
			}
			once[id] = true
		}
		for _, l := range links {
			u, err := here.Parse(l.to)
			if err != nil || u.Host != "" || strings.HasPrefix(l.to, "#") {
				continue
			}
			u.Fragment = ""
			if !l.byLanguage && !strings.HasPrefix(u.Path, "/static/") && isPseudo(u.Path) != isPseudo(at) {
				t.Errorf("%s: the link to %s is to another language", at, u)
			}
			if !seen[u.String()] {
				seen[u.String()] = true
				queue = append(queue, u.String())
			}
		}
	}
	book, err := book()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range book.Lessons {
		for _, s := range l.Steps {
			for _, lang := range []page.Lang{uistrings.Source, uistrings.Pseudo} {
				if p := lang.To("/lessons/" + l.Slug + "/" + s.Anchor + ".svg?theme=dark"); !seen[p] {
					t.Errorf("no page shows %s", p)
				}
			}
		}
	}
}

// link is an address that a page links to or loads.
type link struct {
	to         string
	byLanguage bool // marked as leading to another language
}

// linksAndIDs returns the links of a page and the IDs of its elements. A tokenizer is many times faster than a regular
// expression, and the pages of all lessons are long.
func linksAndIDs(body string) (links []link, ids []string) {
	z := xhtml.NewTokenizer(strings.NewReader(body))
	for z.Next() != xhtml.ErrorToken {
		var here []link
		byLanguage := false
		for more := true; more; {
			var key, val []byte
			switch key, val, more = z.TagAttr(); string(key) {
			case "id":
				ids = append(ids, string(val))
			case "href", "src":
				here = append(here, link{to: string(val)})
			case "hreflang":
				byLanguage = true
			}
		}
		for _, l := range here {
			links = append(links, link{l.to, byLanguage})
		}
	}
	return links, ids
}

func isPseudo(path string) bool { return strings.HasPrefix(path, "/"+uistrings.Pseudo+"/") }

// TestLanguageInThePath checks that a page has the language of its path and links to the same page in others.
func TestLanguageInThePath(t *testing.T) {
	srv := serve(t, web.Config{Pseudo: true})
	for path, want := range map[string]struct {
		status         int
		lang, here, at string // the page's language, and its path in each
	}{
		"/":                            {200, "en", "/", "/en-XA/"},
		"/en-XA/":                      {200, "en-XA", "/", "/en-XA/"},
		"/en-XA":                       {200, "en-XA", "/", "/en-XA/"}, // by a redirect
		"/lessons/the-herd":            {200, "en", "/lessons/the-herd", "/en-XA/lessons/the-herd"},
		"/en-XA/lessons/the-herd":      {200, "en-XA", "/lessons/the-herd", "/en-XA/lessons/the-herd"},
		"/en-XA/zoo?path=/a%26b":       {200, "en-XA", "/zoo?path=%2Fa%26b", "/en-XA/zoo?path=%2Fa%26b"},
		"/en-XA/lab?recipe=none":       {400, "en-XA", "/lab?recipe=none", "/en-XA/lab?recipe=none"},
		"/en-XA/lab/compare?clients=2": {200, "en-XA", "/lab/compare?clients=2", "/en-XA/lab/compare?clients=2"},
		"/en-XA/nowhere":               {404, "en-XA", "/nowhere", "/en-XA/nowhere"},
		"/es/lessons/the-herd":         {404, "en", "/es/lessons/the-herd", "/en-XA/es/lessons/the-herd"},
		"/en/lab":                      {404, "en", "/en/lab", "/en-XA/en/lab"},
		"/en-XA/en-XA/":                {404, "en-XA", "/en-XA/", "/en-XA/en-XA/"},
		"/en-XA/static/app.css":        {404, "en-XA", "/static/app.css", "/en-XA/static/app.css"},
		"/lessons/the-herd?lang=en-XA": {200, "en", "/lessons/the-herd", "/en-XA/lessons/the-herd"},
		"/en-XA/lessons/none":          {404, "en-XA", "/lessons/none", "/en-XA/lessons/none"},
		"/en-XA/live?path=/a":          {200, "en-XA", "/live?path=%2Fa", "/en-XA/live?path=%2Fa"},
		"/en-XA//recipes":              {200, "en-XA", "/recipes", "/en-XA/recipes"},
	} {
		status, _, body := get(t, srv.URL+path)
		body = html.UnescapeString(body)
		if status != want.status || !strings.Contains(body, `<html lang="`+want.lang+`"`) {
			t.Errorf("%s: %d, want %d in %s", path, status, want.status, want.lang)
		}
		for lang, address := range map[string]string{"en": want.here, "en-XA": want.at} {
			if !strings.Contains(body, `<link rel="alternate" hreflang="`+lang+`" href="`+address+`">`) ||
				strings.Count(body, `hreflang="`+lang+`"`) != 2 {
				t.Errorf("%s: the page in %s is not at %s", path, lang, address)
			}
		}
	}
}

// TestOneLanguageAlone checks that a site with one language offers no choice.
func TestOneLanguageAlone(t *testing.T) {
	if _, _, body := get(t, serve(t, web.Config{}).URL); strings.Contains(body, "hreflang") {
		t.Error("the page offers languages")
	}
}

func TestPictures(t *testing.T) {
	srv := serve(t, web.Config{})
	book, err := book()
	if err != nil {
		t.Fatal(err)
	}
	l := book.Lessons[0]
	address := srv.URL + "/lessons/" + l.Slug + "/" + l.Steps[0].Anchor + ".svg"
	status, h, light := get(t, address)
	if status != 200 || h.Get("Content-Type") != "image/svg+xml" ||
		!strings.Contains(h.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("%d %v", status, h)
	}
	d := xml.NewDecoder(strings.NewReader(light))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if _, _, dark := get(t, address+"?theme=dark"); dark == light {
		t.Error("the dark picture is the light one")
	}
	for path, want := range map[string]int{
		address + "?theme=pink":                                 400,
		strings.TrimSuffix(address, ".svg"):                     404,
		srv.URL + "/lessons/" + l.Slug + "/none.svg":            404,
		srv.URL + "/lessons/none/" + l.Steps[0].Anchor + ".svg": 404,
		srv.URL + "/lessons/none":                               404,
		srv.URL + "/recipes/none.svg":                           404,
		srv.URL + "/recipes/unique-lock":                        404,
		srv.URL + "/recipes/unique-lock.svg":                    200,
		srv.URL + "/nowhere":                                    404,
	} {
		if status, _, _ := get(t, path); status != want {
			t.Errorf("%s: %d, want %d", path, status, want)
		}
	}
}

func TestHostilePathOnThePage(t *testing.T) {
	srv := serve(t, web.Config{ZK: []string{"127.0.0.1:1"}, Cluster: &cluster{}})
	for _, path := range []string{`/"><script>alert(1)</script>`, `/a' onload='x`, "/\u202eevil",
		strings.Repeat("/x", 4000)} {
		_, _, body := get(t, srv.URL+"/live?path="+url.QueryEscape(path))
		if strings.Contains(body, "<script>alert") || strings.Contains(body, "onload='") {
			t.Errorf("the page has %q as it is", path)
		}
	}
}

// TestLivePage checks that a bad path gets the form and a reason, and the form says if the cluster is away.
func TestLivePage(t *testing.T) {
	nobody := serve(t, web.Config{ZK: []string{"127.0.0.1:1"}, Cluster: &cluster{}})
	somebody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer somebody.Close()
	there := serve(t, web.Config{ZK: []string{somebody.Addr().String()}, Cluster: &cluster{}})
	const away = "Can&#39;t reach 127.0.0.1:1: "
	for _, test := range []struct {
		url    string
		status int
		want   string
		away   bool
	}{
		{nobody.URL + "/live", 200, `name="path"`, true},
		{nobody.URL + "/live?path=/a", 200, `id="seen"`, true},
		{nobody.URL + "/live?path=relative", 400, "does not begin with /", true},
		{there.URL + "/live", 200, `name="path"`, false},
		{there.URL + "/live?path=relative", 400, "does not begin with /", false},
		{there.URL + "/live?path=/%00", 400, "it has the character U+0000", false},
	} {
		status, _, body := get(t, test.url)
		if status != test.status || !strings.Contains(body, test.want) || strings.Contains(body, away) != test.away {
			t.Errorf("%s: %d; says %q: %v; says that nobody is there: %v", test.url, status, test.want,
				strings.Contains(body, test.want), strings.Contains(body, away))
		}
	}
}

// TestLiveDialsForAll checks that reloading the page doesn't open connection after connection to the cluster.
func TestLiveDialsForAll(t *testing.T) {
	zk, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var dials atomic.Int32
	go func() {
		for {
			conn, err := zk.Accept()
			if err != nil {
				return
			}
			dials.Add(1)
			_, _ = io.ReadFull(conn, make([]byte, 4))                 // the page shows the outcome
			_, _ = io.WriteString(conn, "Zookeeper version: 3.8.0\n") // likewise
			conn.Close()
		}
	}()
	srv := serve(t, web.Config{ZK: []string{zk.Addr().String()}, Cluster: &cluster{}})
	begin := time.Now()
	for range 40 {
		if status, _, _ := get(t, srv.URL+"/live"); status != http.StatusOK {
			t.Errorf("%d", status)
		}
	}
	zk.Close()
	// One at the start, and one each two seconds: the machine may be slow.
	if n, most := dials.Load(), 2+int32(time.Since(begin)/(2*time.Second)); n > most {
		t.Errorf("%d connections to the cluster for 40 pages, want up to %d", n, most)
	}
}

func TestFigures(t *testing.T) {
	srv := serve(t, web.Config{})
	for range 2 { // computed, then kept
		status, h, body := get(t, srv.URL+"/api/figures?recipe=predecessor-lock&clients=100")
		var s run.Summary
		if err := json.Unmarshal([]byte(body), &s); err != nil || status != 200 ||
			h.Get("Content-Type") != "application/json" {
			t.Fatalf("%d %v %s: %v", status, h, body, err)
		}
		if s.Wakeups.ByRelease != 99 || s.Requests != 498 || s.Acquisitions != 100 {
			t.Errorf("figures %+v, want 99 wakeups by release, 498 requests, 100 acquisitions", s)
		}
	}
	for query, want := range map[string]string{
		"recipe=none&clients=6":                           "here is no recipe",
		"recipe=unique-lock":                              "not a number of clients",
		"recipe=unique-lock&clients=0":                    "not 0",
		"recipe=unique-lock&clients=1001":                 "not 1001",
		"recipe=unique-lock&clients=99999999999999999999": "not a number of clients",
	} {
		if status, _, body := get(t, srv.URL+"/api/figures?"+query); status != 400 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s, want 400 with %q", query, status, body, want)
		}
	}
}

func TestTrace(t *testing.T) {
	srv := serve(t, web.Config{})
	c := dial(t, srv)
	c.send(openUnique)
	run := c.next()
	c.send(`{"do":"fault","branch":0,"fault":"crash client-2 at 2s"}`)
	b := c.until(says("branch")).row
	status, h, body := get(t, srv.URL+"/api/trace?branch=1&run="+run.Run)
	if status != 200 || !strings.HasPrefix(h.Get("Content-Disposition"), "attachment") {
		t.Errorf("%d %v", status, h)
	}
	log, err := trace.Read(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if len(log.Events) != int(b.Events) || len(log.Header.Faults) != 1 || log.Header.Recipe != "unique-lock" {
		t.Errorf("%d events of %+v, want %d", len(log.Events), log.Header, b.Events)
	}
	for _, query := range []string{"run=" + run.Run + "&branch=2", "run=" + run.Run, "run=r0&branch=0", ""} {
		if status, _, _ := get(t, srv.URL+"/api/trace?"+query); status != 404 {
			t.Errorf("%s: %d, want 404", query, status)
		}
	}
}

// TestPicturesByLanguage checks that a picture has its page's language, in any order of requests.
func TestPicturesByLanguage(t *testing.T) {
	const path = "/lessons/the-herd/number.svg"
	for _, order := range [][]page.Lang{{"en", uistrings.Pseudo, "en"}, {uistrings.Pseudo, "en", uistrings.Pseudo}} {
		srv := serve(t, web.Config{Pseudo: true})
		for _, lang := range order {
			_, _, svg := get(t, srv.URL+lang.To(path))
			if marked := strings.Contains(svg, "[!! "); marked != (lang == uistrings.Pseudo) {
				t.Errorf("in %s, asked for in the order %s, the picture's words are in another language", lang, order)
			}
		}
	}
}
