// Package site holds what all pages share: the frame around them, their languages and addresses, and how they are
// rendered. It limits how many answers are made at once, and caches those that many requests share.
//
// It knows none of the pages. The packages lessons, lab, cluster and zoo beside it make them and answer through it, and
// package web serves them.
package site

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/body"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/run/room"
	"github.com/zkviz/zkviz/recipes"
	uistrings "github.com/zkviz/zkviz/static/strings"
	"github.com/zkviz/zkviz/static/strings/words"
)

// Config configures a site. Its zero value has no real systems.
type Config struct {
	// Frame holds what is the same on all pages: Base, ReadOnly, NoStage, HasPast, Records and Version.
	Frame page.Frame
	// Exported is the absolute address of the site of files that the pages become, "/" if it is unknown; empty on a
	// server.
	Exported string
	On       cluster.Cluster // the operator's systems, except those chosen by name
	Pseudo   bool            // offers strings.Pseudo as a language
	Log      *slog.Logger
}

// Site answers with pages that others make.
type Site struct {
	shared    page.Frame // what is the same on all pages
	exported  string
	on        cluster.Cluster
	renderer  *renderer
	languages []page.Lang // the source language first
	words     map[page.Lang]words.Words
	// busyPages say that the server is busy.
	busyPages map[page.Lang]*body.Body
	log       *slog.Logger
}

// New returns a site with all languages.
func New(cfg Config) (*Site, error) {
	s := &Site{
		shared: cfg.Frame, exported: cfg.Exported, on: cfg.On,
		renderer: newRenderer(), words: map[page.Lang]words.Words{}, log: cfg.Log,
	}
	s.shared.Kinds = recipes.Standing()
	s.shared.Servers = strings.ReplaceAll(strings.Join(s.on.Servers, ",")+s.on.Access.Chroot, ",", ", ")
	s.shared.Real = s.shared.Servers
	codes := uistrings.Languages()
	if cfg.Pseudo {
		codes = append(codes, uistrings.Pseudo)
	}
	for _, code := range codes {
		w, err := uistrings.Load(code)
		if err != nil {
			return nil, err
		}
		s.languages = append(s.languages, page.Lang(code))
		s.words[page.Lang(code)] = w
	}
	var err error
	s.busyPages, err = s.newBusyPages()
	return s, err
}

// At returns the path of the page at an address: the base path, then the language, then the address.
func (s *Site) At(lang page.Lang, address string) string { return s.shared.Base + lang.To(address) }

// InEachLanguage returns the paths of the page at an address.
func (s *Site) InEachLanguage(address string) (paths []string) {
	for _, lang := range s.languages {
		paths = append(paths, s.At(lang, address))
	}
	return paths
}

// Handle registers a handler for a path in every language. The handler gets the language from LanguageOf.
func (s *Site) Handle(mux *http.ServeMux, path string, answer http.HandlerFunc) {
	for _, lang := range s.languages {
		mux.HandleFunc(s.At(lang, path), func(w http.ResponseWriter, r *http.Request) {
			r.SetPathValue("language", string(lang))
			answer(w, r)
		})
	}
}

// LanguageOf returns the language of a request.
func LanguageOf(r *http.Request) page.Lang {
	return page.Lang(cmp.Or(r.PathValue("language"), uistrings.Source))
}

// LanguageAt returns the language of the page at a path.
func (s *Site) LanguageAt(path string) page.Lang {
	for _, lang := range s.languages {
		if lang != uistrings.Source && strings.HasPrefix(path, s.At(lang, "/")) {
			return lang
		}
	}
	return uistrings.Source
}

// Exported reports whether the pages become files, which no server answers for.
func (s *Site) Exported() bool { return s.exported != "" }

// Absolute returns the absolute address of the file for a path on an exported site, "" if it is unknown.
func (s *Site) Absolute(path string) string {
	if s.exported == "/" || s.exported == "" {
		return ""
	}
	return s.exported + File(strings.TrimPrefix(path, s.shared.Base))
}

// Turns returns the turns in which clients get answers made.
func (s *Site) Turns() *room.Turns { return s.renderer.turns }

// Languages returns all languages, the source language first.
func (s *Site) Languages() []page.Lang { return s.languages }

// Words returns the words of a language.
func (s *Site) Words(lang page.Lang) words.Words { return s.words[lang] }

// Frame returns what all pages share.
func (s *Site) Frame(r *http.Request, here string) page.Frame {
	return s.frameWith(r, here, r.URL.Query())
}

// About fills in where a scenario can run for real.
func (s *Site) About(f *page.Frame, sc run.Scenario) {
	if f.Real = strings.Join(s.on.Where(sc), ", "); f.Real != "" {
		return
	}
	if first := sc.Header(event.Cluster).Systems[0].Kind; first != event.ZooKeeperSystem {
		f.Needs = string(first)
	}
}

// CachedFrame is Frame for a page that depends only on the path of its address.
func (s *Site) CachedFrame(r *http.Request, here string) page.Frame {
	return s.frameWith(r, here, url.Values{})
}

// frameWith returns a frame whose links to other languages have the query.
func (s *Site) frameWith(r *http.Request, part string, q url.Values) page.Frame {
	lang := LanguageOf(r)
	f := s.shared
	f.Lang, f.Words, f.Here = lang, s.words[lang], part
	if s.Exported() {
		f.Exported = &page.Exported{}
		f.Exported.At = s.Absolute(r.URL.Path)
	}
	here := &url.URL{RawQuery: q.Encode()}
	for _, code := range s.languages {
		here.Path = s.At(code, lang.From(strings.TrimPrefix(r.URL.Path, s.shared.Base)))
		f.Languages = append(f.Languages, page.Language{
			Code: code, Name: s.words[code].Say("language.name"), URL: here.String(),
		})
	}
	return f
}
