package live

import (
	"context"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/host/realtime"
	"github.com/zkviz/zkviz/engine/observe/capture"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// world is one run. Its lock guards everything in it and everything that it points to; a method that takes the lock
// itself says so.
type world struct {
	*realtime.World
	cfg     Config
	acl     []zk.ACL // of znodes that clients create; constant once the clients exist
	clients []*client
	links   []*link
	away    bool // no server is in reach

	known      *capture.Cluster
	unresolved []uncertainWrite // writes with unknown outcome
	uncertain  int              // how many such writes are still unresolved
	ask        chan struct{}    // asks for a look at the sessions that may be over

	servers   []*server // of an ensemble; constant once the run has begun
	rolesLeft bool      // the log says that some servers don't report their role
}

func newWorld(ctx context.Context, cfg Config, procs []systems.Program, sink event.Sink) *world {
	w := &world{cfg: cfg, ask: make(chan struct{}, 1)}
	withSession := slices.Clone(procs)
	for i := range procs {
		withSession[i].Main = func(systems.World) error { return w.clients[i].main() }
	}
	w.World = realtime.NewWorld(ctx, realtime.Config{Nodes: cfg.Nodes, Root: cfg.Root, Latency: cfg.Latency,
		Recipe: cfg.Recipe, Source: cfg.Source, Faults: cfg.Faults, MaxEvents: cfg.MaxEvents}, withSession, sink, w)
	w.known = capture.NewCluster(w.Emit, w.lookSoon, w.CheckDone)
	for i, t := range w.Threads() {
		w.clients = append(w.clients, newClient(w, t, event.Actor(i+1), procs[i]))
	}
	return w
}

// keepLooking watches silent sessions until the run is over.
func (w *world) keepLooking(d *adminConn) {
	every := time.NewTicker(lookEvery)
	defer every.Stop()
	for {
		select {
		case <-w.Over():
			return
		case <-w.ask:
		case <-every.C:
		}
		if err := d.keepMark(w.cfg.Root); err != nil {
			w.Locked(func() { w.Fail(err) })
			return
		}
		var this int
		w.Locked(func() { this = w.known.BeginLook(); w.known.Settle(time.Now()) })
		if w.resolve(d) && w.look(d) {
			w.Locked(func() { w.known.Looked(this, time.Now()) })
		}
		w.Locked(func() { w.Look(!slices.ContainsFunc(w.clients, (*client).mayBeOver)) })
	}
}

// Idle implements realtime.System: no session or uncertain write is left to wait for.
func (w *world) Idle() bool {
	alive := func(c *client) bool { return c.Session != 0 && !c.Gone }
	return w.uncertain == 0 && !slices.ContainsFunc(w.clients, alive)
}

// lookSoon asks for a look at the sessions that may be over.
func (w *world) lookSoon() {
	select {
	case w.ask <- struct{}{}:
	default:
	}
}

// stopGrace is how long processes get to return after the end of a run.
const stopGrace = 5 * time.Second

// stopClients ends the remaining sessions. It takes the lock.
func (w *world) stopClients() {
	var all sync.WaitGroup
	for _, c := range w.clients {
		all.Go(c.disband)
	}
	all.Wait()
}

// hangUp closes the connections that are left. It takes the lock.
func (w *world) hangUp() {
	w.Locked(func() {
		for _, l := range w.links {
			l.timer.Stop()
			l.hangUp(net.ErrClosed)
		}
	})
}
