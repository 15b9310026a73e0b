package live_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/host/live"
	"github.com/zkviz/zkviz/engine/stores/redis"
	redisnode "github.com/zkviz/zkviz/engine/stores/redis/wire"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/engine/testing/redistest"
	"github.com/zkviz/zkviz/engine/testing/sqltest"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

// guarded creates a znode and runs inside while it exists. If there is one already, it waits for its end first.
func guarded(c zoo.Client, path string, inside func() error) error {
	for {
		_, err := c.Create(path, nil, zoo.Ephemeral)
		if err == nil {
			c.Phase(program.Holding, program.Subject{Path: path})
			err = inside()
			c.Phase(program.Released, program.Subject{Path: path})
			return errors.Join(err, c.Delete(path, zoo.AnyVersion))
		}
		if !errors.Is(err, zoo.ErrNodeExists) {
			return err
		}
		there, _, gone, err := c.ExistsW(path)
		if err != nil {
			return err
		}
		if there {
			if _, err := c.Await(0, gone); err != nil {
				return err
			}
		}
	}
}

// seller returns a program that takes one from the stock in a database while it holds a ZooKeeper lock.
func seller(root string) func(systems.World) error {
	return func(w systems.World) error {
		db := sql.New(w.Connect(1), sql.Postgres)
		return guarded(w.ZooKeeper(), root+"/lock", func() error {
			row, there, err := db.Read("seats")
			switch {
			case err != nil:
				return err
			case !there:
				return db.Insert("seats", 9)
			}
			if err := w.Work(50 * time.Millisecond); err != nil {
				return err
			}
			_, err = db.Write("seats", row.N-1)
			return err
		})
	}
}

// TestBesideZooKeeper checks that no write to a real database is lost under a lock of a real ZooKeeper.
func TestBesideZooKeeper(t *testing.T) {
	t.Parallel()
	srv, base, db := zktest.Shared(t), zktest.Root(t), sqltest.SharedPostgres(t)
	root := live.NewRoot(base)
	var programs []systems.Program
	for range 4 {
		programs = append(programs, systems.Program{Main: seller(root)})
	}
	r := &recorder{}
	cfg := live.Config{Root: root, Parents: []string{root}, SessionTimeout: unhurried, Nodes: []real.Node{db.Node(root)}}
	if err := runLive(t, srv, cfg, programs, r, nil); err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, e := range r.log() {
		if e.Kind == event.EntrySet {
			texts = append(texts, e.Text)
		}
		if e.Kind == event.ClientExited && e.Text != "" {
			t.Errorf("%v failed: %s", e.Actor, e.Text)
		}
	}
	want := []string{"n=9, version 1", "n=8, version 2", "n=7, version 3", "n=6, version 4"}
	if !slices.Equal(texts, want) {
		t.Errorf("the row had %q, want %q", texts, want)
		r.dump(t)
	}
	absent(t, srv, root)
}

// TestFaultsBesideZooKeeper injects faults into a client that uses both systems. A fault must hit the session and
// the other connection alike.
func TestFaultsBesideZooKeeper(t *testing.T) {
	t.Parallel()
	srv, base, db := zktest.Shared(t), zktest.Root(t), sqltest.SharedPostgres(t)
	for _, c := range []struct {
		fault fault.Fault
		want  string // the kinds of events about client-1 from then on
	}{
		{fault.Fault{Kind: fault.Crash, Client: 1}, "client.crashed tx.ended lock.freed"},
		{fault.Fault{Kind: fault.Vanish, Client: 1}, "client.vanished client.crashed"},
		{fault.Fault{Kind: fault.Pause, Client: 1, For: 300 * time.Millisecond},
			"client.paused client.resumed tx.ended lock.freed client.exited"},
		{fault.Fault{Kind: fault.Stall, Client: 1, For: 300 * time.Millisecond},
			"process.stalled process.moves tx.ended lock.freed client.exited"},
	} {
		t.Run(c.fault.Kind.String(), func(t *testing.T) {
			t.Parallel()
			root := live.NewRoot(base)
			inject := make(chan fault.Fault, 1)
			var happened atomic.Bool
			r := &recorder{}
			r.on = func(e event.Event) {
				switch {
				case e.Kind == event.LockTaken && e.Peer == 1:
					inject <- c.fault
				case e.Kind == event.FaultInjected:
					happened.Store(true)
				}
			}
			main := func(w systems.World) error {
				c := sql.New(w.Connect(1), sql.Postgres)
				if err := errors.Join(c.Insert("n", 1), c.Begin()); err != nil {
					return err
				}
				if _, _, err := c.ReadForUpdate("n"); err != nil {
					return err
				}
				for !happened.Load() {
					if err := w.Sleep(10 * time.Millisecond); err != nil {
						return err
					}
				}
				_, err := w.ZooKeeper().Create(root+"/"+w.Name(), nil, zoo.Ephemeral)
				_, err2 := c.Commit()
				return errors.Join(err, err2)
			}
			cfg := live.Config{Root: root, Parents: []string{root}, SessionTimeout: 4 * time.Second,
				Nodes: []real.Node{db.Node(root)}}
			if err := runLive(t, srv, cfg, []systems.Program{{Main: main}}, r, inject); err != nil {
				t.Fatal(err)
			}
			var said []string
			after := false
			for _, e := range r.log() {
				kind := e.Kind.String()
				after = after || e.Kind == event.FaultInjected
				if after && (e.Actor == 1 || e.Peer == 1) && strings.Contains(" "+c.want+" ", " "+kind+" ") {
					said = append(said, kind)
				}
			}
			if got := strings.Join(said, " "); got != c.want {
				t.Errorf("the log says %q, want %q", got, c.want)
				r.dump(t)
			}
		})
	}
}

// TestTimerBesideProgram renews a key of Redis in a thread next to the program. The renewals must go on while the
// program is stalled, and the program's work must end when the key is gone.
func TestTimerBesideProgram(t *testing.T) {
	t.Parallel()
	srv := zktest.Start(t)
	at, err := redisnode.Parse(redistest.Start(t).Addr())
	if err != nil {
		t.Fatal(err)
	}
	const enough, longestStall = 3, 32 * time.Second
	for stall := 2 * time.Second; ; stall *= 2 { // on a busy machine little happens in that time
		renewed := stalledBesideTimer(t, srv, at.Node(), stall)
		if renewed >= enough {
			return
		}
		if stall == longestStall {
			t.Fatalf("renewed %d times while it was stalled for %v", renewed, stall)
		}
	}
}

// stalledBesideTimer stalls a program while its timer renews a key. It returns how often the key was renewed meanwhile.
func stalledBesideTimer(t *testing.T, srv *zktest.Server, at real.Node, stall time.Duration) int {
	root := live.NewRoot(base)
	gone := errors.New("the key is gone")
	var stalled atomic.Bool
	renewals, renewed, moved := 0, 0, false
	inject := make(chan fault.Fault, 1)
	r := &recorder{}
	r.on = func(e event.Event) {
		switch e.Kind {
		case event.EntryExpires:
			if renewals++; renewals == 1 {
				inject <- fault.Fault{Kind: fault.Stall, Client: 1, For: stall}
			}
			if stalled.Load() && !moved {
				renewed++
			}
		case event.ProcessStalled:
			stalled.Store(true)
		case event.ProcessMoves:
			moved = true
		}
	}
	program := func(w systems.World) error {
		c := redis.New(w.Connect(1))
		if err := c.Set(root+"/key", w.Name()); err != nil {
			return err
		}
		stop := w.Beside(func(w systems.World) error {
			c := redis.New(w.Connect(1))
			for {
				if there, err := c.Expire(root+"/key", time.Minute); err != nil || !there {
					return errors.Join(err, gone)
				}
				if err := w.Sleep(20 * time.Millisecond); err != nil {
					return err
				}
			}
		})
		defer stop()
		for !stalled.Load() {
			if err := w.Sleep(10 * time.Millisecond); err != nil {
				return err
			}
		}
		if _, err := c.Del(root + "/key"); err != nil {
			return err
		}
		if err := w.Work(time.Hour); !errors.Is(err, gone) {
			return fmt.Errorf("its work ended with %v", err)
		}
		_, err := w.ZooKeeper().Create(root+"/done", nil, zoo.Persistent)
		return err
	}
	cfg := live.Config{Root: root, Parents: []string{root}, SessionTimeout: unhurried, Nodes: []real.Node{at}}
	if err := runLive(t, srv, cfg, []systems.Program{{Main: program}}, r, inject); err != nil {
		t.Fatal(err)
	}
	if e := r.find(t, "the end", is(event.ClientExited)); e.Text != "" {
		t.Errorf("it failed: %s", e.Text)
	}
	if !moved {
		t.Error("it is stalled for ever")
	}
	return renewed
}

// TestNodesRefused names a node that cannot be reached: the run must not begin, and must leave nothing in ZooKeeper.
func TestNodesRefused(t *testing.T) {
	t.Parallel()
	srv := zktest.Start(t)
	at, err := redisnode.Parse("127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	root := live.NewRoot(base)
	cfg := live.Config{Root: root, Parents: []string{root}, Nodes: []real.Node{at.Node()}}
	err = runLive(t, srv, cfg, []systems.Program{{Main: func(systems.World) error { return nil }}}, &recorder{}, nil)
	if err == nil || !strings.Contains(err.Error(), "cannot reach Redis") {
		t.Errorf("got %v", err)
	}
	absent(t, srv, root)
}
