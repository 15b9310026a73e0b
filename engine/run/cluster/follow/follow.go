// Package follow makes engine/observe/locks follow a cluster: through all its transactions if zkviz has joined it, and
// otherwise by reading below a path for as long as somebody asks about it. All paths are those that clients use.
//
// It writes nothing, and asks servers about sessions only while somebody asks it. The web server's pages and
// viz-server locks call it.
package follow

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/ensemble"
	"github.com/zkviz/zkviz/engine/observe/feed"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/observe/sessions"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// Locks knows the locks of a cluster. Callers must Close it.
type Locks struct {
	on        cluster.Cluster
	joined    *joinedLocks // nil if nothing is joined
	stop      context.Context
	end       context.CancelFunc
	mu        sync.Mutex
	read      map[string]*reading // by path
	asked     chan struct{}       // closed when servers have reported sessions; nil while nobody asks
	roles     chan struct{}       // likewise when they have reported how they are
	held      held
	addresses addresses
	all       sync.WaitGroup
	open      atomic.Int64 // our own sessions
}

// Sessions returns how many sessions are open for reading.
func (l *Locks) Sessions() int { return int(l.open.Load()) }

// mine counts a session of our own.
func (l *Locks) mine(session int64) (gone func()) {
	l.open.Add(1)
	forget := l.on.Sessions.Mine(session)
	return func() {
		l.open.Add(-1)
		forget()
	}
}

// New starts following the locks of a cluster.
func New(on cluster.Cluster) *Locks {
	l := &Locks{on: on, read: map[string]*reading{}}
	l.stop, l.end = context.WithCancel(context.Background())
	if on.Feed != nil {
		l.joined = &joinedLocks{locks: locks.New("/")}
		on.Subscribe(l.joined)
	}
	if on.Feed != nil && on.Ensemble != nil {
		on.Ensemble.Hear(func() (h ensemble.Heard) {
			h.Epoch, h.Leads = on.Feed.Epoch()
			return h
		})
	}
	return l
}

// Close ends all reading.
func (l *Locks) Close() {
	l.end()
	l.all.Wait()
}

// Report describes the locks now.
type Report struct {
	locks.Summary
	Joined bool // zkviz has joined the ensemble
	// Reading means that reading isn't finished: it has Found some znodes, and at least ToRead more remain. Until
	// then there are rows only for what is certain, or was known before.
	Reading bool
	Found   int
	ToRead  int
	// Naming counts the holders, and waiters as asked, whose data, which may identify them, is still to be read.
	Naming int
	// ReadOnly means that the servers have no quorum: one of them still serves what the rows say, without learning
	// of changes.
	ReadOnly bool
	Missing  bool         // there is no such znode
	Partial  bool         // not everything that is read is known
	Unread   locks.Unread // znodes about which nothing is known, since an ACL forbids it
	Hidden   locks.Hidden
	Away     string              // why nothing can be seen now; empty if it can
	AsOfMS   int64               // if nothing can: since when, in ms since 1970
	Untold   []sentence.Sentence // what the asked servers didn't answer, and why
}

// Ask says what a report should describe.
type Ask struct {
	Path  string // the locks here and below
	Herds bool   // ask the servers who watches what, which zkviz does only rarely
	// Named returns the rows whose waiters' data is wanted, of all. Nil: of none, if that has to be read.
	Named func(rows []locks.Row) []locks.Row
}

// Report describes the locks at a path and below it now, as ReportOn does.
func (l *Locks) Report(ctx context.Context, path string, herds bool) (Report, error) {
	return l.ReportOn(ctx, Ask{Path: path, Herds: herds})
}

// ReportOn describes the locks now. It fails if the path is invalid, or with ctx's error.
func (l *Locks) ReportOn(ctx context.Context, a Ask) (r Report, err error) {
	if err := znode.CheckRoot(a.Path); err != nil {
		return r, err
	}
	if l.on.Feed != nil && l.on.Feed.Joined() {
		return l.ofAll(ctx, a.Path, a.Herds), nil
	}
	return l.readingOf(a.Path).report(ctx, a, func() (locks.Known, []sentence.Sentence) {
		return l.known(ctx, a.Herds)
	})
}

// ofAll returns the report on a joined ensemble.
func (l *Locks) ofAll(ctx context.Context, path string, herds bool) (r Report) {
	known, untold := l.known(ctx, herds)
	r = Report{Joined: true, Missing: !l.on.Exists(path), Untold: untold}
	var asOf time.Time
	if r.Away, asOf = l.on.Feed.Away(); r.Away != "" {
		r.AsOfMS = asOf.UnixMilli()
	}
	known = l.joined.known(known, herds, r.AsOfMS)
	r.Summary = l.joined.summary(path, r.AsOfMS, known)
	return r
}

// known returns what servers say about sessions, and about watches if herds is set, and what they don't answer.
func (l *Locks) known(ctx context.Context, herds bool) (k locks.Known, untold []sentence.Sentence) {
	if l.on.Sessions == nil {
		return k, nil
	}
	r := l.sessions(ctx)
	for i := range r.Servers {
		if all := r.Servers[i].Troubles; len(all) > 0 {
			untold = append(untold, all[0])
		}
	}
	now := time.Now()
	if !r.At.IsZero() {
		k.ClientsMS = r.At.UnixMilli()
	}
	k.Client = func(id int64) locks.Client {
		c := client(r, id, now)
		c.Addr = cmp.Or(c.Addr, l.addresses.of(id))
		return c
	}
	if !herds {
		return k, untold
	}
	w, err := l.on.Sessions.Watches(ctx)
	if err != nil { // nobody waits for it any more
		return k, untold
	}
	k.Watches = locks.Watches{Watchers: watchers(w.All, l.on.Access.Outer), AskedMS: w.At.UnixMilli(), Whole: w.Whole,
		Lists: w.Lists}
	return k, append(untold, w.Troubles...)
}

// watchers returns a function that tells who watches a znode. outer converts its path to the form of the watches.
func watchers(all []sessions.Watch, outer func(string) (string, error)) func(path string) []int64 {
	by := map[string][]int64{}
	for _, one := range all {
		by[one.Path] = append(by[one.Path], one.Session)
	}
	for path, list := range by {
		slices.Sort(list)
		by[path] = slices.Compact(list)
	}
	return func(path string) []int64 {
		at, err := outer(path)
		if err != nil {
			return nil
		}
		return by[at]
	}
}

// summaryOf describes the locks now, or at asOfMS in ms since 1970 if that isn't 0.
func summaryOf(l *locks.Locks, below string, asOfMS int64, known locks.Known) locks.Summary {
	if asOfMS == 0 {
		return l.Summary(time.Now().UnixMilli(), below, known)
	}
	s := l.Summary(asOfMS, below, known)
	for i := range s.Rows {
		s.Rows[i].AsOfMS = asOfMS
	}
	return s
}

// joinedLocks holds the locks of a whole ensemble.
type joinedLocks struct {
	mu    sync.Mutex
	locks *locks.Locks
	begun bool
	before
}

var _ feed.Subscriber = (*joinedLocks)(nil)

// Begin implements feed.Subscriber.
func (j *joinedLocks) Begin(tree iter.Seq2[string, *replay.Node], timeMS int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.begun {
		j.locks.Anew()
	}
	j.begun = true
	for path, n := range tree {
		j.locks.Put(handover.Node{Path: path, Session: n.Owner, Data: n.Text, Bytes: n.Bytes,
			MadeMS: min(n.CtimeMS, timeMS), Zxid: n.Czxid,
			Plain: naming.Plain(zoo.CreateMode(n.Mode), n.Owner)})
	}
	j.locks.Begin(timeMS)
	j.locks.Blind(false, timeMS)
}

// Take implements feed.Subscriber.
func (j *joinedLocks) Take(t *wire.Txn, facts []replay.Fact, timeMS int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i := range facts {
		j.locks.Apply(&facts[i].Event, timeMS, facts[i].By)
	}
	j.locks.Settle(timeMS, t.Zxid)
}

// known returns what is known now, or what was known when the leader was lost at lostMS, in ms since 1970, if that
// isn't 0.
func (j *joinedLocks) known(now locks.Known, herds bool, lostMS int64) locks.Known {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.or(now, herds, lostMS)
}

// summary describes them now, or at asOfMS in ms since 1970 if that isn't 0.
func (j *joinedLocks) summary(below string, asOfMS int64, known locks.Known) locks.Summary {
	j.mu.Lock()
	defer j.mu.Unlock()
	return summaryOf(j.locks, below, asOfMS, known)
}
