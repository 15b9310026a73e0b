package web

import (
	"io"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/alarm"
	"github.com/zkviz/zkviz/engine/observe/ensemble"
)

// writeEnsemble writes how a cluster's servers are, as far as they say.
func writeEnsemble(w io.Writer, watch *alarm.Watch, cluster string) {
	s, leaders, known := watch.Ensemble()
	if !known {
		return
	}
	switch s.Quorum {
	case ensemble.Serves:
		sample(w, "zkviz_ensemble_quorum", cluster, 1)
	case ensemble.Lost:
		sample(w, "zkviz_ensemble_quorum", cluster, 0)
	}
	sample(w, "zkviz_ensemble_leader_changes_total", cluster, float64(leaders))
	away, behind, tells := 0, int64(0), false
	for i := range s.Servers {
		one := &s.Servers[i]
		if one.Away {
			away++
		}
		behind, tells = max(behind, one.Behind), tells || one.Tells()
	}
	sample(w, "zkviz_ensemble_servers_away", cluster, float64(away))
	if s.Sessions >= 0 {
		sample(w, "zkviz_ensemble_sessions", cluster, float64(s.Sessions))
	}
	if tells {
		sample(w, "zkviz_ensemble_behind_transactions", cluster, float64(behind))
		sample(w, "zkviz_ensemble_connections", cluster, float64(s.Connections))
		sample(w, "zkviz_ensemble_outstanding_requests", cluster, float64(s.Outstanding))
		sample(w, "zkviz_ensemble_latency_seconds", cluster, s.LatencyMS/1000)
	}
}
