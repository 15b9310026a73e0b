package lessons

import (
	"net/http"

	"github.com/a-h/templ"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/lessons"
)

// teachRoutes returns the handlers for teachers' pages. A site of files has the answers alone: it has no classes, and
// doesn't know where it will be.
func (s *Pages) teachRoutes() map[string]http.HandlerFunc {
	all := map[string]http.HandlerFunc{"/lessons/{slug}/answers": s.answers}
	if !s.site.Exported() {
		all["/teach"] = s.teach
		all["/teach/answers"] = s.allAnswers
		all["/lessons/{slug}/plan"] = s.hour
		all["/lessons/{slug}/scorm.zip"] = s.scorm
	}
	return all
}

// teach answers /teach.
func (s *Pages) teach(w http.ResponseWriter, r *http.Request) {
	s.site.Cached(w, r, func() (templ.Component, error) {
		p := page.TeachProps{Frame: s.site.CachedFrame(r, "lessons")}
		lang := string(p.Lang)
		p.Hour, p.Weeks, p.Parts = s.book.FirstHour(lang), s.book.Semester(lang), s.book.Parts(lang)
		return page.Teach(p), nil
	})
}

// hour answers /lessons/SLUG/plan.
func (s *Pages) hour(w http.ResponseWriter, r *http.Request) {
	s.ofLesson(w, r, func(f page.Frame, l *lessons.Page) templ.Component {
		return page.Hour(page.HourProps{Frame: f, Hour: s.book.HourOf(l)})
	})
}

// answers answers /lessons/SLUG/answers.
func (s *Pages) answers(w http.ResponseWriter, r *http.Request) {
	s.ofLesson(w, r, func(f page.Frame, l *lessons.Page) templ.Component {
		return page.Answers(page.AnswersProps{Frame: f, Lessons: []*lessons.Page{l}})
	})
}

// allAnswers answers /teach/answers.
func (s *Pages) allAnswers(w http.ResponseWriter, r *http.Request) {
	s.site.Cached(w, r, func() (templ.Component, error) {
		p := page.AnswersProps{Frame: s.site.CachedFrame(r, "lessons"), Whole: true}
		for _, part := range s.book.Parts(string(p.Lang)) {
			p.Lessons = append(p.Lessons, part.Lessons...)
		}
		return page.Answers(p), nil
	})
}

// ofLesson answers with a page about the lesson that the path names.
func (s *Pages) ofLesson(
	w http.ResponseWriter, r *http.Request, make func(page.Frame, *lessons.Page) templ.Component) {
	slug := r.PathValue("slug")
	l, ok := s.book.Page(slug, string(site.LanguageOf(r)))
	if !ok || l.Slug != slug || !s.has(slug) {
		s.site.NotFound(w, r)
		return
	}
	s.site.Cached(w, r, func() (templ.Component, error) {
		f := s.site.CachedFrame(r, "lessons")
		f.Summary, f.Preview = l.Point, preview(l)
		return make(f, l), nil
	})
}
