// Package feed makes logs of an ensemble's transactions: one stream of them, which engine/learner learns, becomes as
// many logs as there are subtrees that somebody looks at.
//
// It needs no watch and asks nobody anything. What a client believes, asks and is told no transaction says.
package feed

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/engine/capture"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/learner"
	"github.com/zkviz/zkviz/engine/replay"
	"github.com/zkviz/zkviz/engine/txnlog"
	"github.com/zkviz/zkviz/engine/wire"
)

// Config says whose transactions to learn.
type Config struct {
	Servers []string // host:port of each server's quorum port
	// Find finds them if Servers is empty. It is asked again until it answers, as it is when none of them can be
	// learned from.
	Find func(context.Context) ([]string, error)
	// Dial connects to one of them; nil for plain TCP.
	Dial    func(ctx context.Context, addr string) (net.Conn, error)
	Silence time.Duration // see learner.FollowConfig
	// Tell is told why there is nothing to learn from, and nil once there is; nil if nobody needs to know.
	Tell func(why error)
	// Say puts why there is nothing to learn from into words; nil for what the error says.
	Say func(why error) string
}

// Feed is an ensemble, by its transactions. Any number of logs can be made of it at once.
type Feed struct {
	cfg    Config
	mu     sync.Mutex
	from   time.Time // of its clock
	state  *replay.State
	coming *replay.State // a tree that is not whole yet: nobody but Run looks at it
	tree   txnlog.Tree   // which takes it in
	came   atomic.Int64  // znodes of it
	synced chan struct{} // closed when the state is that of the ensemble
	ready  bool
	tried  chan struct{} // closed when it is, or when it is known why it cannot be
	heard  heard         // of what comes
	gone   time.Time     // while there is no leader, when one was heard of last
	away   string        // why there is no leader to learn from; empty while there is one
	late   skew
	on     map[*observation]struct{}
	along  Along
	over   bool
}

// Along goes along with a feed: it is told of all that the ensemble does, one call at a time, and before the next
// transaction is learned. It must not call the Feed.
type Along interface {
	// Begin has the tree as it is at that time, in ms since 1970 by this program's clock. What was told before holds no
	// more if it is not the first.
	Begin(s *replay.State, timeMS int64)
	// Take has a transaction of that time, and what it has led to, which is good until it returns.
	Take(t *wire.Txn, facts []replay.Fact, timeMS int64)
}

// GoAlong has one go along with the feed from now on, in place of another.
func (f *Feed) GoAlong(a Along) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.along = a
	if f.state != nil {
		a.Begin(f.state, f.wallMS(f.since()))
	}
}

// Away returns why there is no leader to learn from, and when one was heard of last; empty while there is one.
func (f *Feed) Away() (why string, heard time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.away, f.gone
}

// Has reports whether there is a znode, as far as transactions have come.
func (f *Feed) Has(path string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state != nil && f.state.Node(path) != nil
}

// Coming returns how many znodes have come of a tree that is not whole yet.
func (f *Feed) Coming() int { return int(f.came.Load()) }

// wallMS is a time of the feed's clock in ms since 1970.
func (f *Feed) wallMS(at time.Duration) int64 { return f.from.Add(at).UnixMilli() }

// New is a feed of which nothing is known yet.
func New(cfg Config) *Feed {
	return &Feed{cfg: cfg, from: time.Now(), synced: make(chan struct{}), tried: make(chan struct{}),
		on: map[*observation]struct{}{}}
}

// Run learns, until ctx ends. It returns why.
func (f *Feed) Run(ctx context.Context) error {
	servers, err := f.servers(ctx)
	if err == nil {
		err = learner.Follow(ctx, learner.FollowConfig{Servers: servers, Dial: f.heard.dial(f.cfg.Dial),
			Silence: f.cfg.Silence, Lost: f.lost}, f.taker())
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
	f.try()
	for o := range f.on {
		o.Over()
	}
	return err
}

func (f *Feed) since() time.Duration { return time.Since(f.from) }

// findAgain is how long to wait before the servers are looked for again.
const findAgain = 5 * time.Second

// servers are those that are named, or found.
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

// Wait waits until the ensemble has been joined or it is known why not, which it reports, or until ctx ends.
func (f *Feed) Wait(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-f.tried:
		return true
	}
}

// Joined reports whether the ensemble has been joined: it was, even if it has no leader now.
func (f *Feed) Joined() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ready
}

// try notes that it has been tried. The caller holds mu.
func (f *Feed) try() {
	select {
	case <-f.tried:
	default:
		close(f.tried)
	}
}

// outcome tells how it goes. The caller holds mu.
func (f *Feed) outcome(why error) {
	f.try()
	if f.cfg.Tell != nil {
		f.cfg.Tell(why)
	}
}

// lost is that there is no leader to learn from.
func (f *Feed) lost(why error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	text := why.Error()
	if f.cfg.Say != nil {
		text = f.cfg.Say(why)
	}
	if f.away == text {
		return
	}
	f.outcome(why)
	if f.away == "" {
		f.gone = f.heard.last()
	}
	f.away = text
	f.late.past(f.since())
	for o := range f.on {
		o.Take(0, f.disconnected())
	}
}

// taker takes what is learned.
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
				f.came.Add(1)
				return f.tree.Node(n)
			},
		},
		Txn:    func(t *wire.Txn) error { return locked(func() { f.take(t) }) },
		Synced: func() error { return locked(f.sync) },
	}
}

// begin is a leader's beginning. What is known stays if that is right; else the logs begin anew once the tree is there.
func (f *Feed) begin(b learner.Beginning) {
	f.coming = nil
	f.came.Store(0)
	if f.state == nil || !b.Kept || b.Zxid < f.state.Zxid {
		f.coming = replay.New("/")
		f.coming.Guarded, f.coming.Zxid = true, b.Zxid
		f.tree = f.coming.Tree()
	}
	f.late.catchUp()
}

func (f *Feed) take(t *wire.Txn) {
	if f.coming != nil {
		f.coming.Apply(t)
		return
	}
	at := f.late.at(f.since(), time.Duration(t.TimeMS)*time.Millisecond)
	facts := f.state.Apply(t)
	for o := range f.on {
		o.told(at, f.state, facts)
	}
	if f.along != nil {
		f.along.Take(t, facts, f.wallMS(at))
	}
}

// sync is that everything has come that was decided on by now.
func (f *Feed) sync() {
	f.late.live()
	f.outcome(nil)
	if f.away != "" { // not before: what was missed happened before
		f.away = ""
		f.late.past(f.since())
		for o := range f.on {
			o.Take(0, event.Event{Kind: event.Reconnected})
		}
	}
	if f.coming != nil {
		f.state, f.coming = f.coming, nil
		for o := range f.on {
			o.Over() // it begins anew, with what is there now
		}
		if f.along != nil {
			f.along.Begin(f.state, f.wallMS(f.since()))
		}
	}
	if !f.ready {
		f.ready = true
		close(f.synced)
	}
}

// Observe reports to sink what happens at the znode root and below it, until ctx ends, Run does, or the log has that
// many events (0: capture.MaxEvents); then it returns event.ErrLogFull, as it does when what was known of the ensemble
// is wrong: observe into a new log. It waits until there is something to report.
//
// The log begins with RunStarted, whose Zxid is the last one so far, and with the znodes that are there, each with when
// it was made. The log's clients are the sessions that own one of them, or that asked for a transaction of one of them;
// SessionSeen introduces one that was there before, and SessionCreated, with the zxid at which it was opened, one that
// has come since, when it first does something here. Then follow session.closed and session.expired of these,
// txn.applied and znode.*, each with its cause.
func (f *Feed) Observe(ctx context.Context, root string, sink event.Sink, most int) error {
	return f.ObserveBeside(ctx, root, sink, most, nil)
}

// ObserveBeside is Observe of a log into which something else is put as well. When it begins it calls begun, unless
// that is nil, with what puts an event in that is about a session, or about none (0). If the log does not have the
// session the event is left out, unless it is a watch; so it is while there is no leader, since what comes then
// happened before.
func (f *Feed) ObserveBeside(ctx context.Context, root string, sink event.Sink, most int,
	begun func(say func(session int64, e event.Event))) error {
	if err := capture.ValidRoot(root); err != nil {
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
		delete(f.on, o)
	}()
	if begun != nil {
		begun(func(session int64, e event.Event) { f.say(o, session, e) })
	}
	err = o.Follow(ctx, sink)
	if errors.Is(err, net.ErrClosed) && !f.ended() {
		err = event.ErrLogFull
	}
	return fmt.Errorf("observe %s: %w", root, err)
}

// say puts an event into a log that is about a session; 0 for none.
func (f *Feed) say(o *observation, session int64, e event.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.away != "" || session != 0 && o.clients[session] == 0 && e.Kind != event.WatchSet {
		return
	}
	now := f.since()
	f.late.past(now)
	e.Peer = o.Client(now, o.client(now, f.state, session))
	if session == 0 || e.Peer != event.ZooKeeper {
		o.SayAt(now, e)
	}
}

func (f *Feed) ended() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.over
}

// observation is a log in the making.
type observation struct {
	*capture.Observation
	*account
}

// observe begins a log with what is there.
func (f *Feed) observe(root string, most int) (*observation, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return nil, net.ErrClosed
	}
	log := capture.NewLog(root, most, f.since(), time.Now(), f.state.Zxid)
	o := &observation{capture.NewObservation(log, &f.mu, f.since), nil}
	o.account = newAccount(log, f.state.Zxid, o.TakeAt)
	o.present(f.since(), f.state)
	if f.away != "" {
		o.Take(0, f.disconnected())
	}
	f.on[o] = struct{}{}
	return o, nil
}
