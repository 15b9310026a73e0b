package web

import (
	"context"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/observe/record"
	"github.com/zkviz/zkviz/engine/run/room"
)

// RecordPath is a subtree of a cluster to record even when nobody looks.
type RecordPath struct {
	Cluster string // the cluster's name; empty for the unnamed one
	Path    string
}

// recorded is a ZooKeeper whose observations are recorded.
type recorded struct {
	room.ZooKeeper
	cluster string
	cfg     Config
}

// record wraps a ZooKeeper so that its observations are recorded, if the server records.
func (c Config) record(cluster string, zk room.ZooKeeper) room.ZooKeeper {
	if c.Record == nil {
		return zk
	}
	return recorded{zk, cluster, c}
}

// Observe implements room.ZooKeeper. It doesn't record a path twice that keepRecording already records.
func (r recorded) Observe(ctx context.Context, h event.Header, sink event.Sink) error {
	for _, p := range r.cfg.RecordPaths {
		if p.Cluster == r.cluster && p.Path == h.Root {
			return r.ZooKeeper.Observe(ctx, h, sink)
		}
	}
	return r.cfg.Record.Observe(ctx, r.cluster, h, sink, func(ctx context.Context, sink event.Sink) error {
		return r.ZooKeeper.Observe(ctx, h, sink)
	})
}

// keepRecording records the RecordPaths until the server ends.
func (s *Server) keepRecording(cfg Config) {
	for _, p := range cfg.RecordPaths {
		zk := room.ZooKeeper(cfg.Cluster)
		for _, n := range cfg.Named {
			if n.Name == p.Cluster {
				zk = n.On
			}
		}
		s.background.Go(func() { s.keepRecordingOf(cfg.Record, zk, p) })
	}
}

func (s *Server) keepRecordingOf(folder *record.Folder, zk room.ZooKeeper, p RecordPath) {
	said := ""
	for {
		err := folder.Keep(s.stop, p.Cluster, func() event.Header { return zk.Observed(p.Path) }, zk.Observe)
		if s.stop.Err() != nil {
			return
		}
		if why := inEnglish(err); why != said {
			said = why
			s.log.Warn("not recorded; trying again", "path", p.Path, "cluster", p.Cluster, "error", why)
		}
		hub.Pause(s.stop, room.RetryEvery)
	}
}
