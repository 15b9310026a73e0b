package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/a-h/templ"
)

// TestKeptPagesAreBounded checks that cached pages which differ by their query stay within maxStill.
func TestKeptPagesAreBounded(t *testing.T) {
	m := newMaking()
	const size = 1 << 20
	text := strings.Repeat("x", size)
	for i := range maxStill/size + 1 {
		key := stillKey{path: "/lab", query: fmt.Sprint(i)}
		if _, err := m.page(accepting(""), key, func() (templ.Component, error) { return templ.Raw(text), nil }); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(m.still.byKey); m.still.weight > maxStill || n != maxStill/(2*size)-1 {
		t.Errorf("%d pages of %d bytes are kept, with their queries %d, and there may be %d", n, size, m.still.weight,
			maxStill)
	}
	m = newMaking()
	query := strings.Repeat("q", maxStill)
	if _, err := m.page(accepting(""), stillKey{query: query}, func() (templ.Component, error) {
		return templ.Raw("x"),
			nil
	}); err != nil || m.still.weight > 0 {
		t.Errorf("a query of %d bytes is kept: %v", len(query), err)
	}
}

// TestOnlyWhatThereIsIsRemembered checks that pictures of missing steps and recipes aren't cached, and the limit of
// sources.
func TestOnlyWhatThereIsIsRemembered(t *testing.T) {
	s, err := New(t.Context(), Config{Book: theBook(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	slug := s.site.book.Lessons[0].Slug
	for i := range 100 {
		name := fmt.Sprint("none-", i)
		for _, key := range []pictureKey{{"en", slug, name, false}, {"en", name, name, true}} {
			if _, ok, err := s.site.pictures.of(t.Context(), "a", key); ok || err != nil {
				t.Errorf("%v is a picture: %v", key, err)
			}
		}
		s.site.recipeSource(name)
	}
	if p, r := len(s.site.pictures.known), len(s.site.sources.byKey); p > 0 || r > maxSources {
		t.Errorf("%d pictures and %d sources are remembered", p, r)
	}
	if most := s.site.sources.most; most != maxSources {
		t.Errorf("there may be %d sources", most)
	}
}

// TestConnectionsAreHalfOfTheFiles checks that limit, which never exceeds maxConnections.
func TestConnectionsAreHalfOfTheFiles(t *testing.T) {
	for files, all := range map[int]int{0: 4000, 1 << 20: 4000, 8000: 4000, 1000: 500, 3: 2} {
		if c := newConnections(files, nil); c.all != all || c.each != all/2 {
			t.Errorf("of %d files: %d connections, %d of each address; want %d and %d", files, c.all, c.each, all, all/2)
		}
	}
	if runtime.GOOS == "linux" && filesLimit() <= 0 {
		t.Error("how many files may be open is not known")
	}
}

// TestLargeFilesAreNotCompressed checks the sizes at which the server compresses a file.
func TestLargeFilesAreNotCompressed(t *testing.T) {
	for size, varies := range map[int]bool{smallest - 1: false, smallest: true, mostPlain: true, mostPlain + 1: false} {
		a, err := loadAssets(fstest.MapFS{"a.css": {Data: make([]byte, size)}})
		if err != nil {
			t.Fatal(err)
		}
		if got := a.byName["a.css"].varies(); got != varies {
			t.Errorf("a file of %d bytes is compressed: %t, want %t", size, got, varies)
		}
	}
}

// TestFormsAreShort checks the limit of forms to the byte.
func TestFormsAreShort(t *testing.T) {
	g := newGuard("", nil, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := r.Body.Read(make([]byte, 2*maxForm))
		if n != maxForm || err != nil {
			t.Errorf("the handler gets %d bytes, %v", n, err)
		}
	}), "/form")
	for size, want := range map[int]int{maxForm: 200, maxForm + 1: 413} {
		r := httptest.NewRequest("POST", "http://localhost/form", strings.NewReader(strings.Repeat("x", size)))
		r.Header.Set("Origin", "http://localhost")
		w := httptest.NewRecorder()
		if g.ServeHTTP(w, r); w.Code != want || want != 200 && w.Header().Get("Connection") != "close" {
			t.Errorf("a form of %d bytes: %d, %v, want %d", size, w.Code, w.Header(), want)
		}
	}
}

// TestEveryAnswerSaysWhatItMayDo checks the security headers of all answers, including refusals.
func TestEveryAnswerSaysWhatItMayDo(t *testing.T) {
	want := map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src " +
			"'self' data:; font-src 'self'; " +
			"connect-src 'self'; frame-src 'self'; manifest-src 'self'; frame-ancestors 'self'; base-uri 'none'; form-action " +
			"'self'; object-src 'none'",
		"X-Content-Type-Options":       "nosniff",
		"Referrer-Policy":              "same-origin",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Permissions-Policy":           "camera=(), geolocation=(), microphone=()",
	}
	g := newGuard("", nil, http.NotFoundHandler(), "/form")
	for status, r := range map[int]*http.Request{
		404: httptest.NewRequest("GET", "http://localhost/", nil),
		421: httptest.NewRequest("GET", "http://evil.example/", nil),
		405: httptest.NewRequest("PUT", "http://localhost/form", nil),
		403: httptest.NewRequest("POST", "http://localhost/form", nil),
		400: httptest.NewRequest("GET", "http://localhost/", strings.NewReader("body")),
	} {
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		for name, value := range want {
			if got := w.Header().Get(name); got != value {
				t.Errorf("the answer %d has the %s %q, want %q", w.Code, name, got, value)
			}
		}
		if w.Code != status || (w.Header().Get("Connection") == "close") != (status != 404) ||
			(w.Header().Get("Allow") == "GET, HEAD") != (status == 405) {
			t.Errorf("%s %s: %d %v, want %d", r.Method, r.URL, w.Code, w.Header(), status)
		}
	}
	if picturePolicy != "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox" {
		t.Errorf("a picture by itself may do %s", picturePolicy)
	}
}
