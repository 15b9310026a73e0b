package web_test

import (
	"html"
	"net/url"
	"strings"
	"testing"

	xhtml "golang.org/x/net/html"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event/trace"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

// TestEveryLinkLeadsSomewhere walks over all pages, following every link and loading every picture. Only the choice of
// a language may lead to another language.
func TestEveryLinkLeadsSomewhere(t *testing.T) {
	if testing.Short() {
		t.Skip("one page after another: nothing that a race detector could find")
	}
	srv := webtest.Serve(t, web.Config{Pseudo: true})
	seen := map[string]bool{}
	queue := []string{"/"}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		status, h, body := webtest.Get(t, srv.URL+at)
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
	book, err := webtest.Book()
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
			case "href", "src", "srcset":
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
	srv := webtest.Serve(t, web.Config{Pseudo: true})
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
		status, _, body := webtest.Get(t, srv.URL+path)
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
	if _, _, body := webtest.Get(t, webtest.Serve(t, web.Config{}).URL); strings.Contains(body, "hreflang") {
		t.Error("the page offers languages")
	}
}

func TestTrace(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	c := webtest.Dial(t, srv)
	c.Send(openUnique)
	run := c.Next()
	c.Send(`{"do":"fault","branch":0,"fault":"crash client-2 at 2s"}`)
	b := c.Until(webtest.OfKind("branch")).Row
	status, h, body := webtest.Get(t, srv.URL+"/api/trace?branch=1&run="+run.Run)
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
		if status, _, _ := webtest.Get(t, srv.URL+"/api/trace?"+query); status != 404 {
			t.Errorf("%s: %d, want 404", query, status)
		}
	}
}
