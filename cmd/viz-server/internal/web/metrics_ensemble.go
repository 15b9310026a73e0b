package web

import (
	"io"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/alarm"
	"github.com/zkviz/zkviz/engine/observe/ensemble"
	"github.com/zkviz/zkviz/engine/run/standby"
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

// Share is an ensemble that one of several servers joins for all.
type Share struct {
	Cluster string // its name; empty for ZK
	Standby *standby.Standby
}

// String says to an operator which server joins.
func (s Share) String() string {
	name := "the ensemble"
	if s.Cluster != "" {
		name += " of " + s.Cluster
	}
	if s.Standby.Joins() {
		return "this server is the observer of " + name
	}
	return "stands by: another server is the observer of " + name
}

// writeShares writes of which ensembles this server is the observer, and for which it stands by.
func writeShares(w io.Writer, shares []Share) {
	for _, s := range shares {
		cluster, joins := label("cluster", s.Cluster), s.Standby.Joins()
		sample(w, "zkviz_ensemble_joined", cluster, flag(joins))
		sample(w, "zkviz_ensemble_stands_by", cluster, flag(!joins))
	}
}
