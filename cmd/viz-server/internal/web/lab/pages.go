// Package lab serves the Lab and what is measured there: runs with the reader's parameters, the costs of recipes
// beside each other, the contest of locks with the table of broken promises, a fork compared with what was seen, and
// the exploration of a repaired recipe.
//
// It keeps figures and results, and limits how much is computed at once. It runs recipes on the simulator, and on real
// systems only after a post of a form. Package web serves it.
package lab

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"sync"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/broken"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/body"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/run/explore"
	"github.com/zkviz/zkviz/engine/run/room"
	"github.com/zkviz/zkviz/lessons"
)

// Config configures the pages of the Lab.
type Config struct {
	Site   *site.Site
	Course Course
	On     cluster.Cluster // the operator's systems
	Live   *room.Cluster   // runs on them, nil if there are none
	// AtOnce runs contests on them, in which no client has a head start; nil to leave them to Live.
	AtOnce run.Runner
	// Explore looks for a schedule that breaks a promise: see room.Runs.
	Explore func(context.Context, room.ClientKey, explore.Config) (room.Explored, error)
	Stop    context.Context // ends when the server stops
}

// Course is what the Lab shows of the lessons. *lessons.Pages implements it.
type Course interface {
	// Source returns a recipe's file.
	Source(recipe string) page.Source
	// OnEven returns the lesson and the step about even numbers of servers, nil if there is none.
	OnEven(lang page.Lang) (lesson *lessons.PageLink, anchor string)
}

// Pages answers with the pages of the Lab. Close it at the end.
type Pages struct {
	site         *site.Site
	course       Course
	on           cluster.Cluster
	figures      *figures
	explorations *explorations
	broken       func() (page.BrokenTable, error) // read on the first request
}

// New returns the pages of the Lab.
func New(cfg Config) *Pages {
	return &Pages{
		site: cfg.Site, course: cfg.Course, on: cfg.On,
		figures:      newFigures(cfg.Stop, cfg.Live, cfg.AtOnce),
		explorations: &explorations{cfg.Explore, cfg.Stop, exploreTimeout},
		broken: sync.OnceValues(func() (page.BrokenTable, error) {
			rows, err := broken.Table()
			return brokenTable(rows), err
		}),
	}
}

// Close waits until all measurements have ended. The context Stop must have ended.
func (s *Pages) Close() { s.figures.close() }

// Posts lists the addresses that accept forms.
func Posts() []string { return []string{compareAt, locksAt} }

// Routes returns the handlers by their addresses.
func (s *Pages) Routes() map[string]http.HandlerFunc {
	routes := map[string]http.HandlerFunc{
		"/lab":         s.lab,
		compareAt:      s.compare,
		locksAt:        s.locks,
		"/api/figures": s.serveFigures,
		"/api/explore": s.serveExplored,
		forkAt:         s.serveFork,
	}
	if s.site.Exported() {
		maps.Copy(routes, s.onFiles())
	}
	return routes
}

// answer answers with a value as JSON, or with an error in words.
func (s *Pages) answer(w http.ResponseWriter, r *http.Request, value any, err error) {
	var text []byte
	if err == nil {
		text, err = json.Marshal(value)
	}
	if err != nil {
		s.site.Refuse(w, r, site.StatusOf(w, err), err)
		return
	}
	body.New("application/json", text, body.Quick).Serve(w, r, body.AskAgain)
}
