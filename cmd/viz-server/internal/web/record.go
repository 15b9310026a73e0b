package web

import (
	"cmp"
	"strings"

	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/run/recordings"
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

// shelf returns the recordings of this server and of others, or nil if there are none.
func (c Config) shelf() *recordings.Shelf {
	if c.Record == nil && c.Bus == nil {
		return nil
	}
	all := map[string]cluster.Cluster{"": c.named()}
	for _, n := range c.Named {
		all[n.Name] = n.On
	}
	of := func(name string) recordings.Cluster {
		on, known := all[name]
		switch {
		case c.Tap != nil: // what clients ask is for nobody else
			return recordings.Cluster{Label: cmp.Or(name, strings.Join(c.Tap.System().Addresses, ", "))}
		case !known: // it was, when that was recorded
			return recordings.Cluster{Group: "name:" + name, Label: name}
		}
		label := cmp.Or(name, strings.Join(on.Servers, ", ")+on.Access.Chroot)
		return recordings.Cluster{Group: groupOf(on), Label: label, Shared: mayShare(on)}
	}
	return recordings.New(recordings.Config{Folder: c.Record, Bus: c.Bus, Of: of, Log: c.Log})
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
