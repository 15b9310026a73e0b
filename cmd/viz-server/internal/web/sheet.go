package web

import (
	"context"
	"net/http"
	"sync"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/body"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run/room"
	"github.com/zkviz/zkviz/engine/stage/story"
)

// serveSheet answers /api/sheet?run=ID&branch=N with a sheet of the log's story, as JSON: see story.Sheets. The rest
// of the query is for story.ParseAsk.
func (s *Server) serveSheet(w http.ResponseWriter, r *http.Request) {
	log, branch, ok := s.logOf(w, r)
	if !ok {
		return
	}
	leave, err := s.site.Turns().Enter(r.Context(), site.ClientOf(r))
	if err != nil {
		s.site.Refuse(w, r, site.StatusOf(w, err), err)
		return
	}
	defer leave()
	lang := site.LanguageOf(r)
	ask := story.ParseAsk(r.URL.Query())
	text, ok := s.stories.sheet(r.Context(), storyKey{log.Name, branch, lang}, log, func(all *story.Sheets) []byte {
		return all.AppendSheet(nil, ask, s.site.Words(lang))
	})
	if !ok {
		s.site.Refuse(w, r, http.StatusNotFound, room.NotKept(log.Name))
		return
	}
	body.New("application/json", text, body.Quick).Serve(w, r, "no-store")
}

// stories keeps the logs whose stories somebody scrolls through, since a sheet is found fast only in a log that can be
// viewed at any moment.
type stories struct {
	mu   sync.Mutex
	kept *site.Cache[storyKey, *kept]
}

// storyKey identifies a log, and the language of its lanes' names.
type storyKey struct {
	run    string
	branch int
	lang   page.Lang
}

// kept is a log that grows when it's asked for.
type kept struct {
	mu  sync.Mutex
	all *story.Sheets
}

// maxStoryBytes limits the logs in stories, at storyBytes for each and eventBytes for an event.
const (
	maxStoryBytes = 96 << 20
	storyBytes    = 8 << 20
	eventBytes    = 64
)

func newStories() stories { return stories{kept: site.NewCache[storyKey, *kept](maxStoryBytes)} }

// sheet lets make make a sheet of a log. It reports false if the log is gone, or nobody waits any more.
func (s *stories) sheet(
	ctx context.Context, key storyKey, log room.Log, make func(*story.Sheets) []byte) ([]byte, bool) {
	k := s.find(key, log.Header)
	k.mu.Lock()
	defer k.mu.Unlock()
	whole := log.From(event.Seq(k.all.Len()+1), func(e event.Event) bool { return ctx.Err() == nil && k.all.Append(e) })
	s.kept.Put(key, k, storyBytes+eventBytes*k.all.Len())
	if !whole || ctx.Err() != nil {
		return nil, false
	}
	return make(k.all), true
}

func (s *stories) find(key storyKey, h event.Header) *kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, ok := s.kept.Get(key)
	if !ok {
		k = &kept{all: story.NewSheets(h)}
		s.kept.Put(key, k, storyBytes)
	}
	return k
}
