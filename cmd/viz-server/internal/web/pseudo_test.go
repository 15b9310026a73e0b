package web_test

import (
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"golang.org/x/net/html"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/stores/redis/port"
	"github.com/zkviz/zkviz/engine/testing/redistest"
	"github.com/zkviz/zkviz/recipes"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

// TestNothingIsLeftInEnglish walks over all pages in the pseudo-language, with and without a ZooKeeper, and checks that
// all their words come from the language files.
func TestNothingIsLeftInEnglish(t *testing.T) {
	if testing.Short() {
		t.Skip("one page after another: nothing that a race detector could find")
	}
	for name, cfg := range map[string]web.Config{
		"alone":     {},
		"zoo":       {Zoo: webtest.NewZoo(), Redis: redistest.Simulated(t, port.Config{})},
		"cluster":   {ZK: []string{"127.0.0.1:1"}, Cluster: &webtest.Cluster{}},
		"read only": {ZK: []string{"127.0.0.1:1"}, Cluster: &webtest.Cluster{}, ReadOnly: true},
	} {
		t.Run(name, func(t *testing.T) {
			cfg.Pseudo = true
			srv := webtest.Serve(t, cfg)
			queue := []string{
				"/", "/nowhere", "/live", "/zoo", "/zoo/redis", "/zoo/servers", "/lab", "/lessons/your-own-client",
				"/lessons/the-herd", "/live?path=a",
				"/live?path=/a", "/zoo?path=a", "/lab?recipe=none", "/lab?recipe=barrier&clients=0",
				"/lab/compare?clients=2", "/lab/compare?clients=2&live=1", "/lab/compare?clients=x",
				"/locks?clients=2", "/locks?clients=2&live=1", "/locks?clients=x",
			}
			for i := range queue {
				queue[i] = page.Lang(uistrings.Pseudo).To(queue[i])
			}
			seen := map[string]bool{}
			for len(queue) > 0 {
				at := queue[0]
				queue = queue[1:]
				_, _, body := webtest.Get(t, srv.URL+at)
				doc, err := html.ParseWithOptions(strings.NewReader(body), html.ParseOptionEnableScripting(false))
				if err != nil {
					t.Fatal(err)
				}
				r := reader{t: t, at: at, said: seen}
				r.read(doc)
				if r.depth != 0 {
					t.Errorf("%s: a text's marks are not whole", at)
				}
				for _, to := range r.links {
					if u, err := url.Parse(to); err == nil && name == "alone" && !seen[to] &&
						strings.HasPrefix(u.Path, "/"+uistrings.Pseudo) && !strings.HasSuffix(u.Path, ".svg") { // times and names
						seen[to] = true
						queue = append(queue, to)
					}
				}
			}
		})
	}
}

// reader reads a page and reports text outside the pseudo-language's marks.
type reader struct {
	t     *testing.T
	at    string
	said  map[string]bool // reported already
	depth int             // of nested marks around the text
	links []string
}

func (r *reader) read(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		r.text(n.Data, n.Parent.Data)
	case html.ElementNode:
		if r.element(n) {
			return
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		r.read(c)
	}
}

// element reads an element's attributes and reports whether its content is data. Text without spell checking belongs to
// no language.
func (r *reader) element(n *html.Node) (data bool) {
	code := slices.Contains(n.Attr, html.Attribute{Key: "spellcheck", Val: "false"})
	for _, a := range n.Attr {
		switch {
		case a.Key == "href" && n.Data == "a":
			base, _ := url.Parse(r.at)
			if u, err := base.Parse(a.Val); err == nil {
				u.Fragment = ""
				r.links = append(r.links, u.String())
			}
		case a.Key == "hreflang", a.Key == "translate" && a.Val == "no":
			data = true
		case code && a.Key == "placeholder":
		case slices.Contains([]string{"title", "alt", "aria-label", "placeholder", "label"}, a.Key),
			strings.HasPrefix(a.Key, "data-") && !slices.Contains([]string{"data-task", "data-small", "data-asks"}, a.Key) &&
				strings.Contains(a.Val, " "): // data-small has a media query, data-asks has questions' names
			whole, said := reader{t: r.t, at: r.at, said: r.said}, a.Val
			if a.Key == "data-names" { // the last part is a rule's ID
				said = said[:max(0, strings.LastIndex(said, " | "))]
			}
			whole.text(said, n.Data+" "+a.Key)
		}
	}
	return data || slices.Contains([]string{"script", "style", "code", "kbd"}, n.Data)
}

// text reads the page's text. Letters outside the marks must be a name in the catalogue.
func (r *reader) text(text, where string) {
	plain, open := uistrings.Unmarked(text, r.depth)
	r.depth = open
	if strings.IndexFunc(plain, unicode.IsLetter) < 0 || isName(plain) || r.said[plain] {
		return
	}
	r.said[plain] = true
	r.t.Errorf("%s: %s says %q", r.at, where, plain)
}

// isName reports whether a text is the name of a recipe or of its file.
func isName(text string) bool { return names()[text] }

var names = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, r := range recipes.All() {
		all[r.Name], all["recipes/"+r.File] = true, true
	}
	return all
})
