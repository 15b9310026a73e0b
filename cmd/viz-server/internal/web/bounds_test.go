package web

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
)

// TestConnectionsAreHalfOfTheFiles checks that limit, which never exceeds maxConnections.
func TestConnectionsAreHalfOfTheFiles(t *testing.T) {
	for files, all := range map[int]int{0: 8000, 1 << 20: 8000, 16_000: 8000, 1000: 500, 3: 2} {
		if c := newConnections(files, nil); c.all != all || c.each != all/2 {
			t.Errorf("of %d files: %d connections, %d of each address; want %d and %d", files, c.all, c.each, all, all/2)
		}
	}
	if runtime.GOOS == "linux" && filesLimit() <= 0 {
		t.Error("how many files may be open is not known")
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
}
