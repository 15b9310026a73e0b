package realtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/host/realtime"
	"github.com/zkviz/zkviz/engine/host/sim"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/sql/model"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/engine/testing/sqltest"
)

// database is a real database, with its dialect.
type database struct {
	dialect sql.Dialect
	node    func(root string) real.Node
}

// scene is what programs do on a database. The log must say the same of it for a simulated and for a real one.
type scene struct {
	name     string
	programs []func(w systems.World, c *sql.Client) error
	// fault is injected when the log has that many events of the kind after, within 20 s of a simulated run.
	fault string
	after event.Kind
	times int
	// later runs after the client with the fault has ended, nil for no such client.
	later func(w systems.World, c *sql.Client) error
	// unseen are lines of the simulated log, the last of each kind, that can't be known for a real database.
	unseen []string
	// loose lines may be anywhere: a client may read a row before the client that wrote it gets its reply.
	loose []string
}

// locked is the row by which a client tells the others that it holds the lock on the stock.
const locked = "locked"

// await waits for a row that another client inserts when it gets to some point.
func await(w systems.World, c *sql.Client, id string) error {
	for {
		_, there, err := c.Read(id)
		if there || err != nil {
			return err
		}
		if err := w.Sleep(5 * time.Millisecond); err != nil {
			return err
		}
	}
}

// say inserts a row that another client may await, outside of the current transaction.
func say(w systems.World, c *sql.Client, id string) error {
	own := sql.New(w.Connect(1), c.Dialect())
	defer own.Close()
	return own.Insert(id, 0)
}

// lock begins a transaction and locks the row of the stock.
func lock(c *sql.Client) (sql.Row, error) {
	if err := c.Begin(); err != nil {
		return sql.Row{}, err
	}
	row, there, err := c.ReadForUpdate("seats")
	if err == nil && !there {
		err = errors.New("there is no row")
	}
	return row, err
}

func commit(c *sql.Client) error {
	done, err := c.Commit()
	if err == nil && !done {
		err = errors.New("it was rolled back")
	}
	return err
}

// buy takes one from the stock, in a transaction.
func buy(w systems.World, c *sql.Client) error {
	row, err := lock(c)
	if err != nil {
		return err
	}
	if _, err := c.Write("seats", row.N-1); err != nil {
		return err
	}
	return commit(c)
}

// stuck holds the lock on the row, and another lock, for as long as it lives.
func stuck(w systems.World, c *sql.Client) error {
	if err := c.Insert("seats", 3); err != nil {
		return err
	}
	if _, err := lock(c); err != nil {
		return err
	}
	if _, err := c.Write("seats", 0); err != nil {
		return err
	}
	if err := insertLock(c, "door", "client-1"); err != nil {
		return err
	}
	if err := say(w, c, locked); err != nil {
		return err
	}
	return w.Sleep(time.Hour)
}

var scenes = []scene{
	{name: "for update", programs: []func(systems.World, *sql.Client) error{
		func(w systems.World, c *sql.Client) error {
			if err := c.Insert("seats", 3); err != nil {
				return err
			}
			if _, err := lock(c); err != nil {
				return err
			}
			if err := errors.Join(say(w, c, locked), w.Work(program.UntilSettled)); err != nil {
				return err
			}
			if _, err := c.Add("seats", -1); err != nil {
				return err
			}
			return commit(c)
		},
		func(w systems.World, c *sql.Client) error {
			return errors.Join(await(w, c, locked), buy(w, c))
		},
	}},
	{name: "the end of a holder", fault: "crash client-1 at 20s", after: event.RequestWaits, times: 1,
		programs: []func(systems.World, *sql.Client) error{stuck, func(w systems.World, c *sql.Client) error {
			return errors.Join(await(w, c, locked), buy(w, c))
		}}},
	{name: "the end of a waiter, which the database notices when it has got the lock",
		fault: "crash client-2 at 20s", after: event.RequestWaits, times: 1,
		programs: []func(systems.World, *sql.Client) error{
			func(w systems.World, c *sql.Client) error {
				if err := errors.Join(c.Insert("seats", 3), c.Insert("mine", 1)); err != nil {
					return err
				}
				if _, err := lock(c); err != nil {
					return err
				}
				other := sql.New(w.Connect(1), c.Dialect())
				return errors.Join(other.Insert("first", 0), await(w, other, "crashed"), commit(c))
			},
			func(w systems.World, c *sql.Client) error {
				if err := errors.Join(await(w, c, "first"), c.Begin()); err != nil {
					return err
				}
				_, err := c.Write("mine", 2)
				_, err2 := c.Write("seats", 5)
				return errors.Join(err, err2)
			},
		}, later: func(w systems.World, c *sql.Client) error { return c.Insert("crashed", 1) },
		loose: []string{`entry.set client-3 stock/crashed "n=1, version 1" none`,
			`entry.set client-1 stock/first "n=0, version 1" none`},
		unseen: []string{
			`lock.taken client-2 stock/seats "" tx=2 none`,
			`entry.set client-2 stock/seats "n=5, version 2" tx=2 none`,
			`entry.set client-1 stock/seats "n=3, version 1" none`,
			`lock.freed client-2 stock/seats "" tx=2 lost`,
		}},
	{name: "names", programs: []func(systems.World, *sql.Client) error{
		func(w systems.World, c *sql.Client) error {
			if err := errors.Join(c.AdvisoryLock("a"), c.AdvisoryLock("a"), c.Insert("go", 1)); err != nil {
				return err
			}
			if err := w.Work(program.UntilSettled); err != nil {
				return err
			}
			yes, err := c.AdvisoryUnlock("a")
			again, err2 := c.AdvisoryUnlock("a")
			none, err3 := c.AdvisoryUnlock("a")
			if !yes || !again || none {
				return errors.New("it was not locked twice")
			}
			return errors.Join(err, err2, err3)
		},
		func(w systems.World, c *sql.Client) error {
			if err := await(w, c, "go"); err != nil {
				return err
			}
			if r, err := c.Do(sql.Call{Statement: sql.AdvisoryTry, Row: "a"}); r.Yes || err != nil {
				return fmt.Errorf("%t %w", r.Yes, err)
			}
			if err := c.AdvisoryLock("a"); err != nil {
				return err
			}
			c.Close()
			return nil
		},
	}, loose: []string{`entry.set client-1 stock/go "n=1, version 1" none`}},
	{name: "rows", programs: []func(systems.World, *sql.Client) error{
		func(w systems.World, c *sql.Client) error {
			var dup *sql.Error
			if err := insertLock(c, "door", "a"); err != nil {
				return err
			}
			if err := insertLock(c, "door", "b"); !errors.As(err, &dup) || !dup.Duplicate() {
				return err
			}
			if got, err := c.TryInsertLock("door", "b"); got || err != nil {
				return err
			}
			if got, err := c.DeleteLock("door", "b"); got || err != nil {
				return err
			}
			if got, err := c.DeleteLock("door", "a"); !got || err != nil {
				return err
			}
			if got, err := c.TryInsertLock("door", "b"); !got || err != nil {
				return err
			}
			if err := errors.Join(c.Insert("n", 1), c.Begin()); err != nil {
				return err
			}
			if got, err := c.WriteIfVersion("n", 7, 1); !got || err != nil {
				return err
			}
			if got, err := c.WriteIfVersion("n", 8, 1); got || err != nil {
				return err
			}
			if _, err := c.Add("n", 3); err != nil {
				return err
			}
			if _, err := c.DeleteLock("door", "b"); err != nil {
				return err
			}
			if err := c.Rollback(); err != nil {
				return err
			}
			if _, _, err := c.ReadForUpdate("n"); err != nil {
				return err
			}
			if err := c.Begin(); err != nil {
				return err
			}
			if _, err := c.Add("n", 3); err != nil {
				return err
			}
			return commit(c)
		},
	}},
	{name: "leases", programs: []func(systems.World, *sql.Client) error{
		func(w systems.World, c *sql.Client) error {
			var all []any
			for _, owner := range []string{"a", "b"} {
				fence, err := c.TakeLease("door", owner, time.Hour)
				all = append(all, fence, err)
			}
			for _, owner := range []string{"a", "b"} {
				r, err := c.Do(sql.Call{Statement: sql.RenewLease, Row: "door", Text: owner, For: 2 * time.Hour})
				all = append(all, r.Rows > 0, err)
			}
			released, err := c.ReleaseLease("door", "a")
			fence, err2 := c.TakeLease("door", "b", time.Hour)
			all = append(all, released, err, fence, err2)
			if got := fmt.Sprint(all...); got != "1 <nil> 0 <nil> true <nil> false <nil> true <nil> 2 <nil>" {
				return errors.New(got)
			}
			return nil
		},
	}},
	{name: "an error within a transaction", programs: []func(systems.World, *sql.Client) error{
		func(w systems.World, c *sql.Client) error {
			if err := errors.Join(insertLock(c, "door", "a"), c.Insert("n", 1), c.Begin()); err != nil {
				return err
			}
			if _, err := c.Write("n", 5); err != nil {
				return err
			}
			_ = insertLock(c, "door", "b")
			_, _ = c.Write("n", 6)
			_, err := c.Commit()
			return err
		},
	}},
}

// client returns a program of a scene as one of a run.
func client(d sql.Dialect, main func(systems.World, *sql.Client) error) func(systems.World) error {
	return func(w systems.World) error { return main(w, sql.New(w.Connect(1), d)) }
}

func (s scene) play(t *testing.T, d database) *event.Log {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	var programs []systems.Program
	for _, main := range s.programs {
		programs = append(programs, systems.Program{Main: client(d.dialect, main)})
	}
	if s.later != nil {
		programs = append(programs, systems.Program{Main: client(d.dialect, s.later), After: 2})
	}
	log := &event.Log{}
	root := real.NewRoot()
	inject, seen := make(chan fault.Fault, 1), 0
	sink := onEvent(func(e event.Event) {
		log.Append(e)
		if s.fault != "" && e.Kind == s.after {
			if seen++; seen == s.times {
				inject <- s.faults(t)[0]
			}
		}
	})
	cfg := realtime.Config{Nodes: []real.Node{d.node(root)}, Root: root, Recipe: s.name}
	if err := realtime.Run(ctx, cfg, programs, sink, inject); err != nil {
		t.Fatal(err)
	}
	return log
}

type onEvent func(event.Event)

func (f onEvent) Append(e event.Event) { f(e) }

func (s scene) faults(t *testing.T) []fault.Fault {
	if s.fault == "" {
		return nil
	}
	list, err := fault.ParseAll([]string{s.fault}, fault.Scope{Nodes: 1})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// simulate plays the scene on the simulator.
func (s scene) simulate(t *testing.T, d sql.Dialect) *event.Log {
	t.Helper()
	var programs []systems.Program
	for _, main := range s.programs {
		programs = append(programs, systems.Program{Main: client(d, main)})
	}
	if s.later != nil {
		programs = append(programs, systems.Program{Main: client(d, s.later), After: 2})
	}
	log := &event.Log{}
	cfg := sim.Config{NoZooKeeper: true, Faults: s.faults(t), Systems: []sim.System{{Nodes: 1,
		New: func(id event.Actor, emit func(event.Event) event.Seq, seed uint64) remote.Node {
			return model.New(model.Config{ID: id, Emit: emit, Seed: seed, Dialect: d})
		}}}}
	if err := sim.Run(context.Background(), cfg, programs, log); err != nil {
		t.Fatal(err)
	}
	return log
}

// told returns what a log says about the node, one line each. It omits the row locked, which another client may read
// before its writer gets the reply.
func told(log *event.Log) string {
	var b strings.Builder
	for _, e := range log.Events {
		if e.Actor.Kind() == event.ANode && e.Kind != event.MsgSent && e.Kind != event.MsgReceived &&
			e.Path != sql.Path(sql.Stock, locked) {
			fmt.Fprintf(&b, "%v %v %s %q", e.Kind, e.Peer, e.Path, e.Text)
			if e.Session != 0 {
				fmt.Fprintf(&b, " tx=%d", e.Session)
			}
			fmt.Fprintf(&b, " %v\n", e.Reason)
		}
		if e.Kind == event.ClientExited && e.Text != "" {
			fmt.Fprintf(&b, "%v failed: %s\n", e.Actor, e.Text)
		}
	}
	return b.String()
}

// TestDatabases plays scenes on real databases, and checks that the log says the same as for simulated ones.
func TestDatabases(t *testing.T) {
	p, m := sqltest.SharedPostgres(t), sqltest.SharedMariaDB(t)
	m.Database = ""
	for name, d := range map[string]database{"postgres": {sql.Postgres, p.Node}, "mariadb": {sql.MySQL, m.Node}} {
		for _, s := range scenes {
			t.Run(name+"/"+s.name, func(t *testing.T) {
				got, want := told(s.play(t, d)), told(s.simulate(t, d.dialect))
				for _, line := range s.loose {
					for _, log := range []*string{&got, &want} {
						if !strings.Contains(*log, line+"\n") {
							t.Errorf("there's no %q in\n%s", line, *log)
						}
						*log = strings.Replace(*log, line+"\n", "", 1)
					}
				}
				for _, line := range s.unseen {
					i := strings.LastIndex(want, line+"\n")
					if i < 0 {
						t.Fatalf("the simulated one's log has no %q:\n%s", line, want)
					}
					want = want[:i] + want[i+len(line)+1:]
				}
				if strings.Contains(want, "failed:") {
					t.Errorf("a program failed:\n%s", want)
				}
				if got != want {
					t.Errorf("the log of the real one says\n%s\nthat of the simulated one\n%s", got, want)
				}
			})
		}
	}
}

// insertLock inserts a row for a resource, and fails if there is one.
func insertLock(c *sql.Client, resource, owner string) error {
	_, err := c.Do(sql.Call{Statement: sql.InsertLock, Row: resource, Text: owner})
	return err
}
