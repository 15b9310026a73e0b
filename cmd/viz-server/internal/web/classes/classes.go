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
	Shared   Shared                     // the other servers; nil if there are none
}

// Shared connects classes with the same ones at other servers.
type Shared interface {
	class.Lines
	Among() bool                 // there may be others
	Linked() bool                // they can be reached, as far as is known
	Stats() (owned, relayed int) // classes about which this server decides, and those about which another one does
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

// Known returns a class that this server has open, or nil.
func (s *Pages) Known(name string) *class.Class { return s.hall.Known(name) }

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
	hall := class.HallConfig{Now: cfg.Now, Crowds: cfg.Crowds}
	if cfg.Shared != nil {
		hall.Lines = cfg.Shared
	}
	s := &Pages{
		cfg: cfg, hall: class.NewHall(hall), guesses: newGuesses(),
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
	Sockets        int // open websockets
	Owned, Relayed int // classes about which this server decides, and those about which another one does
}

// Stats returns figures for the operator.
func (s *Pages) Stats() Stats {
	st := Stats{HallStats: s.hall.Stats(), Sockets: s.places.Count()}
	if st.Owned = st.Classes; s.cfg.Shared != nil {
		st.Owned, st.Relayed = s.cfg.Shared.Stats()
	}
	return st
}

// Among reports whether there may be other servers, and linked whether they can be reached.
func (s *Pages) Among() (among, linked bool) {
	if s.cfg.Shared == nil {
		return false, true
	}
	return s.cfg.Shared.Among(), s.cfg.Shared.Linked()
}

// Close ends all classes. Other servers go on with theirs.
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
