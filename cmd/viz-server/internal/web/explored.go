package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/explore"
	"github.com/zkviz/zkviz/engine/run/room"
	"github.com/zkviz/zkviz/recipes"
)

// explored looks for schedules that break the promises of the catalogue's recipes, and keeps what it found: it is the
// same for all who ask, each time. One is explored at a time, on all processors, and for as long as its asker waits:
// that takes less than a second.
type explored struct {
	known *kept[string, explore.Result] // by the recipe's name
	turns *room.Turns
	stop  context.Context // ends with the server
	limit time.Duration   // of all that wait for one another, too
}

const (
	// exploredSeeds are tried of each recipe.
	exploredSeeds = 1000
	// exploreTimeout is the limit of a server's readers.
	exploreTimeout = time.Minute
	// maxExplored is more than there are recipes.
	maxExplored = 1000
)

func newExplored(stop context.Context) *explored {
	return &explored{newKept[string, explore.Result](maxExplored), room.NewTurns(1), stop, exploreTimeout}
}

// of explores a recipe, or remembers what was found.
func (x *explored) of(ctx context.Context, who room.Asker, r recipes.Recipe) (explore.Result, error) {
	if found, ok := x.known.get(r.Name); ok {
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
	if found, ok := x.known.get(r.Name); ok {
		return found, nil // somebody else has asked meanwhile
	}
	found, err := explore.Run(ctx, explore.Config{Recipe: r, Seeds: exploredSeeds})
	switch {
	case err == nil:
		x.known.put(r.Name, found, 1)
	case errors.Is(err, context.DeadlineExceeded):
		err = room.Busy{Why: sentence.Error("busy.computing"), Again: room.AgainSoon}
	case ctx.Err() != nil:
		err = room.ErrClosing // nobody waits for it any more
	}
	return found, err
}

// finding is what a page is told of an exploration.
type finding struct {
	Held  bool   `json:"held"`
	Tried int    `json:"tried"` // schedules: all, or up to the one that broke a promise
	Of    int    `json:"of"`
	Words string `json:"words"`
	Link  string `json:"link,omitempty"` // opens the Lab where the smallest such schedule breaks it
}

// serveExplored answers /api/explore?recipe=NAME with a finding, or with a sentence about what was wrong.
func (s *site) serveExplored(w http.ResponseWriter, r *http.Request) {
	recipe, err := run.Recipe(r.URL.Query().Get("recipe"))
	if err != nil {
		s.refuse(w, r, http.StatusBadRequest, err)
		return
	}
	found, err := s.explored.of(r.Context(), askerOf(r), recipe)
	var body []byte
	if err == nil {
		body, err = json.Marshal(s.told(languageOf(r), found))
	}
	if err != nil {
		s.refuse(w, r, statusOf(w, err), err)
		return
	}
	newContent("application/json", body, quick).serve(w, r, askAgain)
}

// told words what was found.
func (s *site) told(lang page.Lang, found explore.Result) finding {
	f := finding{Held: found.Found == nil, Tried: found.Seeds, Of: exploredSeeds}
	voice := sentence.Voice{Say: s.words[lang].Say, Client: event.Actor.Letter}
	if f.Held {
		f.Words = voice.Says(sentence.Of("repair.held", sentence.Text(sentence.Grouped(f.Tried))))
		return f
	}
	broken := sentence.Sentences(found.Found.Violation.Sentence)
	f.Words = voice.Says(sentence.Of("repair.broke", sentence.Text(sentence.Grouped(f.Tried)), broken))
	f.Link = s.at(lang, found.Found.Link())
	return f
}
