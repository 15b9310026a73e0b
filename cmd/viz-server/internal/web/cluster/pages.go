// Package cluster serves the pages about the operator's clusters: Live with the list of locks and the moments of their
// handovers, the recordings, and the Past from transaction logs.
//
// It only reads. What a stage shows of a cluster comes from rooms, on a websocket of package web, which serves these
// pages.
package cluster

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/alarm"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/taps"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/observe/past/index"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/run/recordings"
)

// Named is a ZooKeeper that readers choose by name.
type Named struct {
	Name string
	On   cluster.Cluster
}

// Config configures the pages about clusters.
type Config struct {
	Site    *site.Site
	On      cluster.Cluster // the operator's systems, except Named
	Named   []Named
	Typed   *Typed            // nil if only the operator names clusters
	Past    *index.Index      // transaction logs; nil if there are none
	Records *recordings.Shelf // recordings; nil if there are none, nor other servers

	Tapped bool // a tap's observations are recorded

	MetricsPaths map[string][]string // by cluster, paths whose locks have figures of their own
	Through      *taps.Remote        // a tap for some clients of the cluster without a name; nil if there is none
	Webhook      *alarm.Webhook      // receives what is wrong with locks; nil for none. Pages run it

	Log *slog.Logger
}

// Pages answers with the pages about clusters. Close it at the end.
type Pages struct {
	site    *site.Site
	servers string // of the cluster without a name, empty if there is none
	known   *known
	typed   *Typed // nil if only the operator names clusters
	records records
	past    pastPages
	watches watches
	through *taps.Remote // nil if there is none
	log     *slog.Logger
}

// New returns the pages about clusters.
func New(cfg Config) *Pages {
	s := &Pages{
		site: cfg.Site, servers: strings.Join(cfg.On.Servers, ",") + cfg.On.Access.Chroot,
		known: &known{all: map[string]observedCluster{"": newObserved(cfg.On)}}, typed: cfg.Typed,
		past: pastPages{cfg.Site, cfg.Past, newJobs()},
		log:  cfg.Log, through: cfg.Through,
	}
	for _, n := range cfg.Named {
		s.known.names = append(s.known.names, n.Name)
		s.known.all[n.Name] = newObserved(n.On)
	}
	s.records = records{cfg.Site, cfg.Records, cfg.Tapped, s.past.jobs}
	s.startWatches(cfg)
	return s
}

// Close ends all searches and connections.
func (s *Pages) Close() {
	s.past.jobs.close()
	s.watches.close()
	s.known.close()
}

// State reports whether the cluster without a name can be reached, if that is known soon; empty if there is none.
func (s *Pages) State(ctx context.Context) string {
	if s.servers == "" {
		return ""
	}
	c, _ := s.known.of("")
	return c.prober.state(ctx)
}

// Sessions returns the number of open sessions for lists of locks.
func (s *Pages) Sessions() (n int) {
	for _, c := range s.known.list() {
		n += c.locks.Sessions()
	}
	return n
}

// Reads returns the number of read requests to clusters.
func (s *Pages) Reads() (n uint64) {
	for _, c := range s.known.list() {
		if c.on.Budget != nil {
			n += c.on.Budget.Reads()
		}
	}
	return n
}

// Routes returns the handlers by their addresses.
func (s *Pages) Routes() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"/live":                 s.live,
		connectAt:               s.connect,
		forgetAt:                s.forget,
		liveLocksAt:             s.liveLocks,
		hourAt:                  s.hour,
		hourFileAt:              s.serveHour,
		liveMomentAt:            s.liveMoment,
		historyFileAt:           s.serveHistory,
		recordsAt:               s.records.list,
		recordsAt + "/{name}":   s.records.show,
		recordFileAt + "{name}": s.records.serve,
		recordHourAt("{name}"):  s.records.hour,
		pastAt:                  s.past.show,
		pastAt + "/moment":      s.past.showMoment,
		pastHoldsAt:             s.past.holders,
	}
}
