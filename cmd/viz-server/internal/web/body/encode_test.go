package body

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/andybalholm/brotli"
)

// unpacked decodes a Content-Encoding.
func unpacked(t *testing.T, encoding string, body []byte) string {
	t.Helper()
	var r io.Reader = bytes.NewReader(body)
	switch encoding {
	case "br":
		r = brotli.NewReader(r)
	case "gzip":
		var err error
		if r, err = gzip.NewReader(r); err != nil {
			t.Fatal(err)
		}
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}

func brotlied(s string) []byte {
	return compress("br", []byte(s), 11)
}

func TestAssets(t *testing.T) {
	long := strings.Repeat("body { margin: 0 }\n", 100)
	a, err := Load(fstest.MapFS{
		"app.css":             {Data: []byte(long)},
		"icon.svg":            {Data: []byte("<svg/>")},
		"built/zkviz.wasm.br": {Data: brotlied("the wasm")},
		"built/README":        {Data: []byte("not for browsers")},
		"strings/en.json":     {Data: []byte("{}")},
		"licences.txt":        {Data: []byte("licences")},
		"bench.css":           {Data: []byte("bench")},
	}, map[string][]string{"page.css": {"app.css", "no.css", "bench.css"}})
	if err != nil {
		t.Fatal(err)
	}
	const forGood = "public, max-age=31536000, immutable"
	for _, c := range []struct {
		url, accept            string
		status                 int
		encoding, kind, caches string
		want                   string
	}{
		{"/static/app.css", "gzip, deflate, br, zstd", 200, "br", "text/css; charset=utf-8", "no-cache", long},
		{"/static/app.css", "gzip", 200, "gzip", "text/css; charset=utf-8", "no-cache", long},
		{"/static/app.css", "br;q=0, gzip;q=0.5", 200, "gzip", "text/css; charset=utf-8", "no-cache", long},
		{"/static/app.css", "", 200, "", "text/css; charset=utf-8", "no-cache", long},
		{"/static/" + a.Name("app.css"), "br", 200, "br", "text/css; charset=utf-8", forGood, long},
		{"/static/" + a.Name("page.css"), "", 200, "", "text/css; charset=utf-8", forGood, long + "bench"},
		{"/static/" + a.Name("built/zkviz.wasm"), "br", 200, "br", "application/wasm", forGood, "the wasm"},
		{"/static/app.0123456789ab.css", "", 404, "", "", "", ""},
		{"/static/icon.svg", "br", 200, "", "image/svg+xml", "no-cache", "<svg/>"},
		{"/static/built/zkviz.wasm", "br", 200, "br", "application/wasm", "no-cache", "the wasm"},
		{"/static/built/zkviz.wasm", "gzip", 200, "", "application/wasm", "no-cache", "the wasm"},
		{"/static/licences.txt", "br", 200, "", "text/plain; charset=utf-8", "no-cache", "licences"},
		{"/static/built/other.wasm", "br", 404, "", "", "", ""},
		{"/static/built/README", "", 404, "", "", "", ""},
		{"/static/built/", "", 404, "", "", "", ""},
		{"/static/strings/en.json", "", 404, "", "", "", ""},
		{"/static/../assets.go", "", 404, "", "", "", ""},
	} {
		r := httptest.NewRequest("GET", c.url, nil)
		r.Header.Set("Accept-Encoding", c.accept)
		w := httptest.NewRecorder()
		a.ServeHTTP(w, r)
		if w.Code != c.status {
			t.Errorf("%s: %d, want %d", c.url, w.Code, c.status)
			continue
		}
		if c.status != 200 {
			continue
		}
		h := w.Header()
		if h.Get("Content-Encoding") != c.encoding || h.Get("Content-Type") != c.kind || h.Get("Cache-Control") != c.caches {
			t.Errorf("%s accepting %q: headers %v", c.url, c.accept, h)
		}
		if got := unpacked(t, c.encoding, w.Body.Bytes()); got != c.want {
			t.Errorf("%s accepting %q: body %.40q, want %.40q", c.url, c.accept, got, c.want)
		}
	}
}

func TestNotModified(t *testing.T) {
	c := New("text/html", bytes.Repeat([]byte("<p>words</p>"), 100), 4)
	get := func(accept, known string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept-Encoding", accept)
		r.Header.Set("If-None-Match", known)
		w := httptest.NewRecorder()
		c.Serve(w, r, AskAgain)
		return w
	}
	tag := get("br", "").Header().Get("ETag")
	if tag == "" || tag == get("", "").Header().Get("ETag") {
		t.Fatalf("the ETag %q does not tell the encodings apart", tag)
	}
	for known, want := range map[string]int{tag: 304, "W/" + tag: 304, `"x", ` + tag: 304, `"x"`: 200, "": 200} {
		w := get("br", known)
		if w.Code != want || want == 304 && w.Body.Len() > 0 {
			t.Errorf("If-None-Match %s: %d with %d bytes, want %d", known, w.Code, w.Body.Len(), want)
		}
	}
}

// TestLargeFilesAreNotCompressed checks the sizes at which the server compresses a file.
func TestLargeFilesAreNotCompressed(t *testing.T) {
	for size, varies := range map[int]bool{smallest - 1: false, smallest: true, mostPlain: true, mostPlain + 1: false} {
		a, err := Load(fstest.MapFS{"a.css": {Data: make([]byte, size)}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.byName["a.css"].varies(); got != varies {
			t.Errorf("a file of %d bytes is compressed: %t, want %t", size, got, varies)
		}
	}
}

// accepting returns a request from a browser that accepts these encodings.
func accepting(encodings string) *http.Request {
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Accept-Encoding", encodings)
	return r
}

// TestABodyIsCompressedOnce checks that a body is compressed only on request, once for each encoding.
func TestABodyIsCompressedOnce(t *testing.T) {
	text := strings.Repeat("some words and ", 200)
	for _, effort := range []int{Quick, Thorough} {
		c := New("text/html; charset=utf-8", []byte(text), effort)
		for accept, want := range map[string]string{"gzip, br": "br", "br": "br", "gzip": "gzip", "": "", "br;q=0": ""} {
			if got := c.encoding(accepting(accept)); got != want {
				t.Errorf("who accepts %q gets %q, want %q", accept, got, want)
			}
		}
		for i, encoding := range []string{"br", "gzip"} {
			if c.Ready(accepting(encoding)) || len(c.packed) != i {
				t.Errorf("%s is there before anybody asks: %d forms", encoding, len(c.packed))
			}
			known := accepting(encoding)
			known.Header.Set("If-None-Match", c.etag(encoding))
			if !c.Ready(known) {
				t.Errorf("what the browser has already would be compressed with %s", encoding)
			}
			first := c.form(encoding)
			if got := unpacked(t, encoding, first); got != text {
				t.Errorf("%s: %q", encoding, got)
			}
			if again := c.form(encoding); &again[0] != &first[0] || !c.Ready(accepting(encoding)) {
				t.Errorf("%s: it is compressed again", encoding)
			}
		}
	}
}
