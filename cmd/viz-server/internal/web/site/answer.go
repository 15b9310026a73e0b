package site

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/a-h/templ"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/body"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/run/room"
)

// NotFound answers that there is no such page.
func (s *Site) NotFound(w http.ResponseWriter, r *http.Request) {
	s.Render(w, r, http.StatusNotFound, page.Error(page.ErrorProps{Frame: s.Frame(r, ""), Status: http.StatusNotFound}))
}

// Needs returns a handler for a page of the part here that a site of files can't have. Title and why are keys.
func (s *Site) Needs(here, title, why string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p := page.NeedsProps{Frame: s.CachedFrame(r, here)}
		p.Title, p.Why = p.Say(title), p.Say(why)
		p.Summary = p.Why
		s.Render(w, r, http.StatusOK, page.Needs(p))
	}
}

// Refuse answers with a bare sentence, for requests that don't want a page.
func (s *Site) Refuse(w http.ResponseWriter, r *http.Request, status int, err error) {
	http.Error(w, page.Frame{Words: s.words[LanguageOf(r)]}.Sentence(sentence.From(err)), status)
}

// Failed logs the error for the operator, and tells the reader that one has occurred.
func (s *Site) Failed(w http.ResponseWriter, r *http.Request, err error) {
	s.log.Error("a page failed", "path", protocol.Clip(r.URL.Path), "error", err)
	p := page.ErrorProps{Frame: s.Frame(r, ""), Status: http.StatusInternalServerError}
	s.Render(w, r, p.Status, page.Error(p))
}

// StatusOf returns the status of an answer with an error. If the server is busy, it sets Retry-After.
func StatusOf(w http.ResponseWriter, err error) int {
	var b room.Busy
	switch {
	case errors.As(err, &b):
		w.Header().Set("Retry-After", strconv.Itoa(int(b.Again.Seconds())))
		return http.StatusServiceUnavailable
	case errors.Is(err, room.ErrClosing):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// Cached answers with a page that depends only on its path.
func (s *Site) Cached(w http.ResponseWriter, r *http.Request, make func() (templ.Component, error)) {
	s.CachedFor(w, r, Needs{}, make)
}

// CachedFor is Cached for a page that needs more.
func (s *Site) CachedFor(w http.ResponseWriter, r *http.Request, of Needs, make func() (templ.Component, error)) {
	c, err := s.renderer.page(r, pageKey{r.URL.Path, of}, make)
	switch {
	case errors.As(err, new(room.Busy)):
		s.busy(w, r, err)
	case err != nil:
		s.Failed(w, r, err)
	default:
		c.Serve(w, r, body.AskAgain)
	}
}

// Render answers with a page made for this request.
func (s *Site) Render(w http.ResponseWriter, r *http.Request, status int, c templ.Component) {
	made, err := s.renderer.inTurn(r, func() (*body.Body, error) { return render(r, c, body.Quick) })
	switch {
	case errors.As(err, new(room.Busy)):
		s.busy(w, r, err)
	case err != nil:
		s.Refuse(w, r, http.StatusInternalServerError, sentence.Error("failed.page"))
		s.log.Error("a page failed", "path", protocol.Clip(r.URL.Path), "error", err)
	default:
		made.Respond(w, r, status, body.AskAgain)
	}
}

// Private answers with a page that must not be cached. It needs no turn.
func (s *Site) Private(w http.ResponseWriter, r *http.Request, status int, c templ.Component) {
	made, err := render(r, c, body.Quick)
	if err != nil {
		s.Refuse(w, r, http.StatusInternalServerError, sentence.Error("failed.page"))
		s.log.Error("a page failed", "error", err)
		return
	}
	made.Respond(w, r, status, "no-store")
}

// busy answers that the server is busy. This page needs no turn.
func (s *Site) busy(w http.ResponseWriter, r *http.Request, err error) {
	c := s.busyPages[LanguageOf(r)]
	c.Respond(w, r, StatusOf(w, err), body.AskAgain)
}

// newBusyPages makes those pages.
func (s *Site) newBusyPages() (map[page.Lang]*body.Body, error) {
	all := map[page.Lang]*body.Body{}
	for _, lang := range s.languages {
		r := &http.Request{URL: &url.URL{Path: s.At(lang, "/")}}
		r.SetPathValue("language", string(lang))
		p := page.ErrorProps{Frame: s.CachedFrame(r, ""), Status: http.StatusServiceUnavailable}
		c, err := render(r, page.Error(p), body.Thorough)
		if err != nil {
			return nil, err
		}
		all[lang] = c
	}
	return all, nil
}
