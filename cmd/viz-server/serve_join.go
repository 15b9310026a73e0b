package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
)

// joinTimeout bounds the wait for all ensembles before the server answers.
const joinTimeout = 5 * time.Second

// joinEnsembles joins the ensembles that the flags and the file of clusters name, if any, and logs the progress. The
// caller calls leave at the end.
func (c *serveCmd) joinEnsembles(ctx context.Context, cfg *web.Config) (leave func(), err error) {
	var all []membership
	end := func() {
		for _, m := range all {
			m.leave()
		}
	}
	defer func() {
		if err != nil {
			end()
		}
	}()
	m, err := c.join(ctx, c.ZK, c.access, joinLog(ctx, cfg.Log), c.withOthers(cfg, "", c.ZK, c.access, cfg.Log))
	if err != nil {
		return nil, err
	}
	all, cfg.Feed = append(all, m), m.feed
	for i, n := range c.others {
		log := cfg.Log.With("cluster", n.Name)
		m, err := n.join.join(ctx, n.On.Servers, n.On.Access, joinLog(ctx, log),
			n.join.withOthers(cfg, n.Name, n.On.Servers, n.On.Access, log))
		if err != nil {
			return nil, fmt.Errorf("--clusters: %s: %w", n.Name, err)
		}
		all, cfg.Named[i].On.Feed = append(all, m), m.feed
	}
	inTime, cancel := context.WithTimeout(ctx, joinTimeout)
	defer cancel()
	for i, m := range all {
		if _, err := m.wait(inTime); err != nil {
			if i > 0 {
				err = fmt.Errorf("--clusters: %s: %w", c.others[i-1].Name, err)
			}
			return nil, err
		}
	}
	return end, nil
}

// joinLog reports the progress of joining to the log.
func joinLog(ctx context.Context, log *slog.Logger) joinReport {
	return func(level slog.Level, text, why string) {
		if why == "" {
			log.Log(ctx, level, text)
			return
		}
		log.Log(ctx, level, text, "why", why)
	}
}
