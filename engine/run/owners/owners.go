package owners

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/window"
	"github.com/zkviz/zkviz/engine/run/shared"
)

// Limits of an observation. What is beyond them is counted as skipped.
const (
	// MaxNames bounds the names in a log.
	MaxNames = 500
	// WriteEvery is the pause between two entries of a log that are shown.
	WriteEvery = time.Second
	// maxWaiting bounds the entries that wait for it to be known who wrote them.
	maxWaiting = 200
	maxEpochs  = 10_000
)

// Owners observes who owns what. It implements room.Inside.
type Owners struct {
	bus     func() *shared.Bus // nil as long as the NATS can't be reached
	place   string
	skipped atomic.Uint64
}

// New returns Owners of a NATS, which a place names without a password.
func New(bus func() *shared.Bus, place string) *Owners { return &Owners{bus: bus, place: place} }

// Place returns where the NATS is.
func (o *Owners) Place() string { return o.place }

// System describes the NATS: how many servers it has makes no difference.
func (o *Owners) System() event.System { return event.System{Kind: event.NATSSystem, Servers: 1} }

// Promises returns what the log is judged by.
func (o *Owners) Promises() []string { return []string{promise.Fenced} }

// Inject refuses faults.
func (o *Owners) Inject(f fault.Fault) error {
	return sentence.Error("refused.node", sentence.Quote(f.String()))
}

// Skipped returns how many changes weren't shown, of all observations.
func (o *Owners) Skipped() uint64 { return o.skipped.Load() }

// errRoot refuses a part of the names.
var errRoot = errors.New("only all names together can be observed")

// Observe reports to sink what happens, until ctx ends, the link to NATS is lost, or the log has most events; then it
// returns event.ErrLogFull.
//
// The log begins with an EntrySet for each name that is owned. Then follow entry.set, entry.expires and entry.gone of
// the node, and of the servers client.started, recipe.phase (a mark, with the epoch) and store.written (an entry).
func (o *Owners) Observe(
	ctx context.Context, root string, sink event.Sink, most int, begun func(say func(event.Event) event.Seq),
) error {
	if root != "/" {
		return errRoot
	}
	bus := o.bus()
	if bus == nil {
		return shared.ErrNoLink
	}
	ob := &observation{owners: o, began: time.Now(), lease: bus.LeaseFor(), names: map[string]*name{},
		servers: map[string]event.Actor{}, kinds: map[string]int{}, epochs: map[uint64]*name{}}
	log := window.NewLog(root, most, 0, ob.began, 0)
	log.Who = ob.whoIs
	ob.Observation = window.NewObservation(log, &ob.mu, ob.now)
	if begun != nil {
		begun(ob.Say)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var watching sync.WaitGroup
	defer watching.Wait()
	defer cancel(nil)
	watching.Go(func() { cancel(bus.Watch(ctx, ob.take)) })
	return ob.Follow(ctx, sink)
}

// observation is one Observe.
type observation struct {
	*window.Observation
	owners *Owners
	began  time.Time
	lease  time.Duration

	mu      sync.Mutex // of the log and all below
	seq     event.Seq
	names   map[string]*name
	servers map[string]event.Actor // by process
	all     []string               // the processes in the order of their numbers
	kinds   map[string]int         // how many names of a kind there have been
	epochs  map[uint64]*name       // whose an epoch was, if that was seen to begin
	before  uint64                 // no epoch that was there before the log is higher
	waiting []shared.Change        // entries of epochs that will be seen to begin
}

// name is a name that was owned while somebody looked.
type name struct {
	path   string
	server event.Actor
	epoch  uint64        // 0 if it isn't known
	next   time.Duration // when an entry may be shown again
	shown  uint64        // the epoch whose owner is shown to hold it
}

func (o *observation) now() time.Duration { return time.Since(o.began) }

// whoIs returns what a server is called.
func (o *observation) whoIs(who event.Actor) string {
	if n := who.Number(); n >= 1 && n <= len(o.all) {
		return o.all[n-1]
	}
	return ""
}

// node is the NATS.
var node = event.Node(1)

// take adds a change to the log.
func (o *observation) take(c shared.Change) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch c.Kind {
	case shared.IsOwned, shared.Taken:
		o.own(c)
	case shared.Renewed:
		if n := o.names[c.Name]; n != nil {
			o.add(event.Event{Kind: event.EntryExpires, Actor: node, Peer: n.server, Path: n.path, N: o.ends()})
		}
	case shared.Released, shared.Expired:
		if n := o.names[c.Name]; n != nil {
			why := event.ByTimer
			if c.Kind == shared.Released {
				why = event.ByOp
			}
			o.add(event.Event{Kind: event.EntryGone, Actor: node, Peer: n.server, Path: n.path, Reason: why})
			o.leave(n, why)
		}
	case shared.Marked, shared.Appended:
		o.write(c)
	}
}

// ends returns when a lease ends that was renewed now, by the log's clock.
func (o *observation) ends() int64 { return int64(o.now() + o.lease) }

// add adds an event with a number of its own.
func (o *observation) add(e event.Event) {
	o.seq++
	o.Take(o.seq, e)
}

// own shows that a server owns a name.
func (o *observation) own(c shared.Change) {
	n := o.names[c.Name]
	if n == nil {
		if len(o.names) >= MaxNames {
			o.owners.skipped.Add(1)
			return
		}
		n = &name{path: o.pathOf(c.Name)}
		o.names[c.Name] = n
	}
	*n = name{path: n.path, server: o.server(c.Server)}
	o.add(event.Event{Kind: event.EntrySet, Actor: node, Peer: n.server, Path: n.path, Text: c.Server, N: o.ends(),
		Zxid: int64(c.Epoch)})
	if c.Kind == shared.IsOwned {
		o.before = max(o.before, c.Epoch)
		return
	}
	n.epoch = c.Epoch
	if len(o.epochs) >= maxEpochs {
		clear(o.epochs) // what they write isn't shown any more
	}
	of := *n // as long as this epoch lasts
	o.epochs[c.Epoch] = &of
	waiting := o.waiting
	o.waiting = nil
	for _, w := range waiting {
		o.write(w)
	}
}

// server returns the number of a process.
func (o *observation) server(process string) event.Actor {
	if a, ok := o.servers[process]; ok {
		return a
	}
	o.all = append(o.all, process)
	a := event.Actor(len(o.all))
	o.servers[process] = a
	return a
}

// kinds are the beginnings of names. All others are names of classes.
var kinds = []string{"live-", "join-", "recordings-"}

// pathOf returns the path that stands for a name.
func (o *observation) pathOf(name string) string {
	kind := "class"
	for _, k := range kinds {
		if strings.HasPrefix(name, k) {
			kind = strings.TrimSuffix(k, "-")
		}
	}
	o.kinds[kind]++
	return "/" + kind + "-" + strconv.Itoa(o.kinds[kind])
}

// leave shows that a server doesn't hold a name any more: it has given it up, or by its own rule it has stopped
// believing in a lease that it couldn't renew.
func (o *observation) leave(n *name, why event.Reason) {
	phase := program.Lost
	if why == event.ByOp {
		phase = program.Released
	}
	o.add(event.Event{Kind: event.RecipePhase, Actor: n.server, Path: n.path, Text: string(phase), N: int64(n.epoch)})
}

// write shows an entry, or the mark of a new owner.
func (o *observation) write(c shared.Change) {
	n := o.epochs[c.Epoch]
	switch was := o.names[c.Name]; {
	case n != nil:
	case c.Epoch > o.before && len(o.waiting) < maxWaiting: // the name comes beside
		o.waiting = append(o.waiting, c)
		return
	case c.Epoch <= o.before && was != nil && (was.epoch == 0 || was.epoch == c.Epoch):
		n, was.epoch = was, c.Epoch // the owner since before the log
	default:
		o.owners.skipped.Add(1)
		return
	}
	at := o.now()
	if n.shown == c.Epoch && c.Kind == shared.Appended && at < n.next {
		o.owners.skipped.Add(1)
		return
	}
	if n.shown != c.Epoch {
		n.shown = c.Epoch
		o.add(event.Event{Kind: event.RecipePhase, Actor: n.server, Path: n.path, Text: string(program.Holding),
			N: int64(c.Epoch)})
	}
	if c.Kind == shared.Appended {
		n.next = at + WriteEvery
		o.add(event.Event{Kind: event.StoreWritten, Actor: n.server, Path: n.path, N: int64(c.Epoch),
			Text: strconv.FormatUint(c.N, 10)})
	}
}
