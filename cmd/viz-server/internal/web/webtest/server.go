// Package webtest helps tests of the web's packages: it starts a server, loads its pages, and opens its websocket as a
// page does. Only external tests can use it, because it imports package web.
package webtest

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/lessons"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

// Get loads a page.
func Get(t *testing.T, address string) (int, http.Header, string) {
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

// Ask sends a request with headers, names and values in turn, and follows no redirect.
func Ask(t *testing.T, client *http.Client, method, address, body string, headers ...string) (int, http.Header,
	string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	c := *client
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(text)
}

// Serve starts a server for a test.
func Serve(t *testing.T, cfg web.Config) *httptest.Server {
	t.Helper()
	return Start(t, NewServer(t, cfg))
}

// NewServer makes a server for a test to start.
func NewServer(t *testing.T, cfg web.Config) *web.Server {
	t.Helper()
	open := Book
	if cfg.Pseudo {
		open = PseudoBook
	}
	var err error
	if cfg.Book, err = open(); err != nil {
		t.Fatal(err)
	}
	s, err := web.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Start starts a server that ends with the test.
func Start(t *testing.T, s *web.Server) *httptest.Server {
	srv := httptest.NewServer(s)
	t.Cleanup(func() { s.Close(); srv.Close() })
	return srv
}

// From returns an HTTP client at the address 127.0.0.N.
func From(n byte) *http.Client {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, n)}}
	return &http.Client{Transport: &http.Transport{DialContext: d.DialContext}}
}

// Scrape returns the metrics as Prometheus reads them.
func Scrape(s *web.Server) string {
	w := httptest.NewRecorder()
	s.Operator().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.String()
}

// Book opens the lessons once for all tests. That computes all their runs, which takes seconds under the race detector.
var Book = sync.OnceValues(func() (*lessons.Book, error) { return lessons.Open(context.Background()) })

// PseudoBook adds the pseudo-language to that book. Its pages take as long again to make.
var PseudoBook = sync.OnceValues(func() (*lessons.Book, error) {
	book, err := Book()
	if err != nil {
		return nil, err
	}
	return book.With(uistrings.Pseudo, uistrings.Pseudonym)
})
