package check_test

import (
	"context"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/host/sim"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/sql"
	sqlmodel "github.com/zkviz/zkviz/engine/stores/sql/model"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// sells lists ways to take one from a number in a row.
var sells = map[string]struct {
	loses bool
	sell  func(w systems.World, c *sql.Client) (done bool, err error)
}{
	"writes what it has computed": {true, func(w systems.World, c *sql.Client) (bool, error) {
		r, err := seen(w, c.Read)
		if err != nil {
			return false, err
		}
		return c.Write("n", r.N-1)
	}},
	"writes it in a transaction": {true, func(w systems.World, c *sql.Client) (bool, error) {
		r, err := seen(w, c.Read)
		if err == nil {
			err = c.Begin()
		}
		if err == nil {
			_, err = c.Write("n", r.N-1)
		}
		if err != nil {
			return false, err
		}
		return c.Commit()
	}},
	"writes it if the version is the same": {false, func(w systems.World, c *sql.Client) (bool, error) {
		r, err := seen(w, c.Read)
		if err != nil {
			return false, err
		}
		return c.WriteIfVersion("n", r.N-1, r.Version)
	}},
	"locks the row before it reads": {false, func(w systems.World, c *sql.Client) (bool, error) {
		if err := c.Begin(); err != nil {
			return false, err
		}
		r, err := seen(w, c.ReadForUpdate)
		if err == nil {
			_, err = c.Write("n", r.N-1)
		}
		if err != nil {
			return false, err
		}
		return c.Commit()
	}},
	"says by which number it is inside": {true, func(w systems.World, c *sql.Client) (bool, error) {
		r, _, err := c.Read("n")
		if err != nil {
			return false, err
		}
		held := program.Subject{Path: sql.Path(sql.Stock, "n"), Fence: r.Version}
		w.Phase(program.Holding, held)
		if err := w.Work(50 * time.Millisecond); err != nil {
			return false, err
		}
		w.Phase(program.Released, held)
		return c.Write("n", r.N-1)
	}},
	"has the database compute it": {false, func(_ systems.World, c *sql.Client) (bool, error) { return c.Add("n", -1) }},
}

// seen reads the row, reports which version it saw, and computes.
func seen(w systems.World, read func(string) (sql.Row, bool, error)) (sql.Row, error) {
	r, _, err := read("n")
	if err != nil {
		return r, err
	}
	w.Phase(program.Saw, program.Subject{Path: sql.Path(sql.Stock, "n"), Fence: r.Version})
	return r, w.Sleep(50 * time.Millisecond)
}

// TestLostUpdatesInDatabases makes four clients take one from a number, until each has done it: the client that
// overwrites a change breaks the rule, and only then is the number too large in the end.
func TestLostUpdatesInDatabases(t *testing.T) {
	const clients, before = 4, 10
	for _, d := range []sql.Dialect{sql.Postgres, sql.MySQL} {
		for name, c := range sells {
			left := int64(0)
			sells := func(w systems.World) error {
				db := sql.New(w.Connect(1), d)
				for {
					if done, err := c.sell(w, db); done || err != nil {
						return err
					}
				}
			}
			procs := []systems.Program{{Main: func(w systems.World) error {
				return sql.New(w.Connect(1), d).Insert("n", before)
			}}}
			for i := range clients {
				procs = append(procs, systems.Program{Main: sells, Start: time.Duration(100+10*i) * time.Millisecond})
			}
			procs = append(procs, systems.Program{Start: time.Minute / 2, Main: func(w systems.World) error {
				r, _, err := sql.New(w.Connect(1), d).Read("n")
				left = r.N
				return err
			}})
			checker := check.New([]string{promise.NoLostUpdate, promise.Clean, promise.Progress}, event.Header{Host: "sim",
				Keeps: []string{"stock"}, Systems: []event.System{{Kind: event.PostgresSystem, Servers: 1}}})
			cfg := sim.Config{NoZooKeeper: true, MaxTime: time.Minute, Systems: []sim.System{{Nodes: 1,
				New: func(id event.Actor, emit func(event.Event) event.Seq, seed uint64) remote.Node {
					return sqlmodel.New(sqlmodel.Config{ID: id, Emit: emit, Seed: seed, Dialect: d})
				}}}}
			if err := sim.Run(context.Background(), cfg, procs, checker); err != nil {
				t.Fatal(err)
			}
			broken := checker.Report().Violations
			for _, v := range broken {
				if err := checkSaid(v); err != nil || v.Rule != promise.NoLostUpdate {
					t.Errorf("%v, %s: %s: %v", d, name, said(v.Sentence), err)
				}
			}
			lost := left - (before - clients)
			if (len(broken) > 0) != c.loses || (lost > 0) != c.loses {
				t.Errorf("%v, %s: %d updates are lost, and these are found: %v", d, name, lost, broken)
			}
		}
	}
}
