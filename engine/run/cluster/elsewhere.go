package cluster

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/host/realtime"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	etcd "github.com/zkviz/zkviz/engine/stores/etcd/wire"
	redis "github.com/zkviz/zkviz/engine/stores/redis/wire"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
	"github.com/zkviz/zkviz/engine/stores/sql/mysql"
	"github.com/zkviz/zkviz/engine/stores/sql/pg"
)

// Elsewhere holds the operator's nodes of systems other than ZooKeeper. Its zero value has none.
type Elsewhere map[event.SystemKind][]Node

// Node returns the node for a run with that root.
type Node func(root string) real.Node

// A parse reads a node's address with its credentials. If it has no password, environment supplies it, under the
// names of the system's own command line.
type parse func(address string, environment func(string) string) (Node, error)

// kinds lists the systems that can be named, with their parsers.
var kinds = map[event.SystemKind]parse{
	event.RedisSystem: func(address string, environment func(string) string) (Node, error) {
		a, err := redis.Parse(address)
		if a.Password == "" {
			a.Password = environment("REDISCLI_AUTH")
		}
		return func(string) real.Node { return a.Node() }, err
	},
	event.PostgresSystem: func(address string, _ func(string) string) (Node, error) {
		cfg, err := pg.Parse(address) // the driver reads libpq's variables
		return cfg.Node, err
	},
	event.MySQLSystem: func(address string, environment func(string) string) (Node, error) {
		cfg, err := mysql.Parse(address)
		if cfg.Password == "" {
			cfg.Password = environment("MYSQL_PWD")
		}
		return cfg.Node, err
	},
	event.EtcdSystem: func(address string, environment func(string) string) (Node, error) {
		a, err := etcd.Parse(address)
		if a.Password == "" {
			a.Password = environment("ETCDCTL_PASSWORD")
		}
		return func(string) real.Node { return a.Node() }, err
	},
}

// Add adds the node of a system at an address. Its errors never contain a password.
func (e Elsewhere) Add(kind event.SystemKind, address string, environment func(string) string) error {
	node, err := kinds[kind](strings.TrimSpace(address), environment)
	if err != nil {
		return fmt.Errorf("--%s: %w", kind, err)
	}
	e[kind] = append(e[kind], node)
	return nil
}

// header sets the number of nodes that were named.
func (e Elsewhere) header(h event.Header) event.Header {
	h.Systems = slices.Clone(h.Systems)
	for i := range h.Systems {
		if n := len(e[h.Systems[i].Kind]); n > 0 {
			h.Systems[i].Servers = n
		}
	}
	return h
}

// addresses returns the addresses of a system's nodes.
func (e Elsewhere) addresses(kind event.SystemKind) (all []string) {
	for _, node := range e[kind] {
		all = append(all, node("").At)
	}
	return all
}

// Databases returns the kinds of the named databases, sorted.
func (e Elsewhere) Databases() []event.SystemKind {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(e)), func(k event.SystemKind) bool { return !k.HasTables() })
}

// DatabasesOf returns the databases for a recipe that should run on all named ones: just the empty kind, which
// stands for the recipe's own, if it uses none or none is named.
func (e Elsewhere) DatabasesOf(r recipe.Recipe) []event.SystemKind {
	named := e.Databases()
	if run.Database(r) == "" || len(named) == 0 {
		return []event.SystemKind{""}
	}
	return named
}

// Has reports whether all systems of the scenario are named.
func (c Cluster) Has(s run.Scenario) bool {
	r, err := c.recipe(s)
	return err == nil && !slices.ContainsFunc(r.Systems, func(sys event.System) bool {
		return sys.Kind != event.ZooKeeperSystem && len(c.Elsewhere[sys.Kind]) == 0
	}) && (len(c.Servers) > 0 || !event.HasZooKeeper(r.Systems))
}

// nodes returns the nodes that the recipe's programs talk to. An error says which are missing.
func (e Elsewhere) nodes(r recipe.Recipe, root string) (nodes []real.Node, err error) {
	for _, sys := range r.Systems {
		named, want := e[sys.Kind], 1
		if sys.Apart {
			want = sys.Servers
		}
		switch {
		case sys.Kind == event.ZooKeeperSystem:
			continue
		case len(named) == 0:
			return nil, sentence.Error("bad.elsewhere.none", sentence.Text(r.Name), sentence.Text(string(sys.Kind)))
		case len(named) != want:
			return nil, sentence.Error("bad.elsewhere.nodes", sentence.Text(r.Name), sentence.Number(want),
				sentence.Number(len(named)))
		}
		for _, node := range named {
			nodes = append(nodes, node(root))
		}
	}
	return nodes, nil
}

// runElsewhere runs a recipe without ZooKeeper, like Run.
func (c Cluster) runElsewhere(ctx context.Context, s run.Scenario, r recipe.Recipe, sink event.Sink,
	inject <-chan fault.Fault) error {
	nodes, err := c.Elsewhere.nodes(r, s.Root)
	if err != nil {
		return err
	}
	cfg := realtime.Config{Nodes: nodes, Root: s.Root, Recipe: s.Recipe, Faults: s.Faults,
		MaxEvents: min(s.MaxEvents, 10_000_000), Latency: c.latency(s), Connected: c.AtOnce}
	if s.Lines {
		cfg.Source = r.File
	}
	return realtime.Run(ctx, cfg, c.processes(s, r), sink, inject)
}
