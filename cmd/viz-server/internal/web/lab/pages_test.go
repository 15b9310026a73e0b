package lab

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/run/room"
)

// served returns the pages of a Lab without lessons and real systems, and a function that loads one. Stop does what the
// server does when it ends.
func served(t *testing.T) (s *Pages, stop func(), get func(address string) *httptest.ResponseRecorder) {
	t.Helper()
	on, err := site.New(site.Config{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	runs := room.New(room.Config{})
	s = New(Config{Site: on, Explore: runs.Explore, Stop: ctx})
	stop = func() { cancel(); s.Close(); runs.Close() }
	t.Cleanup(stop)
	mux := http.NewServeMux()
	for path, answer := range s.Routes() {
		on.Handle(mux, path, answer)
	}
	return s, stop, func(address string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1"+address, nil))
		return w
	}
}
