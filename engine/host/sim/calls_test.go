package sim_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/host/sim"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// play runs processes that need nothing but a few znodes.
func play(t *testing.T, cfg sim.Config, mains ...func(zoo.Client) error) []event.Event {
	t.Helper()
	var procs []systems.Program
	for _, main := range mains {
		procs = append(procs, systems.Program{Main: systems.OnZooKeeper(main)})
	}
	var log event.Log
	cfg.Parents = []string{root}
	if err := sim.Run(context.Background(), cfg, procs, &log); err != nil {
		t.Fatal(err)
	}
	return log.Events
}

// TestCalls checks that each call gets the answer that ZooKeeper's documentation describes.
func TestCalls(t *testing.T) {
	want := func(what string, ok bool, got ...any) {
		if !ok {
			t.Errorf("%s: got %v", what, got)
		}
	}
	code := func(what string, err error, code zoo.Code, path string) {
		var e *zoo.Error
		if !errors.As(err, &e) || e.Code != code || e.Path != path {
			t.Errorf("%s: got %v, want %v of %s", what, err, code, path)
		}
	}
	play(t, sim.Config{}, func(c zoo.Client) error {
		want("name", c.Name() == "client-1" && c.SessionID() == 0x10001, c.Name(), c.SessionID())
		path, err := c.Create("/a", []byte("one"), zoo.Persistent)
		want("create", path == "/a" && err == nil, path, err)
		_, err = c.Create("/a", nil, zoo.Persistent)
		code("create again", err, zoo.ErrNodeExists, "/a")
		path, err = c.Create("/a/s-", nil, zoo.EphemeralSequential)
		want("create numbered", path == "/a/s-0000000000" && err == nil, path, err)
		path, err = c.Create("/a/s-", nil, zoo.PersistentSequential)
		want("create numbered", path == "/a/s-0000000001" && err == nil, path, err)
		_, err = c.Create("/box", nil, zoo.Container)
		want("create container", err == nil, err)
		there, stat, err := c.Exists("/a/s-0000000000")
		want("exists", there && err == nil && stat.EphemeralOwner == c.SessionID(), there, stat, err)
		there, stat, err = c.Exists("/b")
		want("exists not", !there && err == nil && stat == (zoo.Stat{}), there, stat, err)
		data, stat, err := c.Get("/a")
		want("get", string(data) == "one" && stat.Version == 0 && stat.NumChildren == 2 && err == nil, data, stat, err)
		_, _, err = c.Get("/b")
		code("get", err, zoo.ErrNoNode, "/b")
		stat, err = c.Set("/a", []byte("two!"), 0)
		want("set", stat.Version == 1 && stat.DataLength == 4 && err == nil, stat, err)
		_, err = c.Set("/a", []byte("three"), 0)
		code("set an old version", err, zoo.ErrBadVersion, "/a")
		_, err = c.Set("/a", []byte("three"), zoo.AnyVersion)
		want("set any version", err == nil, err)
		names, stat, err := c.Children("/a")
		slices.Sort(names)
		want("children", slices.Equal(names, []string{"s-0000000000", "s-0000000001"}) && stat.Cversion == 2 && err == nil,
			names, stat, err)
		code("delete", c.Delete("/a/s-0000000000", 7), zoo.ErrBadVersion, "/a/s-0000000000")
		want("delete", c.Delete("/a/s-0000000000", 0) == nil)
		code("delete what has children", c.Delete("/a", zoo.AnyVersion), zoo.ErrNotEmpty, "/a")
		want("sync", c.Sync("/a") == nil)
		return nil
	})
}

// TestMulti checks that a multi applies all or nothing, and that its error is the first failure.
func TestMulti(t *testing.T) {
	log := play(t, sim.Config{}, func(c zoo.Client) error {
		results, err := c.Multi(
			zoo.Op{Kind: zoo.OpCreate, Path: "/a", Data: []byte("x"), Mode: zoo.Ephemeral}, zoo.Op{Kind: zoo.OpSet, Path: "/a",
				Data: []byte("y"), Version: 0},
			zoo.Op{Kind: zoo.OpCheck, Path: "/a", Version: 1}, zoo.Op{Kind: zoo.OpCreate, Path: "/c", Mode: zoo.Container},
			zoo.Op{Kind: zoo.OpCreate, Path: "/b-", Mode: zoo.PersistentSequential}, zoo.Op{Kind: zoo.OpDelete, Path: "/a",
				Version: 1})
		if err != nil || len(results) != 6 || results[0].Path != "/a" || results[1].Stat.Version != 1 ||
			results[4].Path != "/b-0000000003" {
			t.Errorf("got %+v, %v", results, err)
		}
		for _, failing := range []zoo.Op{
			{Kind: zoo.OpDelete, Path: "/nothing", Version: -1}, {Kind: zoo.OpCheck, Path: "/c", Version: 7},
			{Kind: zoo.OpSet, Path: "/c", Version: 7}, {Kind: zoo.OpDelete, Path: "/c", Version: 7},
		} {
			code := zoo.ErrBadVersion
			if failing.Path == "/nothing" {
				code = zoo.ErrNoNode
			}
			results, err := c.Multi(zoo.Op{Kind: zoo.OpCreate, Path: "/d"}, failing, zoo.Op{Kind: zoo.OpCreate, Path: "/e"})
			if !errors.Is(err, code) || len(results) != 3 || results[1].Code != code {
				t.Errorf("%+v: got %+v, %v", failing, results, err)
			}
		}
		if there, _, _ := c.Exists("/d"); there {
			t.Error("a part of what failed was done")
		}
		if results, err := c.Multi(); err != nil || len(results) != 0 {
			t.Errorf("nothing: %+v, %v", results, err)
		}
		return nil
	})
	for _, e := range kinds(log, event.OpSent)[:1] {
		if e.Op != event.Multi || e.Path != "/a" {
			t.Errorf("the log says %s of %q", e.Op, e.Path)
		}
	}
}

// TestWatches checks what each watch receives, in which order Await returns it, and what it doesn't wait for.
func TestWatches(t *testing.T) {
	other := func(c zoo.Client) error {
		for _, step := range []func() error{
			func() error { _, err := c.Create(root+"/new", nil, zoo.Persistent); return err },
			func() error { _, err := c.Set(root, []byte("x"), zoo.AnyVersion); return err },
			func() error { return c.Delete(root+"/new", zoo.AnyVersion) },
		} {
			if err := errors.Join(c.Sleep(time.Second), step()); err != nil {
				return err
			}
		}
		return nil
	}
	var heard []string
	hear := func(e zoo.WatchEvent, err error) { heard = append(heard, fmt.Sprintf("%s %s %v", e.Type, e.Path, err)) }
	play(t, sim.Config{}, other, func(c zoo.Client) error {
		_, _, created, _ := c.ExistsW(root + "/new")
		_, _, listed, _ := c.ChildrenW(root)
		_, _, read, _ := c.GetW(root)
		_, _, absent, _ := c.GetW(root + "/never")
		hear(c.Await(0, absent))
		hear(c.Await(0))
		hear(c.Await(-1, read))
		hear(c.Await(time.Second/2, created, listed, read))
		hear(c.Await(0, read, listed, created))
		hear(c.Await(time.Minute, created, read))
		hear(c.Await(0, created)) // delivered earlier
		_ = c.Sleep(1200 * time.Millisecond)
		hear(c.Await(0, read, listed)) // both have fired by then
		hear(c.Await(0, listed))
		hear(c.Await(0, read))
		_, _, there, _ := c.ExistsW(root + "/new")
		_, _, deleted, _ := c.GetW(root + "/new")
		hear(c.Await(0, deleted))
		hear(c.Await(0, there))
		return nil
	})
	want := []string{
		"None  bad arguments", "None  bad arguments", "None  bad arguments", "None  timed out",
		"NodeCreated /zkviz/new <nil>",
		"None  bad arguments", "None  bad arguments", "NodeDataChanged /zkviz <nil>", "NodeChildrenChanged /zkviz <nil>",
		"None  bad arguments", "NodeDeleted /zkviz/new <nil>", "NodeDeleted /zkviz/new <nil>",
	}
	if !slices.Equal(heard, want) {
		t.Errorf("got  %q\nwant %q", heard, want)
	}
}

// TestStores checks that a store accepts writes without a number, and none with a number below the greatest. It needs
// no session.
func TestStores(t *testing.T) {
	log := play(t, sim.Config{Latency: 5 * time.Millisecond, Faults: []fault.Fault{{Kind: fault.Expire, Client: 1,
		At: time.Second}}}, func(c zoo.Client) error {
		for i, w := range []struct {
			store string
			fence int64
			ok    bool
		}{
			{"a", 0, true}, {"a", 3, true}, {"a", 2, false}, {"a", 3, true}, {"a", 0, true}, {"a", 2, false}, {"b", 1, true},
			{"a", 4, true}, {"a", 3, false}, {"a", 1, false},
		} {
			before := c.Now()
			err := c.Write(w.store, "text", w.fence)
			if (err == nil) != w.ok || err != nil && !errors.Is(err, program.ErrFenced) ||
				c.Now()-before != 10*time.Millisecond {
				t.Errorf("write %d: %v after %s", i+1, err, c.Now()-before)
			}
		}
		_ = c.Sleep(10 * time.Second)
		if err := c.Sleep(time.Second); !errors.Is(err, zoo.ErrSessionExpired) || c.Write("a", "without a session",
			9) != nil {
			t.Errorf("after its session the client sleeps: %v", err)
		}
		return nil
	})
	if n, m := len(kinds(log, event.StoreWritten)), len(kinds(log, event.StoreRefused)); n != 7 || m != 4 {
		t.Errorf("%d writes are taken, %d refused", n, m)
	}
	if e := kinds(log, event.StoreWritten)[1]; e.Path != "a" || e.Text != "text" || e.N != 3 || e.Actor != 1 ||
		e.Cause == 0 || log[e.Cause-1].Actor != 1 {
		t.Errorf("the log says %+v", e)
	}
}

// TestNoCallAfterACrash checks that all calls of a crashed process that goes on are refused and leave no trace.
func TestNoCallAfterACrash(t *testing.T) {
	log := play(t, sim.Config{Faults: []fault.Fault{{Kind: fault.Crash, Client: 1, At: time.Second}}},
		func(c zoo.Client) error {
			_, _, w, _ := c.GetW(root)
			_ = c.Sleep(time.Hour)
			for name, call := range map[string]func() error{
				"get":    func() error { _, _, err := c.Get("/a"); return err },
				"await":  func() error { _, err := c.Await(time.Second, w); return err },
				"sleep":  func() error { return c.Sleep(time.Second) },
				"work":   func() error { return c.Work(time.Second) },
				"settle": func() error { return c.Work(program.UntilSettled) },
				"write":  func() error { return c.Write("ledger", "x", 0) },
			} {
				if err := call(); !errors.Is(err, program.ErrStopped) {
					t.Errorf("%s: got %v", name, err)
				}
			}
			c.Phase(program.Holding, program.Subject{})
			c.Note("still here")
			return nil
		})
	crashed := kinds(log, event.ClientCrashed)[0].Seq
	for _, e := range log[crashed:] {
		if e.Actor == 1 {
			t.Errorf("after its crash: %+v", e)
		}
	}
}

// TestNoCallAfterTheEnd checks that every call of a client whose session is over fails at once.
func TestNoCallAfterTheEnd(t *testing.T) {
	play(t, sim.Config{Faults: []fault.Fault{{Kind: fault.Expire, Client: 1, At: time.Second}}}, func(c zoo.Client) error {
		_, _, w, _ := c.GetW(root)
		if _, err := c.Await(0, w); !errors.Is(err, zoo.ErrSessionExpired) {
			t.Errorf("await is ended with %v", err)
		}
		over := c.Now()
		for name, call := range map[string]func() error{
			"create":   func() error { _, err := c.Create("/a", nil, 0); return err },
			"delete":   func() error { return c.Delete("/a", 0) },
			"exists":   func() error { there, _, err := c.Exists("/a"); return errors.Join(err, refuse(there)) },
			"existsW":  func() error { _, _, _, err := c.ExistsW("/a"); return err },
			"get":      func() error { _, _, err := c.Get("/a"); return err },
			"getW":     func() error { _, _, _, err := c.GetW("/a"); return err },
			"set":      func() error { _, err := c.Set("/a", nil, 0); return err },
			"children": func() error { _, _, err := c.Children("/a"); return err },
			"multi":    func() error { _, err := c.Multi(); return err },
			"sync":     func() error { return c.Sync("/a") },
			"await":    func() error { _, err := c.Await(0, w); return err },
			"sleep":    func() error { return c.Sleep(time.Second) },
			"work":     func() error { return c.Work(time.Second) },
			"settle":   func() error { return c.Work(program.UntilSettled) },
		} {
			if err := call(); !errors.Is(err, zoo.ErrSessionExpired) || c.Now() != over {
				t.Errorf("%s: got %v at %s", name, err, c.Now())
			}
		}
		return nil
	})
}

func refuse(there bool) error {
	if there {
		return errors.New("it is there")
	}
	return nil
}

// TestForgottenWatch checks that a client which leaves more watches than its library remembers loses the oldest.
func TestForgottenWatch(t *testing.T) {
	const most = 4096
	play(t, sim.Config{}, func(c zoo.Client) error {
		var watches []zoo.Watch
		for range most + 1 {
			_, _, w, _ := c.GetW(root)
			watches = append(watches, w)
		}
		if _, err := c.Await(time.Second, watches[0]); !errors.Is(err, zoo.ErrBadArguments) {
			t.Errorf("the oldest: %v", err)
		}
		for _, w := range []zoo.Watch{watches[1], watches[most]} {
			if _, err := c.Await(time.Second, w); !errors.Is(err, zoo.ErrTimeout) {
				t.Errorf("one that is remembered: %v", err)
			}
		}
		return nil
	})
}
