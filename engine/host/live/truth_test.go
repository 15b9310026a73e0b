package live_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/host/live"
	"github.com/zkviz/zkviz/engine/observe/capture"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestTruth lets clients do anything on an embedded server that records itself. What the run infers from the frames
// must match the server's record: which znodes were created, changed and deleted, at which zxid and by which
// session, which watches fired and why, which sessions ended. Writes with lost replies may be missing in the log if
// nobody can tell any more what became of them; but nothing may be in it that didn't happen.
func TestTruth(t *testing.T) {
	for name, faults := range map[string][]fault.Kind{
		"undisturbed": nil,
		"drop":        {fault.Drop, fault.Drop, fault.Drop},
		"expire":      {fault.Expire},
		"crash":       {fault.Crash},
		"mixed":       {fault.Drop, fault.Expire, fault.Drop, fault.Crash},
		"lost":        nil, // answers, with their connections
	} {
		if raced && (name == "lost" || slices.Contains(faults, fault.Drop)) {
			continue
		}
		for seed := range uint64(3) {
			t.Run(fmt.Sprint(name, " ", seed), func(t *testing.T) {
				t.Parallel()
				truth(t, seed, faults, name == "lost")
			})
		}
	}
}

func truth(t *testing.T, seed uint64, faults []fault.Kind, lossy bool) {
	server, err := embed.Listen(embed.Config{MaxTimeout: time.Hour, Tick: 100 * time.Millisecond, Seed: seed + 1})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	told, watching := &recorder{}, make(chan error, 1)
	begun := make(chan struct{})
	var once sync.Once
	told.on = func(event.Event) { once.Do(func() { close(begun) }) }
	observing, stop := context.WithCancel(ctx)
	go func() { watching <- server.Observe(observing, "/", told, 0, nil) }()
	<-begun

	const clients = 3
	inject := make(chan fault.Fault, len(faults))
	var mains []func(zoo.Client, string) error
	for i := range clients {
		mains = append(mains, func(c zoo.Client, root string) error {
			a := actor{Client: c, root: root, rand: rand.New(rand.NewPCG(seed, uint64(i)))}
			return a.act()
		})
	}
	cfg, list := byHand(unhurried, mains...)
	cfg.Servers = []string{server.Addr().String()}
	if lossy {
		cfg.Servers = []string{lossyLine(t, cfg.Servers[0], seed)}
	}
	if slices.Contains(faults, fault.Crash) {
		cfg.SessionTimeout = 4 * time.Second // its session has to end
	}
	r, done := &recorder{}, 0
	r.on = func(e event.Event) { // a fault now and then, counted in calls
		if e.Kind != event.OpDone {
			return
		}
		if done++; done%20 == 0 && len(faults) > 0 {
			inject <- fault.Fault{Kind: faults[0], Client: 1 + done/20%clients}
			if faults = faults[1:]; len(faults) == 0 {
				close(inject)
			}
		}
	}
	if len(faults) == 0 {
		close(inject)
	}
	if err := live.Run(ctx, cfg, list, r, inject); err != nil {
		t.Fatal(err)
	}
	lawful(t, r)
	stop()
	<-watching
	disturbed := r.count(is(event.FaultInjected)) > 0 || r.count(is(event.ConnClosed)) > 0
	own := sessionsOf(r.log())
	want, got := facts(told.log(), cfg.Root, own, disturbed), facts(r.log(), cfg.Root, own, disturbed)
	if lossy {
		for _, all := range []map[string]int{want, got} { // which watch told a client something is a guess then
			maps.DeleteFunc(all, func(fact string, _ int) bool { return strings.HasPrefix(fact, event.WatchFired.String()) })
		}
	}
	if len(got) < 15 { // a client that crashes early does little
		t.Errorf("there are only %d facts", len(got))
	}
	for fact, n := range got {
		if path, ok := strings.CutSuffix(fact, unsure); ok && disturbed { // it claims no more than that the znode is gone
			if gone := deletions(want, path); deletions(got, path) > gone {
				t.Errorf("in the log %s more than %d times", path, gone)
			}
			continue
		}
		if n > want[fact] {
			t.Errorf("in the log %d times, in truth %d: %s", n, want[fact], fact)
		}
	}
	for fact, n := range want {
		if n > got[fact] && (!disturbed || strings.HasPrefix(fact, "session")) {
			t.Errorf("in truth %d times, in the log %d: %s", n, got[fact], fact)
		}
	}
	if t.Failed() {
		told.dump(t)
		r.dump(t)
	}
}

// unsure ends the fact that a znode is gone, nobody can tell why.
var unsure = " " + event.ByUnknown.String()

// deletions returns how often a znode is deleted, for whatever reason. Path has the kind of event before it.
func deletions(facts map[string]int, path string) (n int) {
	for fact, times := range facts {
		if strings.HasPrefix(fact, path+" ") {
			n += times
		}
	}
	return n
}

// lossyLine forwards connections to a server. Now and then it drops an answer to a client, and the connection with it.
func lossyLine(t *testing.T, server string, seed uint64) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	t.Cleanup(func() { l.Close(); all.Wait() })
	connect := func(in net.Conn, pass func() bool) {
		defer in.Close()
		out, err := net.Dial("tcp", server)
		if err != nil {
			return
		}
		defer out.Close()
		var clients atomic.Bool
		all.Go(func() {
			defer in.Close()
			each(out, func(payload []byte) bool {
				if reply, ok := capture.ReadReply(payload); ok && reply.Xid > 0 && clients.Load() && !pass() {
					return false
				}
				_, err := in.Write(framed(payload))
				return err == nil
			})
		})
		hello := true
		each(in, func(payload []byte) bool {
			var asked wire.ConnectRequest
			if hello && wire.DecodeConnectRequest(payload, &asked) == nil {
				clients.Store(time.Duration(asked.TimeoutMS)*time.Millisecond == unhurried)
			}
			hello = false
			_, err := out.Write(framed(payload))
			return err == nil
		})
	}
	all.Go(func() {
		for n := uint64(0); ; n++ {
			in, err := l.Accept()
			if err != nil {
				return
			}
			random := rand.New(rand.NewPCG(seed, n))
			all.Go(func() { connect(in, func() bool { return random.IntN(12) > 0 }) })
		}
	})
	return l.Addr().String()
}

// facts counts what a log says about changes to the run's znodes by its own clients, whose sessions are in own.
//
// In a disturbed run some things have two names. A session that a fault expires is, for the server, a closed one. And
// if a watch that is set again fires at once, the cause is the setting for the server, and the change for the run.
func facts(log []event.Event, root string, own map[int64]bool, disturbed bool) map[string]int {
	sessions := map[event.Actor]int64{}
	zxid := func(seq event.Seq) int64 {
		if seq == 0 {
			return 0
		}
		return log[seq-1].Zxid
	}
	all := map[string]int{}
	for _, e := range log {
		if e.Kind == event.SessionCreated {
			sessions[e.Peer] = e.Session
		}
		who := sessions[e.Peer]
		if !own[who] || e.Path != "" && !strings.HasPrefix(e.Path, root+"/") {
			continue
		}
		what := ""
		switch e.Kind {
		case event.SessionCreated:
		case event.SessionClosed, event.SessionExpired:
			if disturbed {
				e.Kind = event.SessionClosed
			}
		case event.ZnodeCreated:
			what = fmt.Sprintf("%q %d %v for %x at %x", e.Text, e.N, zoo.CreateMode(e.Mode), e.Session, e.Zxid)
		case event.ZnodeChanged:
			what = fmt.Sprintf("%q %d at %x", e.Text, e.N, e.Zxid)
		case event.ZnodeDeleted:
			if disturbed && e.Reason == event.BySessionExpired {
				e.Reason = event.BySessionClosed
			}
			what = e.Reason.String()
			if disturbed && e.Reason == event.ByUnknown {
				all[fmt.Sprint(e.Kind, " ", strings.TrimPrefix(e.Path, root), unsure)]++
				continue
			}
			if !disturbed { // the zxid of a delete without an answer is unknown
				what += fmt.Sprintf(" at %x", e.Zxid)
			}
		case event.WatchFired:
			what = fmt.Sprintf("%s, %v", event.TypeName(e.Type), e.Watch)
			if !disturbed {
				what += fmt.Sprintf(", because of %x", zxid(e.Cause))
			}
		default:
			continue
		}
		all[fmt.Sprintf("%v %s %s, by %x", e.Kind, strings.TrimPrefix(e.Path, root), what, who)]++
	}
	return all
}

// sessionsOf returns the sessions of a log.
func sessionsOf(log []event.Event) map[int64]bool {
	all := map[int64]bool{}
	for _, e := range log {
		if e.Kind == event.SessionCreated {
			all[e.Session] = true
		}
	}
	return all
}

// actor is a client that does random things.
type actor struct {
	zoo.Client
	root    string
	rand    *rand.Rand
	watches []zoo.Watch
}

func (a *actor) act() error {
	for range 60 {
		if err := a.step(); zoo.CodeOf(err) == zoo.ErrSessionExpired || zoo.CodeOf(err) == zoo.ErrStopped {
			return err
		}
	}
	return nil
}

func (a *actor) step() error {
	path := a.root + fmt.Sprint("/n", a.rand.IntN(4))
	if a.rand.IntN(3) == 0 {
		path += fmt.Sprint("/k", a.rand.IntN(2))
	}
	data := []byte(strings.Repeat("d", a.rand.IntN(5)) + a.Name())
	modes := [...]zoo.CreateMode{zoo.Persistent, zoo.Ephemeral, zoo.PersistentSequential, zoo.EphemeralSequential}
	mode := modes[a.rand.IntN(len(modes))]
	var w zoo.Watch
	var err error
	switch a.rand.IntN(10) {
	case 0, 1:
		_, err = a.Create(path, data, mode)
	case 2:
		_, err = a.Set(path, data, zoo.AnyVersion)
	case 3:
		err = a.Delete(path, zoo.AnyVersion)
	case 4:
		_, _, w, err = a.GetW(path)
	case 5:
		_, _, w, err = a.ExistsW(path)
	case 6, 7:
		_, _, w, err = a.ChildrenW(path)
	case 8:
		other := a.root + fmt.Sprint("/n", a.rand.IntN(4))
		set, remove := zoo.SetOp(other, data, zoo.AnyVersion), zoo.DeleteOp(other, zoo.AnyVersion)
		_, err = a.Multi(zoo.CreateOp(path, data, mode), set, remove)
	default:
		if len(a.watches) > 0 {
			_, err = a.Await(20*time.Millisecond, a.watches...)
			a.watches = nil
		}
	}
	if w != 0 {
		a.watches = append(a.watches, w)
	}
	return err
}
