package main

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/run/class/across"
	"github.com/zkviz/zkviz/engine/run/owners"
	"github.com/zkviz/zkviz/engine/run/relay"
	"github.com/zkviz/zkviz/engine/run/shared"
)

// natsFlags sets with which servers classes are shared, and where they are kept.
type natsFlags struct {
	NATS      string `name:"nats" placeholder:"URL" help:"A NATS with JetStream over which several servers share classes and what they observe of --zk, like nats://nats-1:4222,nats://nats-2:4222, or tls:// (default: none; the server runs a NATS inside, without a port). Keep credentials in ZKVIZ_NATS, --config or --nats-creds."`
	NATSCreds string `name:"nats-creds" placeholder:"FILE" help:"A file with credentials for --nats, as the tools of NATS write it."`
	ClassDir  string `name:"class-dir" placeholder:"DIR" help:"Keep classes in this folder, so that they outlast a restart of the server. With --nats, NATS keeps them."`
}

// share connects classes with other servers, or with a NATS inside. The caller calls end when the pages are closed.
func (f natsFlags) share(cfg *web.Config, log *slog.Logger) (end func(), err error) {
	if f.NATS != "" && f.ClassDir != "" {
		return nil, errors.New("--class-dir: with --nats, classes are kept there; leave one out")
	}
	if f.NATSCreds != "" && f.NATS == "" {
		return nil, errors.New("--nats-creds: name the NATS with --nats")
	}
	nats := shared.Config{URL: f.NATS, Creds: f.NATSCreds, Dir: f.ClassDir, Log: log}
	lines, err := across.New(across.Config{Shared: nats})
	switch {
	case err == nil:
		cfg.Classes = lines
		if lines.Among() {
			cfg.Live, cfg.Bus = relay.New(lines.Bus, log), lines.Bus
			cfg.Owners = owners.New(lines.Bus, nats.Hosts())
		}
		return lines.Close, nil
	case f.ClassDir != "":
		return nil, fmt.Errorf("--class-dir: %w", err)
	}
	return nil, fmt.Errorf("--nats: %w", err)
}
