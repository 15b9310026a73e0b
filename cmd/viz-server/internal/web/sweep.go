package web

import (
	"strings"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/cluster"
	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/run/room"
)

// sweep tells the operator whether the cluster can be reached. As soon as it can, sweep removes what a crashed server
// left there.
func (s *Server) sweep(cfg Config) {
	err := cluster.Reach(s.stop, cfg.Access, cfg.ZK)
	if err != nil {
		s.log.Warn("ZooKeeper is out of reach; trying again", "error", inEnglish(err))
		for err != nil && hub.Pause(s.stop, room.RetryEvery) {
			err = cluster.Reach(s.stop, cfg.Access, cfg.ZK)
		}
		if err != nil {
			return
		}
		s.log.Info("ZooKeeper is in reach", "servers", strings.Join(cfg.ZK, ","))
	}
	if cfg.ReadOnly {
		return
	}
	if err := cfg.Cluster.Sweep(s.stop); err != nil && s.stop.Err() == nil {
		s.log.Warn("can't remove what runs left in ZooKeeper", "error", inEnglish(WithAdvice(err)))
	}
}
