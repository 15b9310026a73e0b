package site

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/a-h/templ"

	"github.com/zkviz/zkviz/engine/run/room"
)

// TestAStillPageIsMadeOnce checks that simultaneous requests share one page.
func TestAStillPageIsMadeOnce(t *testing.T) {
	m := newRenderer()
	m.turns = room.NewTurns(1)
	var made atomic.Int32
	make := func() (templ.Component, error) {
		made.Add(1)
		return templ.Raw(strings.Repeat("<p>words</p>", 100)), nil
	}
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() {
			r := httptest.NewRequest("GET", "/", nil)
			r.Header.Set("Accept-Encoding", "br")
			if c, err := m.page(r, pageKey{path: "/"}, make); err != nil || !c.Ready(r) {
				t.Errorf("it is not ready: %v", err)
			}
		})
	}
	wg.Wait()
	if n := made.Load(); n != 1 {
		t.Errorf("it was made %d times", n)
	}
}

// TestKeptPagesAreBounded checks that cached pages which differ by their query stay within maxPageBytes.
func TestKeptPagesAreBounded(t *testing.T) {
	m := newRenderer()
	const size = 1 << 20
	text := strings.Repeat("x", size)
	for i := range maxPageBytes/size + 1 {
		key := pageKey{path: "/lab", Needs: Needs{Query: fmt.Sprint(i)}}
		make := func() (templ.Component, error) { return templ.Raw(text), nil }
		if _, err := m.page(httptest.NewRequest("GET", "/", nil), key, make); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(m.pages.byKey); m.pages.weight > maxPageBytes || n != maxPageBytes/(2*size)-1 {
		t.Errorf("%d pages of %d bytes are kept, with their queries %d, and there may be %d", n, size, m.pages.weight,
			maxPageBytes)
	}
	m = newRenderer()
	query := strings.Repeat("q", maxPageBytes)
	make := func() (templ.Component, error) { return templ.Raw("x"), nil }
	key := pageKey{Needs: Needs{Query: query}}
	if _, err := m.page(httptest.NewRequest("GET", "/", nil), key, make); err != nil || m.pages.weight > 0 {
		t.Errorf("a query of %d bytes is kept: %v", len(query), err)
	}
}
