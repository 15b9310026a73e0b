package web

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/a-h/templ"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/broken"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/locks/follow"
	"github.com/zkviz/zkviz/engine/observe/past/index"
	"github.com/zkviz/zkviz/engine/observe/record"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/run/room"
	"github.com/zkviz/zkviz/lessons"
	"github.com/zkviz/zkviz/recipes"
	uistrings "github.com/zkviz/zkviz/static/strings"
	"github.com/zkviz/zkviz/static/strings/words"
)

// site answers with pages and pictures. Most of them don't change while the server runs.
type site struct {
	base       string // prefix of every page's path
	book       *lessons.Book
	pictures   *pictures
	kinds      map[string]string // see recipes.Standing
	files      assets
	document   *content // the stage's, nil if there is no such file
	figures    *figures
	explored   *explored
	broken     func() (page.BrokenTable, error) // read on the first request
	making     *making
	sources    *kept[string, page.Source] // the recipes', by name
	index      *kept[page.Lang, []searched]
	servers    string
	on         cluster.Cluster // the operator's systems, except named
	prober     *prober
	named      []Named                  // further ZooKeepers by name
	probers    map[string]*prober       // of the named ones
	followers  map[string]*follow.Locks // of the unnamed one and the named ones
	readOnly   bool                     // nothing may run on them
	past       *index.Index             // transaction logs; nil if there are none
	looks      *jobs                    // searches in the past
	records    *record.Folder           // recordings; nil if nothing is recorded
	zoo        string                   // address for the reader's own clients, empty if none
	zooServers int                      // number of its servers
	tapped     bool                     // zoo is a tap of the operator's ensemble
	ensemble   string                   // the tap's ensemble
	redis      string                   // address of the Redis inside, empty if none
	languages  []page.Lang              // the source language first
	words      map[page.Lang]words.Words
	// busyPages say that the server is busy.
	busyPages map[page.Lang]*content
	log       *slog.Logger
}

func newSite(cfg Config, files assets, figures *figures, explored *explored) (*site, error) {
	s := &site{
		base: cfg.Base, book: cfg.Book, kinds: recipes.Standing(), files: files, figures: figures,
		explored: explored, making: newMaking(),
		sources: newKept[string, page.Source](maxSources), index: newKept[page.Lang, []searched](maxSources),
		servers: strings.Join(cfg.ZK, ",") + cfg.Access.Chroot, on: cfg.named(), readOnly: cfg.ReadOnly,
		prober: newProber(cfg.Access, cfg.ZK), named: cfg.Named, probers: map[string]*prober{},
		words: map[page.Lang]words.Words{}, log: cfg.Log, past: cfg.Past, looks: newJobs(), records: cfg.Record,
	}
	if c, ok := files.byName["stage.html"]; ok {
		s.document = c.below(cfg.Base)
	}
	s.followers = map[string]*follow.Locks{"": locksOf(s.on)}
	for _, n := range cfg.Named {
		s.probers[n.Name] = newProber(n.On.Access, n.On.Servers)
		s.followers[n.Name] = locksOf(n.On)
	}
	s.broken = sync.OnceValues(func() (page.BrokenTable, error) {
		rows, err := broken.Table()
		return brokenTable(rows), err
	})
	s.pictures = newPictures(cfg.Book, s.words, s.making.turns)
	if cfg.Zoo != nil {
		s.zoo = cfg.Zoo.ConnectString()
		system := cfg.Zoo.System()
		s.zooServers = system.Servers + system.Observers
	}
	if cfg.Tap != nil {
		s.zoo, s.tapped, s.ensemble = cfg.Tap.Place(), true, strings.Join(cfg.Tap.System().Addresses, ",")
	}
	if cfg.Redis != nil {
		s.redis = cfg.Redis.Place()
	}
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

// routes adds all pages in every language.
func (s *site) routes(mux *http.ServeMux) {
	for path, answer := range map[string]http.HandlerFunc{
		"/{$}":                      s.home,
		"/lessons/{slug}":           s.lesson,
		"/lessons/{slug}/{picture}": s.picture,
		"/live":                     s.live,
		liveLocksAt:                 s.liveLocks,
		"/zoo":                      s.showZoo,
		"/zoo/redis":                s.showRedis,
		pastAt:                      s.showPast,
		pastAt + "/moment":          s.showMoment,
		liveMomentAt:                s.liveMoment,
		storyFileAt:                 s.serveStory,
		recordsAt:                   s.showRecords,
		recordsAt + "/{name}":       s.showRecord,
		recordFileAt + "{name}":     s.serveRecord,
		"/lab":                      s.lab,
		compareAt:                   s.compare,
		locksAt:                     s.locks,
		"/recipes":                  s.recipes,
		"/recipes/{picture}":        s.picture,
		"/glossary":                 s.glossary,
		"/search":                   s.search,
		"/review/{part}":            s.review,
		"/stage":                    s.stage,
		"/api/figures":              s.serveFigures,
		"/api/explore":              s.serveExplored,
		comparedAt:                  s.serveCompared,
		"/":                         s.notFound,
	} {
		s.inEachLanguage(mux, path, answer)
	}
	mux.HandleFunc(s.base+"/favicon.ico", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, s.base+"/static/icon.svg", http.StatusMovedPermanently)
	})
}

// at returns the path of the page at an address: the base path, then the language, then the address.
func (s *site) at(lang page.Lang, address string) string { return s.base + lang.To(address) }

// inEachLanguage registers a handler for a path in every language. The handler gets the language from languageOf.
func (s *site) inEachLanguage(mux *http.ServeMux, path string, answer http.HandlerFunc) {
	for _, lang := range s.languages {
		mux.HandleFunc(s.at(lang, path), func(w http.ResponseWriter, r *http.Request) {
			r.SetPathValue("language", string(lang))
			answer(w, r)
		})
	}
}

// languageOf returns the language of a request.
func languageOf(r *http.Request) page.Lang {
	return page.Lang(cmp.Or(r.PathValue("language"), uistrings.Source))
}

func (s *site) home(w http.ResponseWriter, r *http.Request) {
	s.still(w, r, func() (templ.Component, error) {
		p := page.HomeProps{Frame: s.stillFrame(r, "lessons")}
		p.Parts = s.book.Parts(string(p.Lang))
		return page.Home(p), nil
	})
}

func (s *site) lesson(w http.ResponseWriter, r *http.Request) {
	slug := r.PathValue("slug")
	l, ok := s.book.Find(slug)
	if !ok {
		s.notFound(w, r)
		return
	}
	if l.Slug != slug {
		http.Redirect(w, r, s.at(languageOf(r), "/lessons/"+l.Slug), http.StatusMovedPermanently)
		return
	}
	s.still(w, r, func() (templ.Component, error) {
		props := page.LessonProps{Frame: s.stillFrame(r, "lessons"), Source: s.recipeSource(l.Scenario.Recipe)}
		s.about(&props.Frame, l.Scenario)
		props.Lesson, _ = s.book.Page(l.Slug, string(props.Lang))
		props.Simulated = simulated(l)
		if addr := s.zooAddress(r); addr != "" {
			way := byHand(addr)
			props.ByHand = &way
		}
		return page.Lesson(props), nil
	})
}

// simulated reports whether a lesson runs only on the simulator: it has several servers, uses another system, or has a
// fault on the server, which nobody may inject into a real one.
func simulated(l *lessons.Lesson) bool {
	return l.Scenario.Servers > 1 || !event.HasZooKeeper(l.Scenario.Header(event.Simulated).Systems) ||
		slices.ContainsFunc(l.Scenario.Faults, func(f fault.Fault) bool { return f.Kind.Target() == fault.ToServer })
}

// picture answers /lessons/SLUG/ANCHOR.svg?theme=light|dark, and /recipes/NAME.svg likewise.
func (s *site) picture(w http.ResponseWriter, r *http.Request) {
	anchor, isSVG := strings.CutSuffix(r.PathValue("picture"), ".svg")
	theme := r.URL.Query().Get("theme")
	if theme != "" && theme != "light" && theme != "dark" {
		s.refuse(w, r, http.StatusBadRequest, sentence.Error("bad.theme", sentence.Quote(theme)))
		return
	}
	c, ok, err := s.pictures.of(r.Context(), askerOf(r), pictureKey{languageOf(r), r.PathValue("slug"), anchor,
		theme == "dark"})
	switch {
	case errors.As(err, new(room.Busy)):
		s.refuse(w, r, statusOf(w, err), err)
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
	if err := s.chooseCluster(&p, r.URL.Query().Get("cluster")); err != nil {
		status, p.Error = http.StatusBadRequest, sentence.From(err)
	} else if p.Path != "" {
		if err := protocol.ValidatePath(p.Path); err != nil {
			status, p.Path, p.Error = http.StatusBadRequest, protocol.Clip(p.Path), sentence.From(err)
		}
	}
	p.Moment, p.Znode = readMoment(r)
	p.Joined = p.Cluster == "" && s.on.Feed != nil && s.on.Feed.Joined()
	if p.Path == "" || p.Error.Key != "" {
		p.Away = s.away(r.Context(), p.Cluster)
	} else {
		s.before(r.Context(), &p, time.Now().UnixMilli())
	}
	s.render(w, r, status, page.Live(p))
}

func (s *site) recipes(w http.ResponseWriter, r *http.Request) {
	s.still(w, r, func() (templ.Component, error) {
		p := page.RecipesProps{Frame: s.stillFrame(r, "recipes")}
		p.Groups = s.recipeGroups(p.Lang)
		return page.Recipes(p), nil
	})
}

// stage answers with the document that contains the canvas. Ebiten takes over a whole document.
func (s *site) stage(w http.ResponseWriter, r *http.Request) {
	if s.document == nil {
		http.NotFound(w, r)
		return
	}
	s.document.serve(w, r, askAgain)
}

func (s *site) notFound(w http.ResponseWriter, r *http.Request) {
	s.render(w, r, http.StatusNotFound, page.Error(page.ErrorProps{Frame: s.frame(r, ""), Status: http.StatusNotFound}))
}

// refuse answers with a bare sentence, for requests that don't want a page.
func (s *site) refuse(w http.ResponseWriter, r *http.Request, status int, err error) {
	http.Error(w, page.Frame{Words: s.words[languageOf(r)]}.Sentence(sentence.From(err)), status)
}

// failed logs the error for the operator, and tells the reader that one has occurred.
func (s *site) failed(w http.ResponseWriter, r *http.Request, err error) {
	s.log.Error("a page failed", "path", protocol.Clip(r.URL.Path), "error", err)
	p := page.ErrorProps{Frame: s.frame(r, ""), Status: http.StatusInternalServerError}
	s.render(w, r, p.Status, page.Error(p))
}

// statusOf returns the status of an answer with an error. If the server is busy, it sets Retry-After.
func statusOf(w http.ResponseWriter, err error) int {
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

// still answers with a page that depends only on its path and on the reader's address of the zoo.
func (s *site) still(w http.ResponseWriter, r *http.Request, make func() (templ.Component, error)) {
	s.stillFor(w, r, "", make)
}

// stillFor is still for a page that also depends on its query.
func (s *site) stillFor(w http.ResponseWriter, r *http.Request, query string, make func() (templ.Component, error)) {
	key := stillKey{r.URL.Path, query, s.zooAddress(r)}
	c, err := s.making.page(r, key, make)
	switch {
	case errors.As(err, new(room.Busy)):
		s.busy(w, r, err)
	case err != nil:
		s.failed(w, r, err)
	default:
		c.serve(w, r, askAgain)
	}
}

// render answers with a page made for this request.
func (s *site) render(w http.ResponseWriter, r *http.Request, status int, c templ.Component) {
	body, err := s.making.inTurn(r, func() (*content, error) { return rendered(r, c, quick) })
	switch {
	case errors.As(err, new(room.Busy)):
		s.busy(w, r, err)
	case err != nil:
		s.refuse(w, r, http.StatusInternalServerError, sentence.Error("failed.page"))
		s.log.Error("a page failed", "path", protocol.Clip(r.URL.Path), "error", err)
	default:
		body.respond(w, r, status, askAgain)
	}
}

// busy answers that the server is busy. This page needs no turn.
func (s *site) busy(w http.ResponseWriter, r *http.Request, err error) {
	c := s.busyPages[languageOf(r)]
	c.respond(w, r, statusOf(w, err), askAgain)
}

// newBusyPages makes those pages.
func (s *site) newBusyPages() (map[page.Lang]*content, error) {
	all := map[page.Lang]*content{}
	for _, lang := range s.languages {
		r := &http.Request{URL: &url.URL{Path: s.at(lang, "/")}}
		r.SetPathValue("language", string(lang))
		p := page.ErrorProps{Frame: s.stillFrame(r, ""), Status: http.StatusServiceUnavailable}
		c, err := rendered(r, page.Error(p), thorough)
		if err != nil {
			return nil, err
		}
		all[lang] = c
	}
	return all, nil
}

// frame returns what all pages share.
func (s *site) frame(r *http.Request, here string) page.Frame {
	return s.frameWith(r, here, r.URL.Query())
}

// about fills in where a scenario can run for real.
func (s *site) about(f *page.Frame, sc run.Scenario) {
	if f.Real = strings.Join(s.on.Where(sc), ", "); f.Real != "" {
		return
	}
	if first := sc.Header(event.Cluster).Systems[0].Kind; first != event.ZooKeeperSystem {
		f.Needs = string(first)
	}
}

// stillFrame is frame for a page that depends only on the path of its address.
func (s *site) stillFrame(r *http.Request, here string) page.Frame {
	return s.frameWith(r, here, url.Values{})
}

// frameWith returns a frame whose links to other languages have the query.
func (s *site) frameWith(r *http.Request, part string, q url.Values) page.Frame {
	lang := languageOf(r)
	f := page.Frame{
		Lang: lang, Words: s.words[lang], Here: part, Servers: strings.ReplaceAll(s.servers, ",", ", "),
		ReadOnly: s.readOnly, Base: s.base, Kinds: s.kinds, NoStage: !s.files.hasStage(),
		HasPast: s.past != nil, Records: s.records != nil, Version: s.files.version,
	}
	f.Real = f.Servers
	here := &url.URL{RawQuery: q.Encode()}
	for _, code := range s.languages {
		here.Path = s.at(code, lang.From(strings.TrimPrefix(r.URL.Path, s.base)))
		f.Languages = append(f.Languages, page.Language{
			Code: code, Name: s.words[code].Say("language.name"), URL: here.String(),
		})
	}
	return f
}
