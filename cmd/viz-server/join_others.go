package main

import (
	"log/slog"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/observe/feed"
	"github.com/zkviz/zkviz/engine/run/standby"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
)

// withOthers returns how an ensemble is joined of which other servers may be observers already: one joins for all. It
// returns nil if there are no others, if there is nothing to join, or if this server signs in, since others need not be
// allowed to see what it sees.
func (f joinFlags) withOthers(
	cfg *web.Config, cluster string, servers []string, by access.Dialer, log *slog.Logger,
) feed.Learn {
	signsIn := len(by.Auth) > 0 || by.TLS != nil && len(by.TLS.Certificates) > 0 || f.JoinTLSCert != ""
	if cfg.Bus == nil || len(f.Join) == 0 || signsIn {
		return nil
	}
	name := func(all []string) string { return strings.Join(slices.Sorted(slices.Values(all)), ",") }
	s := standby.New(standby.Config{Bus: cfg.Bus, Ensemble: name(servers) + " " + name(f.Join), Log: log})
	cfg.Shares = append(cfg.Shares, web.Share{Cluster: cluster, Standby: s})
	return s.Follow
}
