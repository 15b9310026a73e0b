package web

import (
	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/run/room"
)

// ClusterPath is a subtree of a cluster.
type ClusterPath struct {
	Cluster string // the cluster's name; empty for the unnamed one
	Path    string
}

// recording says where observations of the cluster with that name are recorded.
func (c Config) recording(name string) cluster.Recording {
	r := cluster.Recording{Folder: c.Record, Name: name}
	for _, p := range c.RecordPaths {
		if p.Cluster == name {
			r.Kept = append(r.Kept, p.Path)
		}
	}
	return r
}

// keepRecording records the RecordPaths until the server ends.
func (s *Server) keepRecording(cfg Config) {
	all := []cluster.Cluster{cfg.named()}
	for _, n := range cfg.Named {
		all = append(all, n.On)
	}
	for _, on := range all {
		for _, path := range on.Recording.Kept {
			s.background.Go(func() { s.keepRecordingOf(on, path) })
		}
	}
}

func (s *Server) keepRecordingOf(on cluster.Cluster, path string) {
	reported := ""
	for {
		err := on.KeepRecording(s.stop, path)
		if s.stop.Err() != nil {
			return
		}
		if why := inEnglish(err); why != reported {
			reported = why
			s.log.Warn("can't record; trying again", "path", path, "cluster", on.Recording.Name, "error", why)
		}
		hub.Pause(s.stop, room.RetryEvery)
	}
}
