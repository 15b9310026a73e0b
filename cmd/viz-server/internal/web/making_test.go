package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/a-h/templ"

	"github.com/zkviz/zkviz/engine/run/room"
)

// accepting returns a request from a browser that accepts these encodings.
func accepting(encodings string) *http.Request {
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Accept-Encoding", encodings)
	return r
}

// TestABodyIsCompressedOnce checks that a body is compressed only on request, once for each encoding.
func TestABodyIsCompressedOnce(t *testing.T) {
	text := strings.Repeat("some words and ", 200)
	for _, effort := range []int{quick, thorough} {
		c := newContent(html, []byte(text), effort)
		for accept, want := range map[string]string{"gzip, br": "br", "br": "br", "gzip": "gzip", "": "", "br;q=0": ""} {
			if got := c.encoding(accepting(accept)); got != want {
				t.Errorf("who accepts %q gets %q, want %q", accept, got, want)
			}
		}
		for i, encoding := range []string{"br", "gzip"} {
			if c.ready(accepting(encoding)) || len(c.packed) != i {
				t.Errorf("%s is there before anybody asks: %d forms", encoding, len(c.packed))
			}
			known := accepting(encoding)
			known.Header.Set("If-None-Match", c.etag(encoding))
			if !c.ready(known) {
				t.Errorf("what the browser has already would be compressed with %s", encoding)
			}
			first := c.form(encoding)
			if got := unpacked(t, encoding, first); got != text {
				t.Errorf("%s: %q", encoding, got)
			}
			if again := c.form(encoding); &again[0] != &first[0] || !c.ready(accepting(encoding)) {
				t.Errorf("%s: it is compressed again", encoding)
			}
		}
	}
}

// TestAStillPageIsMadeOnce checks that simultaneous requests share one page.
func TestAStillPageIsMadeOnce(t *testing.T) {
	m := newMaking()
	m.turns = room.NewTurns(1)
	var made atomic.Int32
	make := func() (templ.Component, error) {
		made.Add(1)
		return templ.Raw(strings.Repeat("<p>words</p>", 100)), nil
	}
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() {
			if c, err := m.page(accepting("br"), stillKey{path: "/"}, make); err != nil || !c.ready(accepting("br")) {
				t.Errorf("it is not ready: %v", err)
			}
		})
	}
	wg.Wait()
	if n := made.Load(); n != 1 {
		t.Errorf("it was made %d times", n)
	}
}

// TestAClassLoadsItsPages checks that thirty simultaneous pages from one address are all made. Beyond the limit the
// answer is a page that says so. A cached page needs no turn.
func TestAClassLoadsItsPages(t *testing.T) {
	s, err := New(t.Context(), Config{Book: theBook(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	get := func(address string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1"+address, nil))
		return w
	}
	var wg sync.WaitGroup
	for i := range 30 {
		wg.Go(func() {
			if w := get(fmt.Sprintf("/lab?recipe=unique-lock&seed=%d", i)); w.Code != http.StatusOK {
				t.Errorf("page %d: %d", i, w.Code)
			}
		})
	}
	wg.Wait()
	lesson := s.site.book.Lessons[0]
	picture := "/lessons/" + lesson.Slug + "/" + lesson.Steps[0].Anchor + ".svg"
	get("/recipes")
	get(picture)
	const who = "192.0.2.1" // httptest's address
	crowded := crowd(t, who)
	s.site.making.turns, s.site.pictures.turns = crowded, crowded
	for _, address := range []string{"/lab?seed=77", "/lessons/" + lesson.Slug, "/nowhere", picture + "?theme=dark"} {
		w := get(address)
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "5" {
			t.Errorf("%s: %d, Retry-After %q", address, w.Code, w.Header().Get("Retry-After"))
		}
		if isPage := strings.HasPrefix(w.Header().Get("Content-Type"), "text/html"); isPage &&
			!strings.Contains(w.Body.String(), "The server is busy") {
			t.Errorf("%s: the page does not say that the server is busy", address)
		}
	}
	for _, address := range []string{"/recipes", "/lab?recipe=unique-lock&seed=7", picture} {
		if w := get(address); w.Code != http.StatusOK {
			t.Errorf("%s, which is there: %d", address, w.Code)
		}
	}
}

// TestAPictureIsDrawnOnce checks that requests which wait for a picture get the same one.
func TestAPictureIsDrawnOnce(t *testing.T) {
	s, err := New(t.Context(), Config{Book: theBook(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	lesson := s.site.book.Lessons[0]
	p := newPictures(s.site.book, nil, room.NewTurns(2))
	key := pictureKey{"", lesson.Slug, lesson.Steps[0].Anchor, false}
	all := make([]*content, 20)
	var wg sync.WaitGroup
	for i := range all {
		wg.Go(func() {
			c, ok, err := p.of(t.Context(), room.Asker(fmt.Sprint(i)), key)
			if !ok || err != nil {
				t.Errorf("%v, %v", ok, err)
			}
			all[i] = c
		})
	}
	wg.Wait()
	for _, c := range all {
		if c != all[0] {
			t.Fatal("it was drawn more than once")
		}
	}
}
