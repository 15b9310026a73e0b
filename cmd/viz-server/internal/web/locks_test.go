package web_test

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/broken"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
)

// TestLocksShowWhatBreaks: the table has each broken promise as a link to a run that the Lab shows at that moment, and
// says to everyone which it is.
func TestLocksShowWhatBreaks(t *testing.T) {
	srv := serve(t, web.Config{})
	rows, err := broken.Table()
	if err != nil {
		t.Fatal(err)
	}
	status, _, body := get(t, srv.URL+"/locks")
	if status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	links := regexp.MustCompile(`<a href="(/lab\?[^"]*event=[0-9]+)" title="([^"]*)" aria-label="([^"]*)">([A-Z])</a>`).
		FindAllStringSubmatch(body, -1)
	rules := broken.Rules(rows)
	for _, r := range rows {
		if !strings.Contains(body, `<th scope="row"><a href="/recipes#`+r.Recipe+`">`+r.Recipe+`</a></th>`) {
			t.Errorf("%s has no row", r.Recipe)
		}
		for _, c := range r.Cells {
			for i := range c.Broken {
				if len(links) == 0 {
					t.Fatalf("%s, %s: no link", r.Recipe, c.Fault)
				}
				l := links[0]
				links = links[1:]
				letter := c.Mark(rules)[i : i+1]
				if got := html.UnescapeString(l[1]); got != c.Broken[i].Reproduction.Link || l[4] != letter || l[2] != l[3] ||
					!strings.HasPrefix(l[2], letter+": "+r.Recipe+", ") || !strings.Contains(l[2], ", "+c.Fault) {
					t.Errorf("%s, %s: %s of %q leads to %s", r.Recipe, c.Fault, l[4], l[2], got)
				}
			}
		}
	}
	if len(links) > 0 {
		t.Errorf("%d links more than promises that break", len(links))
	}
	last := rows[len(rows)-1].Cells[0].Broken[0].Reproduction.Link
	if status, _, body := get(t, srv.URL+last); status != http.StatusOK || !strings.Contains(body, "&amp;event=") {
		t.Errorf("%s: status %d, and not at that moment", last, status)
	}
}

// TestLocksAreFound from the Lab and from the recipes.
func TestLocksAreFound(t *testing.T) {
	srv := serve(t, web.Config{})
	for _, path := range []string{"/lab", "/lab/compare", "/recipes"} {
		if _, _, body := get(t, srv.URL+path); !strings.Contains(body, `href="/locks"`) {
			t.Errorf("%s does not lead there", path)
		}
	}
}
