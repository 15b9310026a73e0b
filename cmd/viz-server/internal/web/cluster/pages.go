// Package cluster serves the pages about the operator's clusters: Live with the list of locks and the moments of their
// handovers, the recordings, and the Past from transaction logs.
//
// It only reads. What a stage shows of a cluster comes from rooms, on a websocket of package web, which serves these
// pages.
package cluster

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strings"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/observe/past/index"
	"github.com/zkviz/zkviz/engine/observe/record"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/run/cluster/follow"
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
	Past    *index.Index   // transaction logs; nil if there are none
	Records *record.Folder // recordings; nil if nothing is recorded

	Tapped   bool   // a tap's observations are recorded
	Ensemble string // the ensemble behind the tap

	Log *slog.Logger
}

// Pages answers with the pages about clusters. Close it at the end.
type Pages struct {
	site     *site.Site
	servers  string                     // of the cluster without a name, empty if there is none
	names    []string                   // of the others
	clusters map[string]observedCluster // by name
	records  records
	past     pastPages
	log      *slog.Logger
}

// observedCluster is a cluster with what pages share about it.
type observedCluster struct {
	on     cluster.Cluster
	prober *prober
	locks  *follow.Locks
}

// New returns the pages about clusters.
func New(cfg Config) *Pages {
	s := &Pages{
		site: cfg.Site, servers: strings.Join(cfg.On.Servers, ",") + cfg.On.Access.Chroot,
		clusters: map[string]observedCluster{"": newObserved(cfg.On)}, past: pastPages{cfg.Site, cfg.Past, newJobs()},
		log: cfg.Log,
	}
	for _, n := range cfg.Named {
		s.names = append(s.names, n.Name)
		s.clusters[n.Name] = newObserved(n.On)
	}
	s.records = records{cfg.Site, cfg.Records, cfg.Tapped, cmp.Or(cfg.Ensemble, s.servers)}
	return s
}

func newObserved(on cluster.Cluster) observedCluster {
	return observedCluster{on, newProber(on.Access, on.Servers), follow.New(on)}
}

// Close ends all searches and connections.
func (s *Pages) Close() {
	s.past.jobs.close()
	for _, c := range s.clusters {
		c.locks.Close()
	}
}

// State reports whether the cluster without a name can be reached, if that is known soon; empty if there is none.
func (s *Pages) State(ctx context.Context) string {
	if s.servers == "" {
		return ""
	}
	return s.clusters[""].prober.state(ctx)
}

// Sessions returns the number of open sessions for lists of locks.
func (s *Pages) Sessions() (n int) {
	for _, c := range s.clusters {
		n += c.locks.Sessions()
	}
	return n
}

// Reads returns the number of read requests to clusters.
func (s *Pages) Reads() (n uint64) {
	for _, c := range s.clusters {
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
		liveLocksAt:             s.liveLocks,
		liveMomentAt:            s.liveMoment,
		historyFileAt:           s.serveHistory,
		recordsAt:               s.records.list,
		recordsAt + "/{name}":   s.records.show,
		recordFileAt + "{name}": s.records.serve,
		pastAt:                  s.past.show,
		pastAt + "/moment":      s.past.showMoment,
	}
}
