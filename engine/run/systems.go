package run

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/host/sim"
	"github.com/zkviz/zkviz/engine/recipe"
	etcd "github.com/zkviz/zkviz/engine/stores/etcd/model"
	redis "github.com/zkviz/zkviz/engine/stores/redis/model"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/sql"
	rows "github.com/zkviz/zkviz/engine/stores/sql/model"
)

// models makes the simulated nodes of systems other than ZooKeeper.
var models = map[event.SystemKind]func(id event.Actor, emit func(event.Event) event.Seq, seed uint64) remote.Node{
	event.RedisSystem: func(id event.Actor, emit func(event.Event) event.Seq, _ uint64) remote.Node {
		return redis.New(redis.Config{ID: id, Emit: emit})
	},
	event.PostgresSystem: database(sql.Postgres),
	event.MySQLSystem:    database(sql.MySQL),
	event.EtcdSystem: func(id event.Actor, emit func(event.Event) event.Seq, _ uint64) remote.Node {
		return etcd.New(etcd.Config{ID: id, Emit: emit})
	},
}

// database makes simulated databases of a dialect.
func database(d sql.Dialect) func(event.Actor, func(event.Event) event.Seq, uint64) remote.Node {
	return func(id event.Actor, emit func(event.Event) event.Seq, seed uint64) remote.Node {
		return rows.New(rows.Config{ID: id, Emit: emit, Seed: seed, Dialect: d})
	}
}

// Scope returns what faults can target in the scenario's run: a ZooKeeper server if the recipe is unknown.
func (s Scenario) Scope() fault.Scope {
	r, _ := recipe.Find(s.Recipe)
	s.Servers = cmp.Or(s.Servers, r.Servers, 1)
	return s.scopeOf(r)
}

// Database returns the kind of database that a recipe's programs use, empty if none.
func Database(r recipe.Recipe) event.SystemKind {
	if i := slices.IndexFunc(r.Systems, isDatabase); i >= 0 {
		return r.Systems[i].Kind
	}
	return ""
}

func isDatabase(s event.System) bool { return s.Kind.HasTables() }

// On returns the recipe as the scenario runs it: on the database and with the store that the scenario names, if any.
func (s Scenario) On(r recipe.Recipe) recipe.Recipe {
	if i := otherStore(r, s.Store); i >= 0 {
		r.Drawing.Stores = r.OtherStores[i : i+1]
	}
	if s.Database == "" || s.Database == Database(r) {
		return r
	}
	r.Systems = slices.Clone(r.Systems)
	for i := range r.Systems {
		if isDatabase(r.Systems[i]) {
			r.Systems[i].Kind = s.Database
		}
	}
	return r
}

// scopeOf returns the Scope of a run of the recipe.
func (s Scenario) scopeOf(r recipe.Recipe) fault.Scope {
	in := fault.Scope{Clients: s.Clients, Nodes: event.NodesOf(r.Systems)}
	if event.HasZooKeeper(r.Systems) {
		in.Servers = s.Servers + s.Observers
	}
	return in
}

// Simulated converts the systems for the simulator.
func Simulated(systems []event.System) ([]sim.System, error) {
	var list []sim.System
	for _, s := range systems {
		if s.Kind == event.ZooKeeperSystem {
			continue
		}
		make, ok := models[s.Kind]
		if !ok {
			return nil, fmt.Errorf("the simulator has no system %q", s.Kind)
		}
		list = append(list, sim.System{Nodes: s.Servers, Apart: s.Apart, New: make})
	}
	return list, nil
}
