package cluster

import (
	"context"
	"fmt"
	"strconv"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/ensemble"
	"github.com/zkviz/zkviz/engine/run/cluster/follow"
)

// ensembleOf returns how a cluster's servers are, or nil if nobody can tell.
func ensembleOf(ctx context.Context, from follow.Ensemble) *page.EnsembleProps {
	s, known := from.Ensemble(ctx)
	if !known {
		return nil
	}
	p := &page.EnsembleProps{Says: s.Says(),
		Trouble: s.Quorum == ensemble.Lost || s.Quorum == ensemble.Unreached}
	for i := range s.Servers {
		p.Servers = append(p.Servers, ensembleServer(&s.Servers[i]))
	}
	for i := range s.Changes {
		c := &s.Changes[len(s.Changes)-1-i]
		p.Changes = append(p.Changes, page.EnsembleChange{At: htmlTime(c.MS), Says: c.Tells(s.Name)})
	}
	return p
}

func ensembleServer(s *ensemble.Server) page.EnsembleServer {
	one := page.EnsembleServer{Addr: s.Addr, Mode: s.Mode, Version: s.Version, Why: s.Why}
	if !s.Tells() {
		return one
	}
	one.Zxid, one.Behind = fmt.Sprintf("%#x", uint64(s.Zxid)), strconv.FormatInt(s.Behind, 10)
	if s.BehindMore {
		one.Behind = "≥ " + one.Behind
	}
	one.Connections = strconv.FormatInt(s.Connections, 10)
	one.Outstanding = strconv.FormatInt(s.Outstanding, 10)
	one.Latency = ensemble.Milliseconds(s.LatencyMS) + " / " + strconv.FormatInt(s.MaxLatencyMS, 10)
	r, now := s.Rates()
	if r.SpanMS == 0 {
		return one
	}
	one.Reads, one.Writes = served(&r, r.Reads), served(&r, r.Writes)
	one.Failures = ensemble.Failed(&r.Failures)
	one.Span = sentence.Of("live.ensemble.span.start", sentence.Sentences(handover.Lapse(r.SpanMS)))
	if now {
		one.Span = sentence.Of("live.ensemble.span", sentence.Sentences(handover.Took(r.SpanMS)))
	}
	return one
}

// served writes how many requests a server serves a second, and how long it takes for one on average.
func served(r *ensemble.Rates, n ensemble.Served) string {
	return sentence.Tenths(r.PerSecond(n)) + " / " + ensemble.Milliseconds(n.AverageMS())
}
