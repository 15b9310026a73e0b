package classes

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/class"
	"github.com/zkviz/zkviz/engine/run/link"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// showAll answers /class, and leads from /class?name=NAME to a class.
func (s *Pages) showAll(w http.ResponseWriter, r *http.Request) {
	given := r.URL.Query().Get("name")
	if given == "" {
		s.answerAll(w, r, http.StatusOK, "", nil)
		return
	}
	name := strings.Map(plain, given)
	if !class.IsName(name) {
		s.answerAll(w, r, http.StatusBadRequest, given, sentence.Error("bad.class", sentence.Number(class.NameLength)))
		return
	}
	http.Redirect(w, r, s.at(r, name), http.StatusSeeOther)
}

// plain drops what people write between the letters of a name, and makes the letters small.
func plain(c rune) rune {
	switch {
	case c == ' ', c == '-':
		return -1
	case 'A' <= c && c <= 'Z':
		return c - 'A' + 'a'
	}
	return c
}

func (s *Pages) answerAll(w http.ResponseWriter, r *http.Request, status int, given string, wrong error) {
	p := page.ClassesProps{Frame: s.cfg.Site.Frame(r, "class"), Begin: "/", Given: protocol.Clip(given)}
	if wrong != nil {
		p.Wrong = sentence.From(wrong)
	}
	s.cfg.Site.Render(w, r, status, page.Classes(p))
}

// at returns the path of a class in a request's language.
func (s *Pages) at(r *http.Request, name string) string {
	return s.cfg.Site.At(site.LanguageOf(r), "/class/"+name)
}

// begin answers the form that begins a class, and leads to it with its secret. That is in the fragment, which browsers
// tell no server.
func (s *Pages) begin(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.Redirect(w, r, s.cfg.Site.At(site.LanguageOf(r), classAt), http.StatusSeeOther)
		return
	}
	if r.ParseForm() != nil {
		s.answerAll(w, r, http.StatusBadRequest, "", sentence.Error("bad.form"))
		return
	}
	at := class.Place{Page: r.PostForm.Get("page"), Step: r.PostForm.Get("step"), Query: r.PostForm.Get("query")}
	name, secret, err := s.hall.Begin(r.Context(), string(site.ClientOf(r)), at)
	if err != nil {
		status := http.StatusBadRequest
		for _, busy := range []error{class.ErrTooMany, class.ErrTooManyOfOne, class.ErrAway, class.ErrStored} {
			if errors.Is(err, busy) {
				status = http.StatusServiceUnavailable
			}
		}
		if !strings.Contains(r.Header.Get("Accept"), "text/html") { // a program
			s.cfg.Site.Refuse(w, r, status, err)
			return
		}
		s.answerAll(w, r, status, "", err)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", s.at(r, name)+"#teach="+secret)
	w.WriteHeader(http.StatusSeeOther)
}

// showDoor answers /class/NAME.
func (s *Pages) showDoor(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	c, err := s.hall.Find(r.Context(), name)
	if err != nil || c.Over() {
		p := page.NoClassProps{Frame: s.cfg.Site.Frame(r, "class"), Name: protocol.Clip(name), Over: err == nil}
		status := http.StatusNotFound
		if err != nil && !errors.Is(err, class.ErrNone) { // nobody knows whether there is one
			p.Why, status = sentence.From(err), http.StatusServiceUnavailable
			w.Header().Set("Retry-After", retryAfter)
		}
		s.cfg.Site.Render(w, r, status, page.NoClass(p))
		return
	}
	p := page.ClassDoorProps{Frame: s.cfg.Site.Frame(r, "class"), Name: name, Address: s.address(r, name)}
	p.Others, p.Loopback = s.others(r, name)
	c.Read(func(st *class.State) { p.Place = s.linkTo(r, st.Place) })
	s.cfg.Site.Render(w, r, http.StatusOK, page.ClassDoor(p))
}

// showBar answers with the bar of a class for a page in a request's language. It says nothing about any class.
func (s *Pages) showBar(w http.ResponseWriter, r *http.Request) {
	s.cfg.Site.Render(w, r, http.StatusOK, page.ClassBar(s.cfg.Site.Frame(r, "class")))
}

// retryAfter is when to ask again for a class that can't be looked up, in seconds.
const retryAfter = "5"

// linkTo returns the address of a place in a request's language.
func (s *Pages) linkTo(r *http.Request, at class.Place) templ.SafeURL {
	path, scenario, _ := strings.Cut(at.Page, "?")
	u := url.URL{Path: s.cfg.Site.At(site.LanguageOf(r), path), RawQuery: link.Join(scenario, at.Query), Fragment: at.Step}
	return templ.SafeURL(u.String())
}
