package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/alarm"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/observe/ensemble"
	"github.com/zkviz/zkviz/engine/observe/locks"
)

// webhookFlag names who is told about troubles.
type webhookFlag struct {
	Webhook string `name:"webhook" placeholder:"URL" help:"Post a line of JSON to this http or https address for each new and each ended trouble of a lock, when no quorum is in sight or no server can be reached, when that is over, and when another server leads."`
}

// hook returns the webhook, or nil if there is none. Its errors don't contain the address.
func (f webhookFlag) hook(report func(level slog.Level, text, why string)) (*alarm.Webhook, error) {
	if f.Webhook == "" {
		return nil, nil
	}
	u, err := alarm.ParseURL(f.Webhook)
	if err != nil {
		return nil, fmt.Errorf("--webhook: %w", err)
	}
	return alarm.NewWebhook(alarm.WebhookConfig{URL: u, Say: lockText, Report: report}), nil
}

// alertFlags sets who is told about locks without looking at a page.
type alertFlags struct {
	webhookFlag
	MetricsPaths []string `name:"metrics-paths" placeholder:"PATH" help:"Give the locks at this znode and below it figures of their own in /metrics, besides those of the whole cluster. For a cluster in --clusters, write NAME:PATH. Separate several by commas."`
}

// maxMetricsPaths is the maximum number of paths with figures of their own: each has some dozens of series.
const maxMetricsPaths = 24

// configure sets in cfg who is told.
func (f alertFlags) configure(cfg *web.Config, metrics bool) (err error) {
	if f.Webhook != "" && len(cfg.ZK)+len(cfg.Named) == 0 {
		return errors.New("--webhook: name a ZooKeeper to watch, with --zk or --clusters")
	}
	log := cfg.Log
	cfg.Webhook, err = f.hook(func(level slog.Level, text, why string) {
		log.Log(context.Background(), level, text, "why", why)
	})
	if err != nil {
		return err
	}
	if len(f.MetricsPaths) > 0 && !metrics {
		return errors.New("--metrics-paths: say where to serve metrics, with --metrics-addr")
	}
	if cfg.MetricsPaths, err = clusterPaths(f.MetricsPaths, cfg, maxMetricsPaths); err != nil {
		return fmt.Errorf("--metrics-paths: %w", err)
	}
	return nil
}

// validateAlerts refuses unusable values of --fail-on and --webhook.
func (c *locksCmd) validateAlerts() error {
	switch {
	case c.Webhook != "" && !c.Follow:
		return errors.New("--webhook: add --follow, since only what is watched has new and ended troubles")
	case c.Webhook != "" && len(c.FailOn) > 0:
		return errors.New("--fail-on ends at the first trouble, before --webhook can post it: leave one out")
	}
	return c.failFlag.validate(c.Herds, c.Follow)
}

// sender sends troubles to the webhook, if there is one.
type sender struct {
	hook    *alarm.Webhook // nil for none
	cluster string
	of      *alarm.ServerDiff
}

func (s sender) locks(changes []locks.Change) {
	if s.hook != nil {
		s.hook.Send(s.cluster, changes, time.Now())
	}
}

// servers sends what is new in a state of the servers.
func (s sender) servers(now *ensemble.State) {
	if s.hook != nil && now.Number > 0 {
		s.hook.SendServers(s.cluster, s.of.Update(now), time.Now())
	}
}

// notify starts to send the troubles of a cluster to the webhook, if there is one. The caller calls end.
func (c *locksCmd) notify(term *terminal, cluster string) (send sender, end func(), err error) {
	hook, err := c.hook(func(_ slog.Level, text, why string) { term.complain("%s: %s", text, why) })
	if hook == nil {
		return sender{}, func() {}, err
	}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { hook.Run(ctx) })
	return sender{hook, cluster, new(alarm.ServerDiff)}, func() { stop(); running.Wait() }, nil
}
