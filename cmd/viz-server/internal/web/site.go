package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/lessons"
	uistrings "github.com/zkviz/zkviz/static/strings"
	"github.com/zkviz/zkviz/static/strings/words"
)

// site answers with pages and pictures. What it shows does not change while the server runs, but for the
// path on the page of the cluster.
type site struct {
	book     *lessons.Book
	pictures *pictures
	files    assets
	figures  *figures
	servers  string
	prober   *prober
	readOnly bool                   // nothing is run on them
	zoo      string                 // where clients of one's own connect, empty if nowhere
	words    map[string]words.Words // by language
	log      io.Writer
}

func newSite(cfg Config, files assets, figures *figures) (*site, error) {
	s := &site{
		book: cfg.Book, pictures: newPictures(cfg.Book), files: files, figures: figures,
		servers: strings.Join(cfg.ZK, ","), readOnly: cfg.ReadOnly, prober: newProber(cfg.ZK), words: map[string]words.Words{}, log: cfg.Log,
	}
	if cfg.Zoo != nil {
		s.zoo = cfg.Zoo.Addr().String()
	}
	for _, lang := range uistrings.Languages() {
		w, err := uistrings.Load(lang)
		if err != nil {
			return nil, err
		}
		s.words[lang] = w
	}
	return s, nil
}

func (s *site) routes(mux *http.ServeMux) {
	mux.HandleFunc("/{$}", s.home)
	mux.HandleFunc("/lessons/{slug}", s.lesson)
	mux.HandleFunc("/lessons/{slug}/{picture}", s.picture)
	mux.HandleFunc("/live", s.live)
	mux.HandleFunc("/zoo", s.showZoo)
	mux.HandleFunc("/lab", s.lab)
	mux.HandleFunc(compareAt, s.compare)
	mux.HandleFunc("POST "+compareAt, s.compareLive)
	mux.HandleFunc("/recipes", s.recipes)
	mux.HandleFunc("/stage", s.stage)
	mux.HandleFunc("/favicon.ico", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/static/icon.svg", http.StatusMovedPermanently)
	})
	mux.HandleFunc("/", s.notFound)
}

func (s *site) home(w http.ResponseWriter, r *http.Request) {
	p := page.HomeProps{Frame: s.frame(r, "lessons")}
	for i := range s.book.Lessons {
		l, err := s.book.Page(s.book.Lessons[i].Slug, p.Lang)
		if err != nil {
			s.failed(w, r, err)
			return
		}
		p.Lessons = append(p.Lessons, lessonCard(l))
	}
	s.render(w, r, http.StatusOK, page.Home(p))
}

func (s *site) lesson(w http.ResponseWriter, r *http.Request) {
	slug := r.PathValue("slug")
	l, ok := s.book.Find(slug)
	if !ok {
		s.notFound(w, r)
		return
	}
	props, err := s.lessonProps(s.frame(r, "lessons"), l)
	if err != nil {
		s.failed(w, r, err)
		return
	}
	if addr := s.zooAddress(r); addr != "" {
		way := byHand(addr)
		props.ByHand = &way
	}
	s.render(w, r, http.StatusOK, page.Lesson(props))
}

// picture answers /lessons/SLUG/ANCHOR.svg?theme=light|dark.
func (s *site) picture(w http.ResponseWriter, r *http.Request) {
	anchor, isSVG := strings.CutSuffix(r.PathValue("picture"), ".svg")
	theme := r.URL.Query().Get("theme")
	if theme != "" && theme != "light" && theme != "dark" {
		http.Error(w, fmt.Sprintf("theme=%q is neither light nor dark.", clip(theme)), http.StatusBadRequest)
		return
	}
	c, ok, err := s.pictures.of(pictureKey{r.PathValue("slug"), anchor, theme == "dark"})
	switch {
	case err != nil:
		s.failed(w, r, err)
	case !ok || !isSVG:
		http.NotFound(w, r)
	default:
		w.Header().Set("Content-Security-Policy", picturePolicy)
		c.serve(w, r, askAgain)
	}
}

func (s *site) live(w http.ResponseWriter, r *http.Request) {
	p := page.LiveProps{Frame: s.frame(r, "live"), Path: r.URL.Query().Get("path")}
	status := http.StatusOK
	if p.Path != "" {
		if err := validatePath(p.Path); err != nil {
			status, p.Path, p.Error = http.StatusBadRequest, clip(p.Path), upper(err.Error())
		}
	}
	if p.Path == "" || p.Error != "" {
		p.Away = s.away(r.Context())
	}
	s.render(w, r, status, page.Live(p))
}

// away says why the cluster cannot be reached now, and nothing if it can or if there is none.
func (s *site) away(ctx context.Context) string {
	if s.servers == "" {
		return ""
	}
	if err := s.prober.reach(ctx); err != nil {
		return upper(clip(err.Error()))
	}
	return ""
}

func (s *site) recipes(w http.ResponseWriter, r *http.Request) {
	p := page.RecipesProps{Frame: s.frame(r, "recipes")}
	p.Recipes, p.Pitfalls = s.recipeCards(p.Lang)
	s.render(w, r, http.StatusOK, page.Recipes(p))
}

// stage is the document that the canvas lives in: Ebiten takes over the whole of one.
func (s *site) stage(w http.ResponseWriter, r *http.Request) {
	c, ok := s.files.byName["stage.html"]
	if !ok {
		http.NotFound(w, r)
		return
	}
	c.serve(w, r, askAgain)
}

func (s *site) notFound(w http.ResponseWriter, r *http.Request) {
	s.render(w, r, http.StatusNotFound, page.Error(page.ErrorProps{Frame: s.frame(r, ""), Status: http.StatusNotFound}))
}

// failed tells the operator what happened, and the reader that something did.
func (s *site) failed(w http.ResponseWriter, r *http.Request, err error) {
	fmt.Fprintf(s.log, "%s: %v\n", clip(r.URL.Path), err)
	p := page.ErrorProps{Frame: s.frame(r, ""), Status: http.StatusInternalServerError}
	s.render(w, r, p.Status, page.Error(p))
}

// statusOf is the status of an answer that says why there is no other. If the server is busy, w says when to ask again.
func statusOf(w http.ResponseWriter, err error) int {
	var b busy
	switch {
	case errors.As(err, &b):
		w.Header().Set("Retry-After", strconv.Itoa(int(b.again.Seconds())))
		return http.StatusServiceUnavailable
	case errors.Is(err, errClosing):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// render answers with a page. It is complete before the first byte is sent, so that none breaks off.
func (s *site) render(w http.ResponseWriter, r *http.Request, status int, c templ.Component) {
	var b bytes.Buffer
	if err := c.Render(r.Context(), &b); err != nil {
		http.Error(w, "The page could not be made.", http.StatusInternalServerError)
		fmt.Fprintf(s.log, "%s: %v\n", clip(r.URL.Path), err)
		return
	}
	body := pack("text/html; charset=utf-8", b.Bytes(), 4)
	body.respond(w, r, status, askAgain)
}

// frame is what every page shares.
func (s *site) frame(r *http.Request, here string) page.Frame {
	lang := r.URL.Query().Get("lang")
	if _, ok := s.words[lang]; !ok {
		lang = uistrings.Source
	}
	f := page.Frame{
		Lang: lang, Words: s.words[lang], Here: here, Servers: strings.ReplaceAll(s.servers, ",", ", "),
		ReadOnly: s.readOnly, Version: s.files.version,
	}
	for _, code := range uistrings.Languages() {
		q := r.URL.Query()
		q.Set("lang", code)
		f.Languages = append(f.Languages, page.Language{
			Code: code, Name: s.words[code].Say("language.name"), URL: r.URL.EscapedPath() + "?" + q.Encode(),
		})
	}
	return f
}

// languageOf is the one that a lesson's words are in, which is the source if it is not translated.
func (s *site) languageOf(lang string) string {
	if slices.Contains(s.book.Languages, lang) {
		return lang
	}
	return lessons.Source
}
