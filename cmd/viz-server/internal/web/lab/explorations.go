package lab

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/explore"
	"github.com/zkviz/zkviz/engine/run/room"
)

// explorations looks for schedules that break promises of the catalogue's recipes.
type explorations struct {
	run   func(context.Context, room.ClientKey, explore.Config) (room.Explored, error)
	stop  context.Context // ends when the server stops
	limit time.Duration   // includes the wait for a turn
}

const (
	// exploredSeeds is the number of schedules to try. One recipe takes less than a second.
	exploredSeeds = 1000
	// exploreTimeout is the limit of a server's requests.
	exploreTimeout = time.Minute
)

// explore explores a recipe to the end.
func (x *explorations) explore(ctx context.Context, who room.ClientKey, r recipe.Recipe) (room.Explored, error) {
	ctx, cancel := context.WithTimeout(ctx, x.limit)
	defer cancel()
	defer context.AfterFunc(x.stop, cancel)()
	found, err := x.run(ctx, who, explore.Config{Recipe: r, Seeds: exploredSeeds})
	switch {
	case err != nil || !found.Cut():
	case errors.Is(ctx.Err(), context.Canceled):
		err = room.ErrClosing // the client has left, or the server stops
	default:
		err = room.Busy{Why: sentence.Error("busy.computing"), Again: room.AgainSoon}
	}
	return found, err
}

// finding is an exploration's result for a page.
type finding struct {
	Held  bool   `json:"held"`
	Tried int    `json:"tried"` // schedules: all, or up to the first that broke a promise
	Of    int    `json:"of"`
	Words string `json:"words"`
	Link  string `json:"link,omitempty"` // to the smallest such run in the Lab
}

// serveExplored answers /api/explore?recipe=NAME with a finding or an error in words. So a lesson's repair doesn't need
// the stage.
func (s *Pages) serveExplored(w http.ResponseWriter, r *http.Request) {
	recipe, err := run.Recipe(r.URL.Query().Get("recipe"))
	if err != nil {
		s.site.Refuse(w, r, http.StatusBadRequest, err)
		return
	}
	found, err := s.explorations.explore(r.Context(), site.ClientOf(r), recipe)
	s.answer(w, r, s.wordFinding(site.LanguageOf(r), found), err)
}

// wordFinding words an exploration's result.
func (s *Pages) wordFinding(lang page.Lang, found room.Explored) finding {
	voice := sentence.Voice{Say: s.site.Words(lang).Say, Client: event.Actor.Letter}
	f := finding{Held: found.Found == nil, Tried: found.Seeds, Of: found.Of, Words: voice.Says(found.Said())}
	if !f.Held {
		f.Link = s.site.At(lang, found.Link)
	}
	return f
}
