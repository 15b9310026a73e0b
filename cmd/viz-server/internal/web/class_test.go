package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/run/room"
)

// TestAClassLoadsItsPages checks that thirty simultaneous pages from one address are all made. Beyond the limit the
// answer is a page that says so. A cached page needs no turn.
func TestAClassLoadsItsPages(t *testing.T) {
	s := webtest.NewServer(t, web.Config{})
	t.Cleanup(s.Close)
	book, err := webtest.Book()
	if err != nil {
		t.Fatal(err)
	}
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
	lesson := book.Lessons[0]
	picture := "/lessons/" + lesson.Slug + "/" + lesson.Steps[0].Anchor + ".svg"
	get("/recipes")
	get(picture)
	crowd(t, s)
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

// crowd takes all turns and fills their queue with as many requests as one client may have waiting.
func crowd(t *testing.T, s *web.Server) {
	ctx, cancel := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	t.Cleanup(func() { cancel(); waiting.Wait() })
	for range runtime.NumCPU() {
		leave, err := s.Turns().Enter(ctx, "somebody else")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(leave)
	}
	for range room.MaxWaitingPerClient {
		waiting.Go(func() { _, _ = s.Turns().Enter(ctx, "192.0.2.1") }) // httptest's address
	}
	for s.Turns().Waiting() != room.MaxWaitingPerClient {
		runtime.Gosched()
	}
}
