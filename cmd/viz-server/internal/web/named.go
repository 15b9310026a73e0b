package web

import (
	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// chooseCluster fills in the clusters to choose from and the requested one: without a name, the first.
func (s *site) chooseCluster(p *page.LiveProps, name string) error {
	for _, n := range s.named {
		p.Clusters = append(p.Clusters, n.Name)
	}
	if name == "" && s.servers == "" && len(p.Clusters) > 0 {
		name = p.Clusters[0]
	}
	if name != "" && s.probers[name] == nil {
		name = protocol.Clip(name)
		if s.servers == "" && len(p.Clusters) > 0 {
			p.Cluster = p.Clusters[0]
		}
		return sentence.Error("refused.cluster", sentence.Quote(name))
	}
	p.Cluster = name
	return nil
}
