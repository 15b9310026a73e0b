package lessons_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/lessons"
)

// TestEverythingIsAskedAgain checks that the page of all questions has each question of each lesson once, in the order
// of the course and with a right answer, and that the first page names the same. Of lessons without pages there's none.
func TestEverythingIsAskedAgain(t *testing.T) {
	book, err := lessons.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, only := range [][]string{nil, {"the-herd", "two-believe"}} {
		var want []string
		for i := range book.Lessons {
			l := &book.Lessons[i]
			for j := range l.Steps {
				if s := &l.Steps[j]; s.Question != nil && (only == nil || slices.Contains(only, l.Slug)) {
					want = append(want, l.Slug+"/"+s.Anchor)
				}
			}
		}
		srv := webtest.Serve(t, web.Config{Book: book, Lessons: only})
		status, _, all := webtest.Get(t, srv.URL+"/review")
		named := valuesOf(t, all, "data-asks")
		if status != http.StatusOK || !slices.Equal(named, want) {
			t.Errorf("%v: %d, it asks %v, and not %v", only, status, named, want)
		}
		if right := valuesOf(t, all, "data-right"); len(right) != len(want) {
			t.Errorf("%v: %d right answers to %d questions", only, len(right), len(want))
		}
		_, _, home := webtest.Get(t, srv.URL+"/")
		if named := valuesOf(t, home, "data-asks"); !slices.Equal(named, []string{strings.Join(want, " ")}) {
			t.Errorf("%v: the first page names %v", only, named)
		}
	}
}

// valuesOf returns the values of an attribute on a page, in their order.
func valuesOf(t *testing.T, page, attribute string) (all []string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			if a.Key == attribute {
				all = append(all, a.Val)
			}
		}
	}
	return all
}
