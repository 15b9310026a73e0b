package sim

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/base/agenda"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// world is one run.
type world struct {
	cfg      Config
	ctx      context.Context
	sink     event.Sink
	now      time.Duration
	standing int // steps since the clock last moved
	seq      event.Seq
	agenda   agenda.Agenda[action]
	chance   *rand.Rand
	aside    *rand.Rand // for messages to stores, so that it doesn't change those to ZooKeeper
	server   zookeeper
	stores   process.Stores
	nodes    []*node // of other systems
	clients  []*client
	open     []zoo.ACL // of everything they create

	running int // clients whose process has not ended
	later   int // those of them that wait for another's end before they start
	busy    int // clients that will do something without being woken by another
	settle  process.Settling[*client]
	asleep  int // clients that wait for a watch with a timeout
	silent  int // clients that are paused or cut
	refused int // clients that try again from time to time
	pending int // faults still to come
	leaving int // ends of connections on their way to a node
}

// Run runs the processes until all of them and their sessions have ended, and appends every event to sink. Process
// i is client i+1. It returns an error for an invalid Config, and ctx's error when that ends first. Reaching a
// limit, or everyone waiting for ever, ends the log and is not an error.
func Run(ctx context.Context, cfg Config, procs []systems.Program, sink event.Sink) error {
	cfg = cfg.withDefaults()
	if err := cfg.validate(len(procs)); err != nil {
		return fmt.Errorf("simulate %s: %w", cfg.Recipe, err)
	}
	w := &world{
		cfg:     cfg,
		ctx:     ctx,
		sink:    sink,
		chance:  rand.New(rand.NewPCG(cfg.Seed, 0x7a6b76697a)),
		aside:   rand.New(rand.NewPCG(cfg.Seed, 0x73746f7265)),
		open:    zoo.OpenACL(),
		running: len(procs),
		busy:    len(procs),
	}
	switch {
	case cfg.NoZooKeeper:
		w.server = nobody{}
	case cfg.Servers > 1:
		w.server = newServers(w)
	default:
		w.server = newHost(w)
	}
	w.begin(procs)
	defer w.stopAll()
	why, err := w.loop()
	w.emit(event.Event{Kind: event.RunEnded, Reason: why})
	return err
}

func (w *world) begin(procs []systems.Program) {
	w.emit(event.Event{Kind: event.RunStarted, Text: w.cfg.Recipe})
	w.server.begin(w.cfg.Parents)
	newNodes(w)
	w.plan(func(f fault.Fault) bool { return f.Hold == 0 })
	for i, p := range procs {
		c := newClient(w, event.Actor(i+1), p)
		w.clients = append(w.clients, c)
	}
	w.server.whenReady(w.letIn)
}

// letIn starts the clients, each at its time from now on.
func (w *world) letIn() {
	for _, c := range w.clients {
		w.agenda.Add(w.now+c.proc.Start, action{step: stepStart, client: c})
	}
}

// Limits on endless loops: steps while the clock stands still, and calls of a client that are refused because its
// session or the run is over.
const (
	maxStanding = 20_000_000
	maxRefused  = 1_000_000
)

// polls is the number of steps between two checks of the context. A step takes up to a millisecond where a thousand
// clients list as many znodes.
const polls = 64

func (w *world) loop() (event.Reason, error) {
	for n := 1; ; n++ {
		if n%polls == 0 && w.ctx.Err() != nil {
			return event.EndCancelled, w.ctx.Err()
		}
		switch {
		case w.running == 0 && w.server.sessions() == 0 && w.nodesIdle() && w.leaving == 0:
			return event.EndAllDone, nil
		case int(w.seq) >= w.cfg.MaxEvents:
			return event.EndEvents, nil
		case w.busy == 0 && w.server.quiet() && w.settled():
			continue
		case w.stuck():
			return event.EndStuck, nil
		}
		at, a, ok := w.agenda.Next()
		if !ok {
			return event.EndAllDone, nil
		}
		if at > w.cfg.MaxTime {
			w.now = w.cfg.MaxTime
			return event.EndTime, nil
		}
		w.standing++
		if at > w.now {
			w.now, w.standing = at, 0
		}
		if w.standing > maxStanding {
			return event.EndSpin, nil
		}
		w.do(a)
	}
}

// stuck reports whether nothing but heartbeats will ever happen again.
func (w *world) stuck() bool {
	return w.busy == 0 && w.asleep == 0 && w.refused == 0 && w.silent == 0 && w.pending == 0 &&
		w.leaving == 0 && w.server.quiet() && w.server.well() && w.running > 0 &&
		(w.cfg.NoZooKeeper || w.running-w.later == w.server.sessions()) && w.nodesIdle() && w.nodesWell() &&
		!slices.ContainsFunc(w.clients, (*client).misled)
}

// settled wakes the first of those that wait for the others. It reports whether there was one.
func (w *world) settled() bool {
	c, ok := w.settle.Next(func(c *client) bool { return !c.state.Paused })
	if ok {
		c.wake()
	}
	return ok
}

func (w *world) do(a action) {
	if a.step <= lastAtClient {
		w.atClient(a)
		return
	}
	switch a.step {
	case stepRequest, stepPing, stepHello, stepGone:
		w.server.receive(a)
	case stepTick:
		w.server.ticks()
	case stepFault:
		w.pending--
		w.inject(w.cfg.Faults[a.n])
	case stepResume:
		a.client.resumed()
	case stepHeal:
		a.client.healed()
	case stepHurry:
		a.client.slow--
	case stepUp:
		w.server.startAgain()
	case stepServers:
		w.server.step(a)
	case stepLook:
		w.server.look(zab.ID(a.n))
	case stepMend:
		w.server.mended(a.client, zab.ID(a.n))
	case stepDial:
		a.client.redial(a.n)
	case stepNodeHello, stepNodeRequest:
		a.far.conn.node.receive(a)
	case stepNodeGone:
		w.leaving--
		a.far.conn.node.receive(a)
	case stepNodeTick:
		a.far.node.tick()
	case stepNodeUp:
		a.far.node.startAgain()
	case stepReplay:
		a.far.node.replay(a)
	case stepConfirm:
		a.far.node.confirm(a)
	case stepCatchUp:
		a.far.node.catchUp()
	case stepStore:
		w.store(a.client, a.write)
	}
}

func (w *world) atClient(a action) {
	c := a.client
	switch {
	case c.crashed:
		return
	case c.state.Paused:
		c.held = append(c.held, a)
		return
	}
	switch a.step {
	case stepStart:
		c.start()
	case stepTimer:
		c.timerFired(a.n)
	case stepBeat:
		c.beat(a.conn)
	case stepReconnect:
		c.reconnect(a.n)
	case stepNodeWelcome, stepNodeReply, stepNodePush, stepNodeHungUp:
		a.far.conn.received(a)
	case stepNodeLook:
		a.far.conn.line.looked(a.far, time.Duration(a.n))
	case stepBeside:
		c.run()
	case stepInterrupt:
		c.interrupted()
	case stepStored:
		c.stored(a.write)
	default:
		c.receive(a)
	}
}

func (w *world) emit(e event.Event) event.Seq {
	w.seq++
	e.Seq, e.At = w.seq, w.now
	w.sink.Append(e)
	return w.seq
}

// flight returns how long the next message takes, one way.
func (w *world) flight() time.Duration { return w.delay(w.chance) }

func (w *world) delay(chance *rand.Rand) time.Duration {
	if w.cfg.Jitter == 0 {
		return w.cfg.Latency
	}
	return w.cfg.Latency - w.cfg.Jitter + time.Duration(chance.Int64N(2*int64(w.cfg.Jitter)+1))
}

// flight returns how long the client's next message takes, one way.
func (c *client) flight() time.Duration {
	d := c.w.flight()
	if c.slow > 0 {
		d *= process.Slowness
	}
	return d
}

func (w *world) stopAll() {
	for _, c := range w.clients {
		c.halt()
	}
}
