package live_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/host/live"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

// TestFaults runs every fault that can hit a client against one server.
func TestFaults(t *testing.T) {
	t.Parallel()
	srv := zktest.Shared(t) // no other test uses its base
	for name, test := range map[string]func(*testing.T, *zktest.Server){
		"slow":                          slow,
		"stuck":                         stuck,
		"one of three":                  oneOfThree,
		"pause longer than the session": pauseLong,
		"pause shorter":                 pauseShort,
		"cut shorter":                   cutShort,
		"cut longer":                    cutLong,
		"crash":                         crash,
		"come back":                     restart,
		"expire":                        expire,
		"drop":                          drop,
		"stop":                          stop,
		"too many events":               tooManyEvents,
		"errors":                        codes,
		"multi":                         multi,
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); test(t, srv) })
	}
}

// byHand configures a run of hand-written processes.
func byHand(timeout time.Duration, mains ...func(c zoo.Client, root string) error) (live.Config, []systems.Program) {
	root := live.NewRoot(base)
	var list []systems.Program
	for _, main := range mains {
		list = append(list, systems.Program{Main: systems.OnZooKeeper(func(c zoo.Client) error { return main(c, root) })})
	}
	return live.Config{Root: root, SessionTimeout: timeout}, list
}

func parse(t *testing.T, texts ...string) []fault.Fault {
	t.Helper()
	var list []fault.Fault
	for _, text := range texts {
		f, err := fault.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, f)
	}
	return list
}

// pauseLong freezes the holder of a lock until its session has expired: two clients believe that they hold it.
func pauseLong(t *testing.T, srv *zktest.Server) {
	const timeout, pause = 5 * time.Second, 15 * time.Second
	var holder event.Actor
	r := undisturbed(t, func() *recorder {
		cfg, list := procs(t, "predecessor-lock", live.NewRoot(base), 3, 1500*time.Millisecond)
		cfg.SessionTimeout = timeout
		inject := make(chan fault.Fault, 1)
		holder = 0
		r := &recorder{}
		r.on = func(e event.Event) {
			if holder == 0 && e.Kind == event.RecipePhase && e.Text == string(program.Holding) {
				holder = e.Actor
				inject <- fault.Fault{Kind: fault.Pause, Client: int(holder), For: pause}
			}
		}
		if err := runLive(t, srv, cfg, list, r, inject); err != nil {
			t.Fatal(err)
		}
		return r
	})
	expired := r.find(t, "the holder's session expires",
		func(e event.Event) bool { return e.Kind == event.SessionExpired && e.Peer == holder })
	paused := r.find(t, "the holder pauses", is(event.ClientPaused))
	if expired.Seq < paused.Seq {
		t.Error("the session expired before the pause began")
	}
	if silent := expired.At - r.heard(holder, expired.Seq); silent < timeout-rounding {
		t.Errorf("the session expired after a silence of %v", silent)
	}
	if expired.Cause != paused.Seq {
		t.Errorf("the expiry's cause is %d, not the pause", expired.Cause)
	}
	gone := r.find(t, "its znode goes", func(e event.Event) bool {
		return e.Kind == event.ZnodeDeleted &&
			e.Peer == holder
	})
	if gone.Reason != event.BySessionExpired || gone.Cause != expired.Seq {
		t.Errorf("its znode went because of %v, event %d", gone.Reason, gone.Cause)
	}
	next := r.find(t, "the next one gets in", func(e event.Event) bool {
		return e.Kind == event.RecipePhase && e.Actor != holder && e.Text == string(program.Holding)
	})
	resumed := r.find(t, "the holder resumes", is(event.ClientResumed))
	if next.At > resumed.At {
		t.Error("the next one got in only after the pause")
	}
	broken := map[string]bool{}
	for _, v := range judge(r, 3, promise.TruthExclusion, promise.BeliefExclusion).Violations {
		broken[v.Rule] = true
	}
	if !broken[promise.BeliefExclusion] || broken[promise.TruthExclusion] {
		t.Errorf("broken rules: %v", broken)
	}
	r.find(t, "the holder learns of it", func(e event.Event) bool {
		return e.Kind == event.RecipePhase && e.Actor == holder && e.Text == string(program.Lost)
	})
	for _, e := range r.log() {
		if e.Actor == holder && e.Seq > paused.Seq && e.Seq < resumed.Seq {
			t.Errorf("the paused client did this: %s", eventtext.Of(e))
		}
	}
}

// rounding bounds the difference between times that two programs measured, each with its own clock.
const rounding = 20 * time.Millisecond

// pauseShort freezes a client for less than its session timeout: nothing happens but delay.
func pauseShort(t *testing.T, srv *zktest.Server) {
	resumed := make(chan struct{})
	cfg, list := byHand(unhurried, func(c zoo.Client, root string) error {
		for after := 0; after < 5; {
			select {
			case <-resumed:
				after++
			default:
			}
			if _, err := c.Create(root+"/n-", nil, zoo.EphemeralSequential); err != nil {
				return err
			}
			if err := c.Sleep(50 * time.Millisecond); err != nil {
				return err
			}
		}
		return nil
	})
	cfg.Faults = parse(t, "pause client-1 at 300ms for 1s")
	r := &recorder{on: func(e event.Event) {
		if e.Kind == event.ClientResumed {
			close(resumed)
		}
	}}
	if err := runLive(t, srv, cfg, list, r, nil); err != nil {
		t.Fatal(err)
	}
	if exit := r.find(t, "the client ends", is(event.ClientExited)); exit.Text != "" {
		t.Errorf("it ended with %q", exit.Text)
	}
	from, to := r.find(t, "the pause", is(event.ClientPaused)), r.find(t, "its end", is(event.ClientResumed))
	if from.At < 300*time.Millisecond || to.At-from.At < time.Second {
		t.Errorf("it paused at %v for %v", from.At, to.At-from.At)
	}
	if n := r.count(func(e event.Event) bool { return e.Actor == 1 && e.Seq > from.Seq && e.Seq < to.Seq }); n > 0 {
		r.dump(t)
		t.Errorf("it did %d things meanwhile", n)
	}
	if n := r.count(is(event.ConnOpened)); n != 1 {
		t.Errorf("%d connections", n)
	}
}

// cutShort cuts a waiting client off while the event that it waits for happens. It must hear of it when it comes
// back. The client gives up its connection after two thirds of the timeout and has the last third to come back.
func cutShort(t *testing.T, srv *zktest.Server) {
	var r *recorder
	for range 3 { // again if the machine stalled all that time
		if r = cutWhileWaiting(t, srv); r.count(is(event.SessionExpired)) == 0 {
			break
		}
	}
	exit := r.find(t, "client-1 ends", func(e event.Event) bool { return e.Kind == event.ClientExited && e.Actor == 1 })
	if exit.Text != "" {
		r.dump(t)
		t.Error(exit.Text)
	}
	if n := r.count(func(e event.Event) bool { return e.Kind == event.ConnOpened && e.Actor == 1 }); n != 2 {
		r.dump(t)
		t.Errorf("%d connections of client-1, not 2", n)
	}
	r.find(t, "something was lost", is(event.MsgDropped))
	if n := r.count(is(event.SessionExpired)); n != 0 {
		t.Errorf("%d sessions expired", n)
	}
}

func cutWhileWaiting(t *testing.T, srv *zktest.Server) *recorder {
	const timeout, away = 24 * time.Second, 16500 * time.Millisecond
	cut := make(chan struct{})
	cfg, list := byHand(timeout,
		func(c zoo.Client, root string) error {
			_, _, w, err := c.ExistsW(root + "/go")
			if err != nil {
				return err
			}
			e, err := c.Await(0, w)
			if err == nil && e != (zoo.WatchEvent{Type: zoo.NodeCreated, Path: root + "/go"}) {
				err = fmt.Errorf("woken by %v", e)
			}
			return err
		},
		func(c zoo.Client, root string) error {
			<-cut
			_, err := c.Create(root+"/go", nil, zoo.Persistent)
			return err
		})
	inject := make(chan fault.Fault, 1)
	r := &recorder{on: func(e event.Event) {
		switch e.Kind {
		case event.ClientBlocked:
			inject <- fault.Fault{Kind: fault.Cut, Client: 1, For: away}
		case event.FaultInjected:
			close(cut)
		}
	}}
	if err := runLive(t, srv, cfg, list, r, inject); err != nil {
		t.Fatal(err)
	}
	return r
}

// cutLong cuts a client off for longer than its session timeout.
func cutLong(t *testing.T, srv *zktest.Server) {
	const timeout, away = 3 * time.Second, 15 * time.Second
	r := undisturbed(t, func() *recorder { return cutFor(t, srv, timeout, away) })
	expired := r.find(t, "the session expires", is(event.SessionExpired))
	cut := r.find(t, "the cut", is(event.FaultInjected))
	if after := expired.At - cut.At; after > away {
		t.Errorf("it expired after %v: nobody noticed before the client came back", after)
	}
	r.find(t, "connection loss", func(e event.Event) bool {
		return e.Kind == event.OpDone && zoo.Code(e.Code) == zoo.ErrConnectionLoss
	})
	exit := r.find(t, "the client ends", is(event.ClientExited))
	if exit.Text == "" {
		t.Error("the client did not learn that its session was over")
	}
}

// cutFor cuts off a client that has an ephemeral znode and looks at it again and again.
func cutFor(t *testing.T, srv *zktest.Server, timeout, away time.Duration) *recorder {
	cfg, list := byHand(timeout, func(c zoo.Client, root string) error {
		if _, err := c.Create(root+"/mine", nil, zoo.Ephemeral); err != nil {
			return err
		}
		for {
			if _, _, err := c.Exists(root + "/mine"); errors.Is(err, zoo.ErrSessionExpired) {
				return err
			}
			if err := c.Sleep(100 * time.Millisecond); err != nil {
				return err
			}
		}
	})
	inject := make(chan fault.Fault, 1)
	r := &recorder{on: func(e event.Event) {
		if e.Kind == event.OpDone && e.Op == event.Create {
			inject <- fault.Fault{Kind: fault.Cut, Client: 1, For: away}
		}
	}}
	if err := runLive(t, srv, cfg, list, r, inject); err != nil {
		t.Fatal(err)
	}
	return r
}

// crash ends a process: its ephemeral znode goes when its session does.
func crash(t *testing.T, srv *zktest.Server) {
	const timeout = 8 * time.Second
	var stopped chan error
	r := undisturbed(t, func() *recorder {
		stopped = make(chan error, 1)
		return crashOne(t, srv, timeout, stopped)
	})
	if err := <-stopped; !errors.Is(err, zoo.ErrStopped) {
		t.Errorf("the crashed process was told %v", err)
	}
	crashed := r.find(t, "the crash", is(event.ClientCrashed))
	gone := r.find(t, "its znode goes", is(event.ZnodeDeleted))
	if gone.Seq < crashed.Seq || gone.Reason != event.BySessionExpired {
		t.Errorf("its znode went at %v by %v, and it crashed at %v", gone.At, gone.Reason, crashed.At)
	}
	if silent := gone.At - r.heard(1, gone.Seq); silent < timeout-rounding {
		t.Errorf("its znode went after a silence of %v", silent)
	}
	fired := r.find(t, "the other is told", is(event.WatchFired))
	if fired.Cause != gone.Seq {
		r.dump(t)
		t.Errorf("the watch fired because of %d, not %d", fired.Cause, gone.Seq)
	}
}

// crashOne crashes a client as soon as another watches its ephemeral znode. It sends the error that the first client
// got to stopped.
func crashOne(t *testing.T, srv *zktest.Server, timeout time.Duration, stopped chan<- error) *recorder {
	cfg, list := byHand(timeout,
		func(c zoo.Client, root string) error {
			_, err := c.Create(root+"/mine", nil, zoo.Ephemeral)
			if err == nil { // the other may see the znode, and the crash come, before this is answered
				err = c.Sleep(time.Minute)
			}
			stopped <- err
			return err
		},
		func(c zoo.Client, root string) error {
			_, _, w, err := c.GetW(root + "/mine")
			for errors.Is(err, zoo.ErrNoNode) {
				if err := c.Sleep(50 * time.Millisecond); err != nil {
					return err
				}
				_, _, w, err = c.GetW(root + "/mine")
			}
			if err != nil {
				return err
			}
			_, err = c.Await(0, w)
			return err
		})
	inject := make(chan fault.Fault, 1)
	r := &recorder{on: func(e event.Event) {
		if e.Kind == event.ClientBlocked {
			inject <- fault.Fault{Kind: fault.Crash, Client: 1}
		}
	}}
	if err := runLive(t, srv, cfg, list, r, inject); err != nil {
		t.Fatal(err)
	}
	return r
}

// expire makes the server end a session. The fault comes in while the run goes on.
func expire(t *testing.T, srv *zktest.Server) {
	const timeout = 40 * time.Second
	cfg, list := byHand(timeout, func(c zoo.Client, root string) error {
		if _, err := c.Create(root+"/mine", nil, zoo.Ephemeral); err != nil {
			return err
		}
		_, _, w, err := c.ExistsW(root + "/never")
		if err != nil {
			return err
		}
		if _, err := c.Await(0, w); !errors.Is(err, zoo.ErrSessionExpired) {
			return fmt.Errorf("await: %v", err)
		}
		if _, err := c.Create(root+"/again", nil, zoo.Ephemeral); !errors.Is(err, zoo.ErrSessionExpired) {
			return fmt.Errorf("create: %v", err)
		}
		return nil
	})
	inject := make(chan fault.Fault, 1)
	r := &recorder{on: func(e event.Event) {
		if e.Kind == event.ClientBlocked {
			inject <- fault.Fault{Kind: fault.Expire, Client: 1, At: time.Hour}
		}
	}}
	if err := runLive(t, srv, cfg, list, r, inject); err != nil {
		t.Fatal(err)
	}
	if exit := r.find(t, "the client ends", is(event.ClientExited)); exit.Text != "" {
		r.dump(t)
		t.Error(exit.Text)
	}
	expired := r.find(t, "the session expires", is(event.SessionExpired))
	injected := r.find(t, "the fault", is(event.FaultInjected))
	if expired.Cause != injected.Seq || expired.Zxid == 0 {
		t.Errorf("the expiry: %s", eventtext.Of(expired))
	}
	if d := expired.At - injected.At; d >= timeout {
		t.Errorf("it took %v: the session ended by itself", d)
	}
}

// drop loses the reply to a create: the client doesn't know the outcome, the log does.
func drop(t *testing.T, srv *zktest.Server) {
	injected := make(chan struct{})
	cfg, list := byHand(unhurried, func(c zoo.Client, root string) error {
		<-injected
		if _, err := c.Create(root+"/once", nil, zoo.Ephemeral); !errors.Is(err, zoo.ErrConnectionLoss) {
			return fmt.Errorf("create: %v", err)
		}
		for {
			there, _, err := c.Exists(root + "/once")
			if errors.Is(err, zoo.ErrConnectionLoss) {
				continue
			}
			if err == nil && !there {
				err = errors.New("the znode was not made")
			}
			return err
		}
	})
	cfg.Faults = parse(t, "drop client-1 at 100ms")
	r := &recorder{on: func(e event.Event) {
		if e.Kind == event.FaultInjected {
			close(injected)
		}
	}}
	if err := runLive(t, srv, cfg, list, r, nil); err != nil {
		t.Fatal(err)
	}
	if exit := r.find(t, "the client ends", is(event.ClientExited)); exit.Text != "" {
		r.dump(t)
		t.Error(exit.Text)
	}
	made := r.find(t, "the znode is made", func(e event.Event) bool { return e.Kind == event.ZnodeCreated && e.Peer == 1 })
	lost := r.find(t, "the reply is lost", is(event.MsgDropped))
	done := r.find(t, "the call fails", func(e event.Event) bool { return e.Kind == event.OpDone && e.Code != 0 })
	if !(made.Seq < lost.Seq && lost.Seq < done.Seq) {
		t.Errorf("made in event %d, lost in %d, done in %d", made.Seq, lost.Seq, done.Seq)
	}
}

// stop cancels a run in the middle: the processes are told, and nothing is left.
func stop(t *testing.T, srv *zktest.Server) {
	cfg, list := procs(t, "children-lock", live.NewRoot(base), 5, longest)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r := &recorder{on: func(e event.Event) {
		if e.Kind == event.RecipePhase && e.Text == string(program.Holding) {
			time.AfterFunc(200*time.Millisecond, cancel)
		}
	}}
	cfg.Servers = []string{srv.Addr}
	start := time.Now()
	err := live.Run(ctx, cfg, list, r, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the run ended with %v", err)
	}
	if d := time.Since(start); d >= longest { // everybody would hold that long
		t.Errorf("it took %v", d)
	}
	lawful(t, r)
	if log := r.log(); log[len(log)-1].Reason != event.EndCancelled {
		t.Errorf("it ended because %v", log[len(log)-1].Reason)
	}
	absent(t, srv, cfg.Root)
}

func tooManyEvents(t *testing.T, srv *zktest.Server) {
	cfg, list := procs(t, "unique-lock", live.NewRoot(base), 5, program.UntilSettled)
	cfg.MaxEvents = 50
	r := &recorder{}
	if err := runLive(t, srv, cfg, list, r, nil); err != nil {
		t.Fatal(err)
	}
	if log := r.log(); len(log) != 50 || log[49].Reason != event.EndEvents {
		t.Errorf("%d events, the last: %s", len(log), eventtext.Of(log[len(log)-1]))
	}
	absent(t, srv, cfg.Root)
}

// codes makes calls that the server refuses.
func codes(t *testing.T, srv *zktest.Server) {
	cfg, list := byHand(unhurried, func(c zoo.Client, root string) error {
		mine := root + "/mine"
		if _, err := c.Create(mine, []byte("x"), zoo.Ephemeral); err != nil {
			return err
		}
		for want, call := range map[zoo.Code]func() error{
			zoo.ErrNodeExists:             func() error { _, err := c.Create(mine, nil, zoo.Ephemeral); return err },
			zoo.ErrNoNode:                 func() error { return c.Delete(root+"/none", zoo.AnyVersion) },
			zoo.ErrBadVersion:             func() error { _, err := c.Set(mine, nil, 7); return err },
			zoo.ErrNotEmpty:               func() error { return c.Delete(root, zoo.AnyVersion) },
			zoo.ErrNoChildrenForEphemeral: func() error { _, err := c.Create(mine+"/x", nil, zoo.Persistent); return err },
			zoo.ErrBadArguments:           func() error { _, _, err := c.Get("not a path"); return err },
			zoo.ErrTimeout: func() error {
				_, _, w, err := c.ChildrenW(root)
				if err == nil {
					_, err = c.Await(50*time.Millisecond, w)
				}
				return err
			},
		} {
			if err := call(); !errors.Is(err, want) {
				return fmt.Errorf("%v, not %v", err, want)
			}
		}
		if _, _, w, err := c.GetW(root + "/none"); !errors.Is(err, zoo.ErrNoNode) || w != 0 {
			return fmt.Errorf("get of a znode that is not there: watch %d, %v", w, err)
		}
		there, stat, err := c.Exists(mine)
		if err != nil || !there || stat.EphemeralOwner != c.SessionID() || stat.DataLength != 1 {
			return fmt.Errorf("exists: %v %+v %v", there, stat, err)
		}
		return nil
	})
	r := &recorder{}
	if err := runLive(t, srv, cfg, list, r, nil); err != nil {
		t.Fatal(err)
	}
	if exit := r.find(t, "the client ends", is(event.ClientExited)); exit.Text != "" {
		t.Error(exit.Text)
	}
}

func multi(t *testing.T, srv *zktest.Server) {
	cfg, list := byHand(unhurried, func(c zoo.Client, root string) error {
		made, err := c.Multi(
			zoo.CreateOp(root+"/a", []byte("1"), zoo.Persistent),
			zoo.CreateOp(root+"/s-", nil, zoo.EphemeralSequential),
			zoo.SetOp(root+"/a", []byte("22"), 0),
			zoo.CheckOp(root+"/a", 1))
		if err != nil || len(made) != 4 || made[1].Path != root+"/s-0000000001" || made[2].Stat.Version != 1 {
			return fmt.Errorf("multi: %+v %v", made, err)
		}
		failed, err := c.Multi(zoo.CreateOp(root+"/b", nil, zoo.Persistent), zoo.DeleteOp(root+"/none", zoo.AnyVersion),
			zoo.DeleteOp(root+"/a", zoo.AnyVersion))
		if !errors.Is(err, zoo.ErrNoNode) || len(failed) != 3 || failed[1].Code != zoo.ErrNoNode ||
			failed[2].Code != zoo.ErrRuntimeInconsistency {
			return fmt.Errorf("multi that fails: %+v %v", failed, err)
		}
		return nil
	})
	r := &recorder{}
	if err := runLive(t, srv, cfg, list, r, nil); err != nil {
		t.Fatal(err)
	}
	if exit := r.find(t, "the client ends", is(event.ClientExited)); exit.Text != "" {
		t.Error(exit.Text)
	}
	if n := r.count(func(e event.Event) bool { return e.Kind == event.ZnodeCreated && e.Peer == 1 }); n != 2 {
		t.Errorf("%d znodes made, not 2", n)
	}
	r.find(t, "the change", func(e event.Event) bool { return e.Kind == event.ZnodeChanged && e.Text == "22" && e.N == 2 })
	r.find(t, "the failed multi", func(e event.Event) bool {
		return e.Kind == event.TxnApplied && e.Op == event.Multi && zoo.Code(e.Code) == zoo.ErrNoNode
	})
}
