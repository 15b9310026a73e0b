package cluster

import (
	"context"
	"sync"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/alarm"
)

// watches look at the locks of all clusters, for metrics and the webhook.
type watches struct {
	all     []*alarm.Watch // by name of the cluster, the one without a name first
	end     context.CancelFunc
	running sync.WaitGroup
}

// startWatches starts a watch for each cluster that the operator has named.
func (s *Pages) startWatches(cfg Config) {
	ctx, end := context.WithCancel(context.Background())
	s.watches.end = end
	if cfg.Webhook != nil {
		s.watches.running.Go(func() { cfg.Webhook.Run(ctx) })
	}
	for _, name := range append([]string{""}, s.known.names...) {
		if name == "" && s.servers == "" {
			continue
		}
		c, _ := s.known.of(name)
		w := alarm.NewWatch(alarm.WatchConfig{Cluster: name, Place: s.place(name), Locks: c.locks, Webhook: cfg.Webhook,
			Paths: cfg.MetricsPaths[name], Asks: c.on.Sessions != nil})
		s.watches.all = append(s.watches.all, w)
		s.watches.running.Go(func() { w.Run(ctx) })
	}
}

// place returns how a cluster is called where it needs a name: its servers, if it has none.
func (s *Pages) place(name string) string {
	if name == "" {
		return s.servers
	}
	return name
}

// close ends all watches. Nobody asks for locks after that.
func (w *watches) close() {
	w.end()
	w.running.Wait()
}

// Watches returns the watches of all clusters. Each looks only while somebody asks for its state, or a webhook wants
// the troubles.
func (s *Pages) Watches() []*alarm.Watch { return s.watches.all }
