// Package web is the HTTP server: who is let in, which connections it has, metrics, files, and the websocket through
// which a page gets the events of a run and asks for others. The packages below it answer with pages, pictures and
// figures. cmd/viz-server starts it.
//
// It computes nothing that pages show: engine/run, engine/analysis/view, engine/stage/scene and the lessons do. It
// writes no HTML: package page does. All input is hostile until guard.go and engine/run/room have checked it.
//
// # Where to change what
//
//   - what all pages share: package site; bodies, their compressed forms and the files under /static: package body
//   - the course, the catalogue, the search: package lessons
//   - the Lab, Compare, the contest of locks: package lab
//   - Live, the list of locks, recordings, the Past: package cluster
//   - the Zoo and the Redis, with the lines to join them: package zoo
//   - the figures of a tap: package tapped
//   - classes, and the websocket of their pages: package classes
//   - how these get what they need: pages.go
//   - metrics and health for the operator: metrics.go and health.go; the token's form: signin.go
//   - the websocket: package socket; what its rooms run: runs.go and record.go
//   - connections: connections.go; Host and Origin: guard.go
//
// None of the packages below web imports web. lessons, lab, cluster, tapped, zoo and classes don't import
// each other.
package web

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/alarm"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/front"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/taps"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/body"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/classes"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/lab"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/phones"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/socket"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/tapped"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
	zklive "github.com/zkviz/zkviz/engine/host/live"
	"github.com/zkviz/zkviz/engine/observe"
	"github.com/zkviz/zkviz/engine/observe/ensemble"
	"github.com/zkviz/zkviz/engine/observe/feed"
	"github.com/zkviz/zkviz/engine/observe/past/index"
	"github.com/zkviz/zkviz/engine/observe/record"
	"github.com/zkviz/zkviz/engine/observe/sessions"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/run/owners"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/run/relay"
	"github.com/zkviz/zkviz/engine/run/room"
	"github.com/zkviz/zkviz/engine/run/shared"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/lessons"
	"github.com/zkviz/zkviz/static"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

// Config configures the server. Its zero value serves the simulator and the project's own lessons and files on a free
// port of this machine.
type Config struct {
	Addr   string        // host:port to listen on; 127.0.0.1:0 if empty
	Hosts  []string      // further host names, each NAME or NAME:PORT
	ZK     []string      // the ZooKeeper to run on and observe; none if empty
	Base   string        // the path above all pages, as a proxy shows them: /zkviz; none if empty
	ZKPath string        // runs work below it; /zkviz if empty
	Access access.Dialer // opens connections to it
	Named  []Named       // more ZooKeepers, only to observe
	// Typed returns the ZooKeeper that a reader has named by a connection string, with identities, one SCHEME:SECRET a
	// line, or none. It is nil if others can reach the server: then the operator alone names ZooKeepers.
	Typed func(servers, identities string) (Named, error)

	// ReadOnly allows only observation of ZK, and no runs.
	ReadOnly bool

	ZKPathExists bool // ZKPath may be a znode that zkviz hasn't made

	// Embed lists the origins whose pages may show lessons and runs of the Lab in frames, "*" for all; none if empty. The
	// host of an exported site decides that.
	Embed []string

	Front   front.Config // which proxies and clients to trust; everybody if empty
	Version string       // the program's

	// OperatorAddr is host:port for metrics and health; none if empty.
	OperatorAddr string
	// StopWithin limits how long Serve takes to stop; room.CloseTimeout plus some seconds if zero.
	StopWithin time.Duration

	Elsewhere cluster.Elsewhere // other systems that the operator named
	Feed      *feed.Feed        // the ensemble log of ZK; nil if a session reads it
	Sessions  *sessions.Poller  // sessions of ZK; nil if its servers aren't asked for them
	Ensemble  *ensemble.Poller  // how ZK's servers are; nil if they aren't asked

	// Listening receives the address to open as soon as it works.
	Listening func(url string)
	Log       *slog.Logger // for the operator; dropped if nil

	Zoo    Zoo // the ZooKeeper inside this program, for the reader's own clients; nil if none
	phones *phones.Phones
	away   *away // shows what is inside other servers; nil without others

	// Tap is a tap through which clients of a real ZooKeeper connect, nil if none. It replaces Zoo. Without ZK, the first
	// page is the tap's.
	Tap Tap

	// Through is a tap elsewhere, through which some clients of ZK connect; nil if there is none.
	Through *taps.Remote

	Past *index.Index // transaction logs of ZooKeeper servers; nil if there are none

	// Record stores what rooms observe of ZK and Named, nil for nowhere. RecordPaths are observed for it even when
	// nobody looks.
	Record      *record.Folder
	RecordPaths []ClusterPath

	// MetricsPaths have figures of their own locks in the metrics, besides whole clusters.
	MetricsPaths []ClusterPath
	// Webhook receives what is wrong with the locks of ZK and Named, nil if nobody does. The server runs it.
	Webhook *alarm.Webhook

	Classes classes.Shared // the servers that classes are shared with; nil if there are none
	Live    *relay.Relay   // those that observations of ZK and Named are shared with; nil if there are none
	Owners  *owners.Owners // shows which server owns what; nil if there are no others

	// Bus connects the servers, nil if there are no others; it returns nil as long as nothing does.
	Bus func() *shared.Bus
	// Shares are the ensembles that one of the servers joins for all.
	Shares []Share

	Redis Redis // the Redis inside this program, for the reader's own clients; nil if none

	// Exported is set if the pages become a site of files: its absolute address, "/" if that is unknown.
	Exported string
	// Lessons are the slugs of the lessons that an exported site has; all if empty.
	Lessons []string

	Pseudo bool // offers strings.Pseudo as a language for tests; Book contains it

	Cluster Cluster // replaces ZK and Elsewhere in tests
	takes   func(run.Scenario) error
	// requests counts the requests that runs send to real systems.
	requests *atomic.Uint64
	budget   *observe.Budget // of all reads of ZK, by rooms and lists together
	atOnce   run.Runner
	Book     *lessons.Book // replaces the project's lessons
	Static   fs.FS         // replaces the project's files
}

func (c Config) withDefaults() Config {
	if c.Addr == "" {
		c.Addr = "127.0.0.1:0"
	}
	if c.ZKPath == "" {
		c.ZKPath = "/zkviz"
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Static == nil {
		c.Static = static.Files
	}
	if c.StopWithin == 0 {
		c.StopWithin = stopTimeout
	}
	if c.Exported != "" {
		c.Embed = []string{"*"}
	}
	if c.requests == nil {
		c.requests = new(atomic.Uint64)
	}
	if c.Zoo != nil {
		c.phones, c.away = c.forLearners()
	}
	c.budget = &observe.Budget{}
	c.Named = slices.Clone(c.Named)
	for i := range c.Named {
		c.Named[i].On.Budget = &observe.Budget{}
		c.Named[i].On.Recording = c.recording(c.Named[i].Name)
	}
	if on := c.named(); c.Cluster == nil && on.Given() {
		c.Cluster, c.takes = on, on.Takes
		on.AtOnce = true
		c.atOnce = func(ctx context.Context, s run.Scenario, sink event.Sink) error {
			return WithAdvice(on.Run(ctx, s, event.Tee{requestCounter{c.requests}, sink}, nil))
		}
	}
	return c
}

// named returns the operator's systems, except those in Named.
func (c Config) named() cluster.Cluster {
	return cluster.Cluster{Servers: c.ZK, Access: c.Access, Path: c.ZKPath, PathExists: c.ZKPathExists, Slow: true,
		Report: c.report, Elsewhere: c.Elsewhere, Feed: c.Feed, Sessions: c.Sessions, Ensemble: c.Ensemble, Budget: c.budget,
		Recording: c.recording("")}
}

// report logs reports about the cluster for the operator.
func (c Config) report(lines []string) {
	for _, line := range lines {
		c.Log.Info(line, "system", "zookeeper")
	}
}

// Tap is a tap to show.
type Tap interface {
	room.Inside
	tapped.Tap
}

// Server is an http.Handler. Close ends its runs.
type Server struct {
	handler http.Handler
	log     *slog.Logger
	runs    *room.Runs
	site    *site.Site
	pages   pages
	phones  *phones.Phones // learners' clients; nil without a ZooKeeper for them
	book    *lessons.Book
	files   body.Assets
	stories stories
	base    string   // the path above all pages
	named   []string // the operator's names of the server
	embed   embedding
	sockets atomic.Int64 // open websockets

	records  *record.Folder // nil if nothing is recorded
	shares   []Share
	webhook  *alarm.Webhook // nil if there is none
	patience time.Duration  // with a page that reads nothing

	front  front.Front
	meters *meters
	status http.Handler // for supervisors

	stop       context.Context // ends when the server stops
	close      context.CancelFunc
	background sync.WaitGroup
}

// New makes a Server. It computes every lesson once, which takes a moment, and starts to watch over the cluster if
// there is one. The cluster needn't be reachable.
func New(ctx context.Context, cfg Config) (*Server, error) {
	cfg = cfg.withDefaults()
	if cfg.Book == nil {
		book, err := lessons.Open(ctx)
		if err != nil {
			return nil, err
		}
		cfg.Book = book
	}
	s := &Server{log: cfg.Log, base: cfg.Base, book: cfg.Book, patience: socket.Patience, records: cfg.Record,
		shares: cfg.Shares, webhook: cfg.Webhook, phones: cfg.phones, front: front.New(cfg.Front), stories: newStories()}
	var err error
	if s.files, err = body.Load(cfg.Static, static.Bundles()); err != nil {
		return nil, err
	}
	if s.site, err = newSite(cfg, s.files); err != nil {
		return nil, err
	}
	if err = addWords(s.files, s.site); err != nil {
		return nil, err
	}
	s.stop, s.close = context.WithCancel(context.Background())
	s.runs = newRuns(cfg)
	shelf := cfg.shelf()
	s.pages = newPages(s.stop, cfg, s.site, s.runs, shelf)
	cfg.away.open(s.runs, s.pages.classes)
	if cfg.Cluster != nil && (len(cfg.ZK) > 0 || cfg.takes == nil) {
		s.background.Go(func() { s.sweep(cfg) })
	}
	if cfg.Record != nil {
		s.keepRecording(cfg)
	}
	if shelf != nil {
		s.background.Go(func() { shelf.Run(s.stop) })
	}
	posts := []string{cfg.Base + signInAt}
	for _, at := range slices.Concat(lab.Posts(), typedPosts(), classes.Posts()) {
		posts = append(posts, s.site.InEachLanguage(at)...)
	}
	s.meters = newMeters(s, cfg)
	s.named = cfg.Hosts
	s.embed = newEmbedding(cfg.Embed, s.site.InEachLanguage)
	g := newGuard(cfg.Addr, cfg.Hosts, s.requireSignIn(s.routes()), posts...)
	g.embed = s.embed
	s.handler = s.withMetrics(g)
	supervised := http.NewServeMux()
	s.health(supervised)
	s.status = supervised
	return s, nil
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	if s.base != "" {
		mux.Handle("/{$}", http.RedirectHandler(s.base+"/", http.StatusFound))
	}
	mux.Handle(s.base+"/static/", http.StripPrefix(s.base, s.files))
	mux.Handle(s.base+"/favicon.ico", http.RedirectHandler(s.base+"/static/icon.svg", http.StatusMovedPermanently))
	for path, answer := range s.pages.routes() {
		s.site.Handle(mux, path, answer)
	}
	s.site.Handle(mux, "/stage", s.serveStage())
	s.site.Handle(mux, "/ws", s.serveSocket)
	s.site.Handle(mux, "/api/trace", s.serveTrace)
	s.site.Handle(mux, "/api/sheet", s.serveSheet)
	if s.embed.origins != "" {
		mux.HandleFunc(s.base+"/oembed", s.serveOEmbed)
	}
	if s.site.Exported() {
		s.site.Handle(mux, "/lessons/{slug}/oembed.json", s.serveOEmbedFile)
		mux.HandleFunc(s.base+page.ReelOf("{slug}"), s.serveReel)
	}
	s.site.Handle(mux, "/", s.site.NotFound)
	return mux
}

// serveStage returns the handler of the document that contains the canvas. Ebiten takes over a whole document.
func (s *Server) serveStage() http.HandlerFunc {
	document := s.files.Document("stage.html", s.base)
	if document == nil {
		return http.NotFound
	}
	return func(w http.ResponseWriter, r *http.Request) { document.Serve(w, r, body.AskAgain) }
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.front.Receive(r)
	if r.URL.Path == healthAt || r.URL.Path == readyAt {
		s.status.ServeHTTP(w, r)
		return
	}
	s.handler.ServeHTTP(w, r)
}

// Close ends all connections and runs, and returns when runs on the cluster have cleaned up.
func (s *Server) Close() {
	s.close()
	for end := time.Now().Add(goodbyeTimeout); s.openSockets() > 0 && time.Now().Before(end); {
		time.Sleep(goodbyeTimeout / 100)
	}
	s.runs.Close()
	s.pages.lab.Close()
	s.pages.cluster.Close()
	s.pages.classes.Close()
	if s.phones != nil {
		s.phones.Close()
	}
	s.background.Wait()
}

// openSockets returns how many pages are still to be told that the server stops.
func (s *Server) openSockets() int { return int(s.sockets.Load()) + s.pages.classes.Stats().Sockets }

func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	s.sockets.Add(1)
	defer s.sockets.Add(-1)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	conn, err := s.runs.Connect(site.ClientOf(r), cancel)
	if err != nil {
		s.site.Refuse(w, r, site.StatusOf(w, err), err)
		return
	}
	defer conn.Leave()
	sock, err := socket.Accept(w, r, socket.Config{Longest: protocol.MaxRequest, Patience: s.patience})
	if err != nil {
		return // Accept has answered
	}
	s.runs.Serve(ctx, s.stop, conn, sock)
}

// inEnglish words an error for the operator.
func inEnglish(err error) string { return sentence.Voice{Say: uistrings.English().Say}.Error(err) }

// WithAdvice adds advice to a cluster's refusal, if there is any.
func WithAdvice(err error) error {
	if errors.Is(err, zoo.ErrNoAuth) {
		return sentence.Wrap(err, "refused.acl")
	}
	if errors.Is(err, zklive.ErrNotOurs) {
		return sentence.Wrap(err, "refused.not-ours")
	}
	return err
}
