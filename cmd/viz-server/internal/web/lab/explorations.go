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

// explorations looks for schedules that break promises of the catalogue's recipes, and keeps the results, which never
// change. It explores one recipe at a time, on all processors, until its client leaves. One recipe takes less than a
// second.
type explorations struct {
	results *site.Cache[string, explore.Result] // by the recipe's name
	turns   *room.Turns
	stop    context.Context // ends when the server stops
	limit   time.Duration   // includes the wait for a turn
}

const (
	// exploredSeeds is the number of schedules to try.
	exploredSeeds = 1000
	// exploreTimeout is the limit of a server's requests.
	exploreTimeout = time.Minute
	// maxExplorations exceeds the number of recipes.
	maxExplorations = 1000
)

func newExplorations(stop context.Context) *explorations {
	return &explorations{site.NewCache[string, explore.Result](maxExplorations), room.NewTurns(1), stop, exploreTimeout}
}

// explore explores a recipe, or returns the kept result.
func (x *explorations) explore(ctx context.Context, who room.ClientKey, r recipe.Recipe) (explore.Result, error) {
	if found, ok := x.results.Get(r.Name); ok {
		return found, nil
	}
	ctx, cancel := context.WithTimeout(ctx, x.limit)
	defer cancel()
	defer context.AfterFunc(x.stop, cancel)()
	leave, err := x.turns.Enter(ctx, who)
	if err != nil {
		return explore.Result{}, err
	}
	defer leave()
	if found, ok := x.results.Get(r.Name); ok {
		return found, nil // explored by somebody else meanwhile
	}
	found, err := explore.Run(ctx, explore.Config{Recipe: r, Seeds: exploredSeeds})
	switch {
	case err == nil:
		x.results.Put(r.Name, found, 1)
	case errors.Is(err, context.DeadlineExceeded):
		err = room.Busy{Why: sentence.Error("busy.computing"), Again: room.AgainSoon}
	case ctx.Err() != nil:
		err = room.ErrClosing // the client has left, or the server stops
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

// serveExplored answers /api/explore?recipe=NAME with a finding or an error in words.
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
func (s *Pages) wordFinding(lang page.Lang, found explore.Result) finding {
	f := finding{Held: found.Found == nil, Tried: found.Seeds, Of: exploredSeeds}
	voice := sentence.Voice{Say: s.site.Words(lang).Say, Client: event.Actor.Letter}
	if f.Held {
		f.Words = voice.Says(sentence.Of("repair.held", sentence.Text(sentence.Grouped(f.Tried))))
		return f
	}
	broken := sentence.Sentences(found.Found.Violation.Sentence)
	f.Words = voice.Says(sentence.Of("repair.broke", sentence.Text(sentence.Grouped(f.Tried)), broken))
	f.Link = s.site.At(lang, found.Found.Link())
	return f
}
