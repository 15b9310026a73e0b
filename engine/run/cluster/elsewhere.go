package cluster

import (
	"context"
	"crypto/rand"
	"encoding/hex"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/redis/wire"
	"github.com/zkviz/zkviz/engine/remote/real"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/sentence"
	"github.com/zkviz/zkviz/recipes"
)

// Elsewhere are the nodes that the operator named of systems that are not ZooKeeper.
type Elsewhere struct {
	Redis []wire.Address
	// Slow holds every message up for the scenario's latency, so that a person can follow.
	Slow bool
}

// Given reports whether any node is named.
func (e Elsewhere) Given() bool { return len(e.Redis) > 0 }

// Place is a root for one run, different each time.
func (Elsewhere) Place(s run.Scenario) run.Scenario {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	s.Root = wire.Roots + hex.EncodeToString(b[:])
	return s
}

// Header is that of the log of a scenario's run: its systems have as many nodes as were named.
func (e Elsewhere) Header(s run.Scenario) event.Header {
	h := s.Header(event.Cluster)
	for i := range h.Systems {
		if sys := &h.Systems[i]; sys.Kind == event.RedisSystem {
			sys.Servers = len(e.Redis)
		}
	}
	return h
}

// Run runs a scenario that Place has given its root, and removes what it made. A fault that comes in on inject,
// which may be nil, is carried out at once.
func (e Elsewhere) Run(ctx context.Context, s run.Scenario, sink event.Sink, inject <-chan fault.Fault) error {
	s = s.WithDefaults()
	if err := s.Validate(); err != nil {
		return err
	}
	r, err := run.Recipe(s.Recipe)
	if err != nil {
		return err
	}
	nodes, err := e.nodes(r)
	if err != nil {
		return err
	}
	programs := s.Processes(r)
	for i := 1; i < len(programs); i++ {
		programs[i].Start = max(programs[i].Start, headStart)
	}
	cfg := real.Config{Nodes: nodes, Root: s.Root, Recipe: s.Recipe, Faults: s.Faults,
		MaxEvents: min(s.MaxEvents, 10_000_000)}
	if e.Slow {
		cfg.Latency = s.Latency
	}
	if s.Lines {
		cfg.Source = r.File
	}
	return real.Run(ctx, cfg, programs, sink, inject)
}

// nodes are those that the recipe's programs talk to.
func (e Elsewhere) nodes(r recipes.Recipe) (nodes []real.Node, err error) {
	if event.HasZooKeeper(r.Systems) {
		return nil, sentence.Error("bad.elsewhere.zookeeper", sentence.Text(r.Name))
	}
	for _, sys := range r.Systems {
		switch {
		case sys.Kind != event.RedisSystem || len(e.Redis) == 0:
			return nil, sentence.Error("bad.elsewhere.none", sentence.Text(r.Name), sentence.Text(string(sys.Kind)))
		case sys.Apart && len(e.Redis) != sys.Servers:
			return nil, sentence.Error("bad.elsewhere.nodes", sentence.Text(r.Name), sentence.Number(sys.Servers),
				sentence.Number(len(e.Redis)))
		case !sys.Apart && len(e.Redis) != 1:
			return nil, sentence.Error("bad.elsewhere.nodes", sentence.Text(r.Name), sentence.Number(1),
				sentence.Number(len(e.Redis)))
		}
		for _, a := range e.Redis {
			nodes = append(nodes, a.Node())
		}
	}
	return nodes, nil
}
