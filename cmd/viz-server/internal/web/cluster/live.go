package cluster

import (
	"context"
	"net/http"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// live answers /live?path=PATH&cluster=NAME.
func (s *Pages) live(w http.ResponseWriter, r *http.Request) {
	p := page.LiveProps{Frame: s.site.Frame(r, "live"), Path: r.URL.Query().Get("path")}
	status := http.StatusOK
	if err := s.chooseCluster(&p, r.URL.Query().Get("cluster")); err != nil {
		status, p.Error = http.StatusBadRequest, sentence.From(err)
	} else if p.Path != "" {
		if err := protocol.ValidatePath(p.Path); err != nil {
			status, p.Path, p.Error = http.StatusBadRequest, protocol.Clip(p.Path), sentence.From(err)
		}
	}
	p.Moment, p.Znode = readMoment(r)
	c, _ := s.known.of(p.Cluster)
	p.Joined = c.on.Feed != nil && c.on.Feed.Joined()
	if p.Path == "" || p.Error.Key != "" {
		p.Away = s.whyUnreachable(r.Context(), p.Cluster)
	} else {
		s.fillLastKnown(r.Context(), &p, time.Now().UnixMilli())
	}
	s.site.Render(w, r, status, page.Live(p))
}

// chooseCluster fills in the clusters to choose from and the requested one: without a name, the first.
func (s *Pages) chooseCluster(p *page.LiveProps, name string) error {
	p.Clusters, p.Recent = s.known.choices()
	p.MayType = s.typed != nil
	if name == "" && s.servers == "" && len(p.Clusters) > 0 {
		name = p.Clusters[0]
	}
	if _, ok := s.known.of(name); !ok {
		name = protocol.Clip(name)
		if s.servers == "" && len(p.Clusters) > 0 {
			p.Cluster = p.Clusters[0]
		}
		return sentence.Error("refused.cluster", sentence.Quote(name))
	}
	p.Cluster = name
	return nil
}

// whyUnreachable explains why the cluster is out of reach now; empty if it isn't or if there is none.
func (s *Pages) whyUnreachable(ctx context.Context, name string) (why sentence.Sentence) {
	if name == "" && s.servers == "" {
		return why
	}
	c, ok := s.known.of(name)
	if !ok {
		return why
	}
	if err := c.prober.reach(ctx); err != nil {
		return sentence.From(err)
	}
	return why
}
