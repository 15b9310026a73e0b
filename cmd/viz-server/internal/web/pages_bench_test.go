package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
)

// BenchmarkPages makes pages for browsers without a copy, as fast as possible.
func BenchmarkPages(b *testing.B) {
	book, err := webtest.Book()
	if err != nil {
		b.Fatal(err)
	}
	s, err := web.New(b.Context(), web.Config{Book: book})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for _, path := range []string{"/", "/lessons/" + book.Lessons[0].Slug, "/lab", "/recipes", "/lab/compare"} {
		b.Run(path, func(b *testing.B) {
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				r := httptest.NewRequest("GET", "http://127.0.0.1"+path, nil)
				r.Header.Set("Accept-Encoding", "gzip, deflate, br")
				w := httptest.NewRecorder()
				s.ServeHTTP(w, r)
				if w.Code != http.StatusOK {
					b.Fatal(w.Code)
				}
				k, _ := io.Copy(io.Discard, w.Body)
				n = int(k)
			}
			b.ReportMetric(float64(n), "B/page")
		})
	}
}
