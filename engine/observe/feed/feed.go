// Package feed makes logs of an ensemble's transactions. engine/zookeeper/learner receives one stream of them, and feed
// splits it into a log for each observed subtree.
//
// It sets no watches and sends no requests. Transactions don't show what clients believe, request or receive.
package feed

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/window"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/zookeeper/learner"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// Config says which ensemble's transactions to read.
type Config struct {
	Servers []string // host:port of each server's quorum port
	// Find finds the servers if Servers is empty. It is called until it succeeds.
	Find func(context.Context) ([]string, error)
	// Dial connects to a server; nil for plain TCP.
	Dial    func(ctx context.Context, addr string) (net.Conn, error)
	Silence time.Duration // see learner.FollowConfig
	// Learn reads the transactions; nil for learner.Follow.
	Learn Learn
	// Report receives the reason when there is no leader, and nil once there is one; it may be nil. It may block: only the
	// end of Run waits for it.
	Report func(why error)
	// Describe puts that reason into words; nil to use the error's text.
	Describe func(why error) string
}

// Learn is learner.Follow, or what stands in for it.
type Learn func(context.Context, learner.FollowConfig, learner.To) error

// Feed follows an ensemble by its transactions. It can write any number of logs at once.
type Feed struct {
	cfg          Config
	mu           sync.Mutex
	from         time.Time // the zero of its clock
	state        *replay.State
	loading      *replay.State // a tree that is still incomplete; only Run sees it
	tree         txnlog.Tree   // receives loading's znodes
	loaded       atomic.Int64  // how many znodes of it have arrived
	synced       chan struct{} // closed when state has the ensemble's current state
	ready        bool
	tried        chan struct{} // closed with synced, or when the reason for a failure is known
	heard        heard         // incoming data
	lastHeard    time.Time     // while there is no leader: when one was last heard from
	away         string        // why there is no leader; empty while there is one
	epoch        int64         // of the leader that was joined last
	skew         skew
	observations map[*observation]struct{}
	subscriber   Subscriber
	over         bool
	reports      *reports // of outcomes
}

// Subscriber subscribes to a feed. It receives everything that the ensemble does, one call at a time, before the next
// transaction is read. It must not call the Feed.
type Subscriber interface {
	// Begin receives the znodes by their paths, in no order, as of that time, in ms since 1970 on this program's clock.
	// A later Begin replaces everything received before.
	Begin(tree iter.Seq2[string, *replay.Node], timeMS int64)
	// Take receives a transaction, its time, and its effects. They are valid until it returns.
	Take(t *wire.Txn, facts []replay.Fact, timeMS int64)
}

// Subscribe subscribes a to the feed from now on, in place of any other subscriber.
func (f *Feed) Subscribe(s Subscriber) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.subscriber = s
	if f.state != nil {
		s.Begin(f.state.Below("/"), f.wallMS(f.since()))
	}
}

// Away returns why there is no leader and when one was last heard from. The reason is empty while there is a leader.
func (f *Feed) Away() (why string, heard time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.away, f.lastHeard
}

// Epoch returns the epoch of the leader that sends its transactions; false while there is none.
func (f *Feed) Epoch() (int64, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.epoch, f.ready && f.away == "" && !f.over
}

// Has reports whether a znode exists after the transactions so far.
func (f *Feed) Has(path string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state != nil && f.state.Node(path) != nil
}

// Loaded returns how many znodes of an incomplete tree have arrived.
func (f *Feed) Loaded() int { return int(f.loaded.Load()) }

// wallMS converts a time of the feed's clock to ms since 1970.
func (f *Feed) wallMS(at time.Duration) int64 { return f.from.Add(at).UnixMilli() }

// New returns a feed that knows nothing yet.
func New(cfg Config) *Feed {
	if cfg.Learn == nil {
		cfg.Learn = learner.Follow
	}
	return &Feed{cfg: cfg, from: time.Now(), synced: make(chan struct{}), tried: make(chan struct{}),
		observations: map[*observation]struct{}{}, reports: newReports(cfg.Report)}
}

// Run reads transactions until ctx ends or reading is impossible. It returns the reason.
func (f *Feed) Run(ctx context.Context) error {
	over := make(chan struct{})
	var reporting sync.WaitGroup
	reporting.Go(func() { f.reports.run(over) })
	defer reporting.Wait()
	defer close(over)
	servers, err := f.servers(ctx)
	if err == nil {
		err = f.cfg.Learn(ctx, learner.FollowConfig{Servers: servers, Dial: f.heard.dial(f.cfg.Dial),
			Silence: f.cfg.Silence, Lost: f.lost}, f.taker())
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
	f.markTried()
	for o := range f.observations {
		o.Over()
	}
	return err
}

func (f *Feed) since() time.Duration { return time.Since(f.from) }

// findAgain is the pause between two calls of Find.
const findAgain = 5 * time.Second

// servers returns the configured servers, or those that Find finds.
func (f *Feed) servers(ctx context.Context) ([]string, error) {
	for len(f.cfg.Servers) == 0 && f.cfg.Find != nil {
		found, err := f.cfg.Find(ctx)
		if err == nil {
			return found, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		f.lost(err)
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(findAgain):
		}
	}
	return f.cfg.Servers, nil
}

// Wait waits until the feed has joined the ensemble or knows why it cannot. It reports false if ctx ends first.
func (f *Feed) Wait(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-f.tried:
		return true
	}
}

// Ended reports whether Run returns, or has returned: there will be no further transactions.
func (f *Feed) Ended() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.over
}

// Joined reports whether the feed has ever joined the ensemble, even if there is no leader now.
func (f *Feed) Joined() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ready
}

// markTried records that joining was tried. Callers hold mu.
func (f *Feed) markTried() {
	select {
	case <-f.tried:
	default:
		close(f.tried)
	}
}

// outcome reports success or failure. Callers hold mu.
func (f *Feed) outcome(why error) {
	f.markTried()
	f.reports.put(why)
}

// lost records that there is no leader.
func (f *Feed) lost(why error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	text := why.Error()
	if f.cfg.Describe != nil {
		text = f.cfg.Describe(why)
	}
	if f.away == text {
		return
	}
	f.outcome(why)
	if f.away == "" {
		f.lastHeard = f.heard.last()
	}
	f.away = text
	f.skew.past(f.since())
	for o := range f.observations {
		o.Take(0, f.disconnected())
	}
}

// taker returns the functions that receive what the learner reads.
func (f *Feed) taker() learner.To {
	locked := func(do func()) error {
		f.mu.Lock()
		defer f.mu.Unlock()
		do()
		return nil
	}
	return learner.To{
		Begin: func(b learner.Beginning) error { return locked(func() { f.begin(b) }) },
		Tree: txnlog.Tree{
			Session: func(id int64, ms int32) error { return f.tree.Session(id, ms) },
			Node: func(n *txnlog.Node) error {
				f.loaded.Add(1)
				return f.tree.Node(n)
			},
		},
		Txn:    func(t *wire.Txn) error { return locked(func() { f.take(t) }) },
		Synced: func() error { return locked(f.sync) },
	}
}

// begin handles the start of a leader. The known state stays if it is right. Otherwise the logs start again once
// the tree is complete.
func (f *Feed) begin(b learner.Beginning) {
	f.loading, f.epoch = nil, b.Epoch
	f.loaded.Store(0)
	if f.state == nil || !b.Kept || b.Zxid < f.state.Zxid {
		f.loading = replay.New("/")
		f.loading.Guarded, f.loading.Zxid = true, b.Zxid
		f.tree = f.loading.Tree()
	}
	f.skew.catchUp()
}

func (f *Feed) take(t *wire.Txn) {
	if f.loading != nil {
		f.loading.Apply(t)
		return
	}
	at := f.skew.at(f.since(), time.Duration(t.TimeMS)*time.Millisecond)
	facts := f.state.Apply(t)
	for o := range f.observations {
		o.report(at, f.state, facts)
	}
	if f.subscriber != nil {
		f.subscriber.Take(t, facts, f.wallMS(at))
	}
}

// sync records that every transaction decided so far has arrived.
func (f *Feed) sync() {
	f.skew.live()
	f.outcome(nil)
	if f.away != "" { // only now: what was missed happened before
		f.away = ""
		f.skew.past(f.since())
		for o := range f.observations {
			o.Take(0, event.Event{Kind: event.Reconnected})
		}
	}
	if f.loading != nil {
		f.state, f.loading = f.loading, nil
		for o := range f.observations {
			o.Over() // its reader starts a new log with the current state
		}
		if f.subscriber != nil {
			f.subscriber.Begin(f.state.Below("/"), f.wallMS(f.since()))
		}
	}
	if !f.ready {
		f.ready = true
		close(f.synced)
	}
}

// Observe reports to sink what happens at the znode root and below it. It ends when ctx or Run ends. It returns
// event.ErrLogFull when the log has most events (0: window.MaxEvents) or when the known state turns out wrong:
// observe into a new log. It waits until there is something to report.
//
// The log begins with RunStarted, whose Zxid is the last one so far, and with the existing znodes, each with its
// creation time. The log's clients are the sessions that own one of them or that requested a transaction on one of
// them. SessionSeen introduces an older session, and SessionCreated, with its opening zxid, a newer one when it
// first does something here. Then follow session.closed and session.expired of these, txn.applied and znode.*, each
// with its cause.
//
// Unless begun is nil, it is called when the log begins. Its argument adds an event about a session, or about none
// (0). An event is left out if the log doesn't have the session, unless it is a watch. It is also left out while
// there is no leader, because the transactions still to come happened before it.
func (f *Feed) Observe(ctx context.Context, root string, sink event.Sink, most int,
	begun func(say func(session int64, e event.Event))) error {
	if err := znode.CheckRoot(root); err != nil {
		return fmt.Errorf("observe %q: %w", root, err)
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-f.synced:
	}
	o, err := f.observe(root, most)
	if err != nil {
		return fmt.Errorf("observe %s: %w", root, err)
	}
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.observations, o)
	}()
	if begun != nil {
		begun(func(session int64, e event.Event) { f.say(o, session, e) })
	}
	err = o.Follow(ctx, sink)
	if errors.Is(err, net.ErrClosed) && !f.Ended() {
		err = event.ErrLogFull
	}
	return fmt.Errorf("observe %s: %w", root, err)
}

// say adds an event about a session to a log; 0 for none.
func (f *Feed) say(o *observation, session int64, e event.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.away != "" || session != 0 && o.clients[session] == 0 && e.Kind != event.WatchSet {
		return
	}
	now := f.since()
	f.skew.past(now)
	e.Peer = o.Client(now, o.client(now, f.state, session))
	if session == 0 || e.Peer != event.ZooKeeper {
		o.SayAt(now, e)
	}
}

// observation is a log that is being written.
type observation struct {
	*window.Observation
	*writer
}

// observe begins a log with the current state.
func (f *Feed) observe(root string, most int) (*observation, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return nil, net.ErrClosed
	}
	log := window.NewLog(root, most, f.since(), time.Now(), f.state.Zxid)
	o := &observation{window.NewObservation(log, &f.mu, f.since), nil}
	o.writer = newWriter(log, f.state.Zxid, o.TakeAt)
	o.present(f.since(), f.state)
	if f.away != "" {
		o.Take(0, f.disconnected())
	}
	f.observations[o] = struct{}{}
	return o, nil
}
