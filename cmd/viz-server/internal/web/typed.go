package web

import (
	live "github.com/zkviz/zkviz/cmd/viz-server/internal/web/cluster"
	"github.com/zkviz/zkviz/engine/observe"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/run/room"
)

// typedPosts returns the addresses of forms about typed ZooKeepers.
func typedPosts() []string { return live.Posts() }

// typed connects the pages that take a typed address with the stage, or returns nil if readers may type none.
func typed(cfg Config, stage *room.NamedClusters) *live.Typed {
	if cfg.Typed == nil {
		return nil
	}
	return &live.Typed{
		Cluster: func(servers, identities string) (Named, error) {
			n, err := cfg.Typed(servers, identities)
			n.On.Budget = &observe.Budget{}
			return n, err
		},
		Add:    func(name string, on cluster.Cluster) { stage.Add(name, on) },
		Remove: stage.Remove,
	}
}
