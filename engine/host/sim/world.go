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
	cfg         Config
	ctx         context.Context
	sink        event.Sink
	now         time.Duration
	stepsAtOnce int // steps since the clock last moved
	seq         event.Seq
	agenda      agenda.Agenda[action]
	chance      *rand.Rand
	storeChance *rand.Rand // for messages to stores, so that it doesn't change those to ZooKeeper
	server      zookeeper
	stores      process.Stores
	nodes       []*node // of other systems
	clients     []*client
	post        *post
	acl         []zoo.ACL // of everything they create

	running      int // clients whose process has not ended
	waitToStart  int // those of them that wait for another's end before they start
	busy         int // clients that will do something without being woken by another
	settle       process.Settling[*client]
	timedWaits   int // clients that wait for a watch with a timeout
	unreachable  int // clients that are paused or cut
	refused      int // clients that try again from time to time
	pending      int // faults still to come
	endsInFlight int // ends of connections on their way to a node
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
		cfg:         cfg,
		ctx:         ctx,
		sink:        sink,
		chance:      rand.New(rand.NewPCG(cfg.Seed, 0x7a6b76697a)),
		storeChance: rand.New(rand.NewPCG(cfg.Seed, 0x73746f7265)),
		acl:         zoo.OpenACL(),
		post:        newPost(cfg.Faults),
		running:     len(procs),
		busy:        len(procs),
	}
	switch {
	case cfg.NoZooKeeper:
		w.server = noZooKeeper{}
	case cfg.Servers > 1:
		w.server = newServers(w)
	default:
		w.server = newStandalone(w)
	}
	w.begin(procs)
	defer w.stopAll()
	why, err := w.loop()
	w.emit(event.Event{Kind: event.RunEnded, Reason: why})
	return err
}

func (w *world) begin(procs []systems.Program) {
	w.emit(event.Event{Kind: event.RunStarted, Text: w.cfg.Recipe})
	w.server.createParents(w.cfg.Parents)
	newNodes(w)
	w.planFaults(func(f fault.Fault) bool { return f.Hold == 0 })
	for i, p := range procs {
		c := newClient(w, event.Actor(i+1), p)
		w.clients = append(w.clients, c)
	}
	w.server.whenReady(w.startClients)
}

// startClients starts the clients, each at its time from now on.
func (w *world) startClients() {
	for _, c := range w.clients {
		w.agenda.Add(w.now+c.proc.Start, action{step: stepStart, client: c})
	}
}

// Limits on endless loops: steps while the clock stands still, and calls of a client that are refused because its
// session or the run is over.
const (
	maxStepsAtOnce = 20_000_000
	maxRefused     = 1_000_000
)

// stepsPerCheck is the number of steps between two checks of the context. A step takes up to a millisecond where a
// thousand clients list as many znodes.
const stepsPerCheck = 64

func (w *world) loop() (event.Reason, error) {
	var a action // the step's, which is allocated once for all
	for n := 1; ; n++ {
		if n%stepsPerCheck == 0 && w.ctx.Err() != nil {
			return event.EndCancelled, w.ctx.Err()
		}
		switch {
		case w.running == 0 && w.server.sessions() == 0 && w.nodesIdle() && w.endsInFlight == 0:
			return event.EndAllDone, nil
		case int(w.seq) >= w.cfg.MaxEvents:
			return event.EndEvents, nil
		case w.busy == 0 && w.server.quiet() && w.wakeSettled():
			continue
		case w.stuck():
			return event.EndStuck, nil
		}
		at, next, ok := w.agenda.Next()
		if !ok {
			return event.EndAllDone, nil
		}
		if at > w.cfg.MaxTime {
			w.now = w.cfg.MaxTime
			return event.EndTime, nil
		}
		w.stepsAtOnce++
		if at > w.now {
			w.now, w.stepsAtOnce = at, 0
		}
		if w.stepsAtOnce > maxStepsAtOnce {
			return event.EndSpin, nil
		}
		a = next
		w.do(&a)
	}
}

// stuck reports whether nothing but heartbeats will ever happen again.
func (w *world) stuck() bool {
	return w.busy == 0 && w.timedWaits == 0 && w.refused == 0 && w.unreachable == 0 && w.pending == 0 &&
		w.endsInFlight == 0 && w.server.quiet() && w.server.healthy() && w.running > 0 &&
		(w.cfg.NoZooKeeper || w.running-w.waitToStart == w.server.sessions()) && w.nodesIdle() && w.nodesUp() &&
		!slices.ContainsFunc(w.clients, (*client).misled)
}

// wakeSettled wakes the first of those that wait for the others. It reports whether there was one.
func (w *world) wakeSettled() bool {
	c, ok := w.settle.Next(func(c *client) bool { return !c.state.Paused })
	if ok {
		c.wake()
	}
	return ok
}

func (w *world) do(a *action) {
	if a.step <= lastAtClient {
		w.deliver(a)
		return
	}
	switch a.step {
	case stepRequest, stepPing, stepHello, stepGone:
		w.server.receive(a)
	case stepTick:
		w.server.tick()
	case stepFault:
		w.pending--
		w.inject(w.cfg.Faults[a.n])
	case stepLetter:
		w.letterArrives(a.n)
	case stepResume:
		a.client.pause.end()
	case stepHeal:
		a.client.network.heal()
	case stepEndDelay:
		a.client.network.slow--
	case stepServerUp:
		w.server.start()
	case stepServers:
		w.server.step(a)
	case stepCheckSessions:
		w.server.checkSessions(zab.ID(a.n))
	case stepLinkHealed:
		w.server.linkHealed(a.client, zab.ID(a.n))
	case stepDial:
		a.client.session.redial(a.n)
	case stepNodeHello, stepNodeRequest:
		a.message.conn.node.receive(a)
	case stepNodeGone:
		w.endsInFlight--
		a.message.conn.node.receive(a)
	case stepNodeTick:
		a.message.node.tick()
	case stepNodeUp:
		a.message.node.start()
	case stepReplay:
		a.message.node.replay(a)
	case stepConfirm:
		a.message.node.confirm(a)
	case stepEndLag:
		a.message.node.endLag()
	case stepStore:
		w.store(a.client, a.write)
	}
}

func (w *world) deliver(a *action) {
	c := a.client
	switch {
	case c.crashed:
		return
	case c.state.Paused:
		c.pause.held = append(c.pause.held, *a)
		return
	}
	switch a.step {
	case stepStart:
		c.start()
	case stepTimer:
		c.timerFired(a.n)
	case stepHeartbeat:
		c.session.heartbeat(a.conn)
	case stepReconnect:
		c.session.reconnect(a.n)
	case stepNodeWelcome, stepNodeReply, stepNodePush, stepNodeHungUp:
		a.message.conn.received(a)
	case stepNodeCheck:
		a.message.conn.owner.check(a.message, time.Duration(a.n))
	case stepStartBeside:
		c.run()
	case stepInterrupt:
		c.wakeInterrupted()
	case stepStored:
		c.stored(a.write)
	default:
		c.session.receive(a)
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

func (w *world) stopAll() {
	for _, c := range w.clients {
		c.halt()
	}
}
