// Package classes serves classes: the pages that begin one and lead to it, the websocket through which pages follow
// their teacher, and the results. engine/run/class has what a class is.
//
// Everybody who can open the server's pages may begin a class, and join one whose name they know. Only who knows a
// class's secret leads it. limits.go has what an address may have of all that; a school may have only one.
package classes

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/run/class"
	"github.com/zkviz/zkviz/engine/run/room"
)

// Config configures the pages.
type Config struct {
	Site     *site.Site
	Crowds   class.Crowds               // learners' clients; nil if there is no ZooKeeper for them
	Addr     string                     // host:port that the server listens on
	Stop     context.Context            // ends when the server stops
	Patience time.Duration              // with a page that reads nothing; socket.Patience if zero
	Now      func() time.Time           // the clock; time.Now if nil
	Machine  func() ([]net.Addr, error) // this machine's addresses; net.InterfaceAddrs if nil
}

// Pages answers for classes.
type Pages struct {
	cfg     Config
	hall    *class.Hall
	places  *room.Connections
	guesses *guesses

	stop       context.CancelFunc
	background sync.WaitGroup
}

// The addresses.
const (
	classAt   = "/class"
	beginAt   = "/class/begin"
	barAt     = "/class/bar"
	doorAt    = "/class/{name}"
	codeAt    = "/class/{name}/qr.svg"
	socketAt  = "/class/{name}/ws"
	resultsAt = "/class/{name}/results"
)

// New returns the pages. Close ends them.
func New(cfg Config) *Pages {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Machine == nil {
		cfg.Machine = net.InterfaceAddrs
	}
	cfg.Patience = cmp.Or(cfg.Patience, patience)
	s := &Pages{
		cfg: cfg, hall: class.NewHall(class.HallConfig{Now: cfg.Now, Crowds: cfg.Crowds}), guesses: newGuesses(),
		places: room.NewConnections(MaxPages, MaxPagesPerClient),
	}
	ctx, stop := context.WithCancel(cfg.Stop)
	s.stop = stop
	s.background.Go(func() { s.sweep(ctx) })
	return s
}

// Routes returns the handlers by their addresses; none on a site of files.
func (s *Pages) Routes() map[string]http.HandlerFunc {
	if s.cfg.Site.Exported() {
		return nil
	}
	return map[string]http.HandlerFunc{
		classAt: s.showAll, beginAt: s.begin, barAt: s.showBar, doorAt: s.showDoor, codeAt: s.serveCode,
		socketAt: s.serveSocket, resultsAt: s.saveResults,
	}
}

// Posts returns the addresses that take forms. A star stands for any segment.
func Posts() []string { return []string{beginAt, "/class/*/results"} }

// Stats are figures for the operator.
type Stats struct {
	class.HallStats
	Sockets int // open websockets
}

// Stats returns figures for the operator.
func (s *Pages) Stats() Stats { return Stats{s.hall.Stats(), s.places.Count()} }

// Close ends all classes.
func (s *Pages) Close() {
	s.stop()
	s.background.Wait()
	s.hall.Close()
}

// sweep drops classes and guesses that are over.
func (s *Pages) sweep(ctx context.Context) {
	for hub.Pause(ctx, sweepEvery) {
		s.hall.Sweep(ctx)
		s.guesses.sweep(s.cfg.Now())
	}
}
