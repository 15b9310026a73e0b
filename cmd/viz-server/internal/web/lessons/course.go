package lessons

import (
	"net/http"
	"slices"

	"github.com/a-h/templ"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/lessons"
)

// glossary answers /glossary.
func (s *Pages) glossary(w http.ResponseWriter, r *http.Request) {
	s.site.Cached(w, r, func() (templ.Component, error) {
		p := page.GlossaryProps{Frame: s.site.CachedFrame(r, "lessons")}
		p.Terms, p.Summary = s.book.Glossary(string(p.Lang)), p.Say("glossary.lead")
		return page.Glossary(p), nil
	})
}

// sheet answers /lessons/SLUG/print.
func (s *Pages) sheet(w http.ResponseWriter, r *http.Request) {
	s.ofLesson(w, r, func(f page.Frame, l *lessons.Page) templ.Component {
		return page.Sheet(page.SheetProps{Frame: f, Lesson: l})
	})
}

// asked returns the questions of all lessons that have pages, part by part.
func (s *Pages) asked(lang page.Lang) (all []page.AskedPart) {
	for _, part := range s.book.Parts(string(lang)) {
		questions := slices.DeleteFunc(part.Asked(), func(q lessons.Review) bool { return !s.has(q.Lesson.Slug) })
		if len(questions) > 0 {
			all = append(all, page.AskedPart{Title: part.Title, Questions: questions})
		}
	}
	return all
}

// again answers /review.
func (s *Pages) again(w http.ResponseWriter, r *http.Request) {
	s.site.Cached(w, r, func() (templ.Component, error) {
		p := page.AgainProps{Frame: s.site.CachedFrame(r, "lessons")}
		p.Parts, p.Summary = s.asked(p.Lang), p.Say("again.all.lead")
		return page.Again(p), nil
	})
}

// review answers /review/PART.
func (s *Pages) review(w http.ResponseWriter, r *http.Request) {
	parts := s.book.Parts(string(site.LanguageOf(r)))
	i := slices.IndexFunc(parts, func(p lessons.Part) bool { return p.ID == r.PathValue("part") })
	if i < 0 {
		s.site.NotFound(w, r)
		return
	}
	s.site.Cached(w, r, func() (templ.Component, error) {
		p := page.ReviewProps{Frame: s.site.CachedFrame(r, "lessons"), Part: parts[i]}
		p.Questions = s.book.Review(p.Part.ID, string(p.Lang))
		if i+1 < len(parts) {
			first := parts[i+1].Lessons[0]
			p.Next = &lessons.PageLink{Slug: first.Slug, Title: first.Title}
		}
		return page.Review(p), nil
	})
}
