// Package lessons serves the course: its lessons with their pictures, reviews and terms, the catalogue of recipes, and
// the search in all of them.
//
// The words and runs come from the project's package lessons, and the pictures from engine/stage/scene. Package web
// serves it.
package lessons

import (
	"maps"
	"net/http"
	"slices"

	"github.com/a-h/templ"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/stage/panes"
	"github.com/zkviz/zkviz/lessons"
)

// Config configures the pages of the course.
type Config struct {
	Site *site.Site
	Book *lessons.Book
	Zoo  Zoo
	Only []string // the slugs of the lessons that have pages; all if empty
}

// Zoo is what lessons show of the ZooKeeper inside. *zoo.Pages implements it.
type Zoo interface {
	// Address returns the addresses that the reader can connect to, empty if there is none.
	Address(r *http.Request) string
	// ByHand returns the way to join the queue there without a program.
	ByHand(address string) page.Way
}

// Pages answers with the pages of the course.
type Pages struct {
	site     *site.Site
	book     *lessons.Book
	zoo      Zoo
	only     []string
	pictures *pictures
	sources  *site.Cache[string, page.Source] // the recipes', by name
	index    *site.Cache[page.Lang, []searchEntry]
}

// New returns the pages of the course.
func New(cfg Config) *Pages {
	return &Pages{
		site: cfg.Site, book: cfg.Book, zoo: cfg.Zoo, only: cfg.Only,
		pictures: newPictures(cfg.Book, cfg.Site.Words, cfg.Site.Turns()),
		sources:  site.NewCache[string, page.Source](maxSources), index: site.NewCache[page.Lang, []searchEntry](maxSources),
	}
}

// Routes returns the handlers by their addresses.
func (s *Pages) Routes() map[string]http.HandlerFunc {
	all := s.teachRoutes()
	maps.Copy(all, map[string]http.HandlerFunc{
		"/{$}":                      s.home,
		"/lessons/{slug}":           s.lesson,
		"/lessons/{slug}/{picture}": s.picture,
		"/lessons/{slug}/print":     s.sheet,
		"/recipes":                  s.recipes,
		"/recipes/{picture}":        s.picture,
		"/glossary":                 s.glossary,
		"/search":                   s.search,
		"/search.json":              s.searchIndex,
		"/review":                   s.again,
		"/review/{part}":            s.review,
	})
	return all
}

// home answers /.
func (s *Pages) home(w http.ResponseWriter, r *http.Request) {
	s.site.Cached(w, r, func() (templ.Component, error) {
		p := page.HomeProps{Frame: s.site.CachedFrame(r, "lessons")}
		p.Parts = s.book.Parts(string(p.Lang))
		for _, part := range s.asked(p.Lang) {
			p.Asked = append(p.Asked, part.Questions...)
		}
		p.Summary = p.Say("home.lead")
		for _, l := range s.book.Lessons {
			if s.has(l.Slug) {
				words, _ := s.book.Page(l.Slug, string(p.Lang))
				p.Preview = preview(words)
				break
			}
		}
		return page.Home(p), nil
	})
}

// lesson answers /lessons/SLUG.
func (s *Pages) lesson(w http.ResponseWriter, r *http.Request) {
	slug := r.PathValue("slug")
	l, ok := s.book.Find(slug)
	if !ok {
		s.site.NotFound(w, r)
		return
	}
	if l.Slug != slug {
		http.Redirect(w, r, s.site.At(site.LanguageOf(r), "/lessons/"+l.Slug), http.StatusMovedPermanently)
		return
	}
	if !s.has(slug) {
		s.site.Needs("lessons", "needs.lesson.title", "needs.lesson")(w, r)
		return
	}
	addr := s.zoo.Address(r)
	s.site.CachedFor(w, r, site.Needs{Zoo: addr}, func() (templ.Component, error) {
		props := page.LessonProps{Frame: s.site.CachedFrame(r, "lessons"), Source: s.Source(l.Scenario.Recipe)}
		s.site.About(&props.Frame, l.Scenario)
		props.Lesson, _ = s.book.Page(l.Slug, string(props.Lang))
		props.Simulated, props.Summary, props.Preview = simulated(l), props.Lesson.Lede, preview(props.Lesson)
		run := s.book.RunOf(l.Slug)
		history := run.History()
		props.Story = storyOf(history, props.Words)
		props.Broken = broken(l, run, history, props.Words.Say)
		if addr != "" {
			way := s.zoo.ByHand(addr)
			props.ByHand = &way
		}
		return page.Lesson(props), nil
	})
}

// preview returns the picture of a lesson for links to it: its middle step, where most have got to the point.
func preview(l *lessons.Page) *page.Preview {
	step := l.Steps[len(l.Steps)/2]
	return &page.Preview{Slug: l.Slug, Anchor: step.Anchor, Text: step.Text}
}

// broken returns the promises that are broken in the picture of each step. Where two runs stand beside each other,
// their captions say what is broken in which.
func broken(l *lessons.Lesson, r *lessons.Run, history *view.History, say panes.Say) map[string][]panes.Verdict {
	all := map[string][]panes.Verdict{}
	for _, p := range r.Positions {
		if l.Step(p.Anchor).Beside != nil {
			continue
		}
		state, _, _ := r.StateAt(p.Anchor)
		for _, v := range panes.Judge(r.Log.Header.Rules(), r.Report.Verdict, history, state.Seq, say) {
			if v.State == "broken" {
				all[p.Anchor] = append(all[p.Anchor], v)
			}
		}
	}
	return all
}

// has reports whether a lesson has a page.
func (s *Pages) has(slug string) bool { return len(s.only) == 0 || slices.Contains(s.only, slug) }

// simulated reports whether a lesson runs only on the simulator: it has several servers, uses another system, or has a
// fault on the server, which nobody may inject into a real one.
func simulated(l *lessons.Lesson) bool {
	return l.Scenario.Servers > 1 || !event.HasZooKeeper(l.Scenario.Header(event.Simulated).Systems) ||
		slices.ContainsFunc(l.Scenario.Faults, func(f fault.Fault) bool { return f.Kind.Target() == fault.ToServer })
}
