package sim_test

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
	"github.com/zkviz/zkviz/engine/host/sim"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/sql/model"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// database runs programs on one database, with a fault.
func database(t *testing.T, d sql.Dialect, what string, mains ...func(systems.World) error) []event.Event {
	t.Helper()
	cfg := sim.Config{NoZooKeeper: true, Seed: 1, MaxTime: time.Minute, Systems: []sim.System{{Nodes: 1,
		New: func(id event.Actor, emit func(event.Event) event.Seq, seed uint64) remote.Node {
			return model.New(model.Config{ID: id, Emit: emit, Seed: seed, Dialect: d})
		}}}}
	if what != "" {
		f, err := fault.Parse(what)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Faults = append(cfg.Faults, f)
	}
	var procs []systems.Program
	for _, main := range mains {
		procs = append(procs, systems.Program{Main: main})
	}
	var log event.Log
	if err := sim.Run(context.Background(), cfg, procs, &log); err != nil {
		t.Fatal(err)
	}
	return log.Events
}

// TestForUpdateCounts checks that clients which read, compute and write under FOR UPDATE lose nothing.
func TestForUpdateCounts(t *testing.T) {
	for _, d := range []sql.Dialect{sql.Postgres, sql.MySQL} {
		got := int64(0)
		add := func(w systems.World) error {
			c := sql.New(w.Connect(1), d)
			_ = c.Insert("n", 0) // unless another client has
			for range 5 {
				if err := c.Begin(); err != nil {
					return err
				}
				row, there, err := c.ReadForUpdate("n")
				if err != nil || !there {
					return fmt.Errorf("read: %t, %w", there, err)
				}
				if err := w.Work(100 * time.Millisecond); err != nil {
					return err
				}
				if _, err := c.Write("n", row.N+1); err != nil {
					return err
				}
				if done, err := c.Commit(); err != nil || !done {
					return fmt.Errorf("commit: %t, %w", done, err)
				}
				got = row.N + 1
			}
			return nil
		}
		database(t, d, "", add, add, add)
		if got != 15 {
			t.Errorf("dialect %d: three clients counted to 15, and it is %d", d, got)
		}
	}
}

// TestTransactionIsNotContinued checks that after a restart, the database carries out nothing more of a transaction
// that it rolled back: the client refuses its statements, and the log tells that.
func TestTransactionIsNotContinued(t *testing.T) {
	write, commit, after := errors.New("none"), errors.New("none"), sql.Row{}
	log := database(t, sql.Postgres, "restart node-1 at 1s for 500ms", func(w systems.World) error {
		c := sql.New(w.Connect(1), sql.Postgres)
		if err := c.Insert("n", 1); err != nil {
			return err
		}
		_ = c.Begin()
		_ = w.Sleep(3 * time.Second)
		_, write = c.Write("n", 2)
		_, commit = c.Commit()
		after, _, _ = c.Read("n")
		return nil
	})
	if !errors.Is(write, program.ErrLost) || !errors.Is(commit, program.ErrLost) || after.N != 1 {
		t.Errorf("the write: %v, the commit: %v, then there is %v", write, commit, after)
	}
	var refused []string
	for _, e := range log {
		switch {
		case e.Kind == event.OpRefused && e.Actor == 1 && e.Peer == event.Node(1) && e.Reason == event.ConnLost:
			refused = append(refused, e.Text)
		case len(refused) == 1 && e.Kind == event.OpSent:
			t.Errorf("the client sends %q between the two", e.Text)
		}
	}
	if len(refused) != 2 || !strings.HasPrefix(refused[0], "UPDATE") || refused[1] != "COMMIT" {
		t.Errorf("refused without being sent: %q", refused)
	}
}
