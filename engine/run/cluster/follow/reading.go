package follow

import (
	"cmp"
	"context"
	"errors"
	"path"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe"
	"github.com/zkviz/zkviz/engine/observe/locks"
)

// Limits of reading.
const (
	mostReadings = 8                // paths at a time: the one not asked for longest gives way
	readingIdle  = 90 * time.Second // after that nobody asks; a page hidden for long may ask only once a minute
	readingWait  = 2 * time.Second  // at most, for all of it
	mostWanted   = 200              // znodes whose data is requested at a time
)

// reading holds the locks of a subtree that is read.
type reading struct {
	end    context.CancelFunc
	wants  chan string // paths of znodes whose data should be read
	mu     sync.Mutex
	log    *locks.Log
	asked  time.Time
	whole  bool           // the log has everything that existed when it began
	unread map[string]int // by znode, how many of it and its children remain to be read
	left   int            // how many remain in total
	last   map[string]locks.Row
	lastMS int64 // when the rows of last were current
	awayMS int64 // since when nothing can be seen; 0 while something can
	lostMS int64 // since when nothing could be seen before that; 0 once the quorum is seen again
	cutMS  int64 // since when only a server without quorum is seen; 0 while there is a quorum
	before
	wanted map[string]bool // znodes whose data was requested: whether it is still to come
	coming int             // those of them that still hold something
	later  int             // holders whose data waits for room to be requested
	news   chan struct{}   // closed when something arrives for which reports wait
}

func newReading(path string, end context.CancelFunc) *reading {
	return &reading{end: end, wants: make(chan string, mostWanted), log: locks.NewLog(locks.New(path)),
		unread: map[string]int{}, wanted: map[string]bool{}, news: make(chan struct{})}
}

// Append implements event.Sink.
func (r *reading) Append(e event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.Kind == event.Disconnected && r.awayMS == 0 {
		r.lose(time.Now().UnixMilli() - e.N)
	}
	r.log.Append(e)
	r.cut()
	switch e.Kind {
	case event.RunStarted:
		r.whole = false
		clear(r.wanted)
		r.coming, r.later = 0, 0
	case event.Disconnected:
		r.tell()
	case event.Reconnected:
		r.awayMS, r.lostMS = 0, r.awayMS
	case event.ZnodeFound, event.ZnodeDeleted:
		if !e.Introduces() && r.wanted[e.Path] {
			r.coming--
			r.tell()
		}
		delete(r.wanted, e.Path)
	}
}

// cut records whether the servers have a quorum: without one, the server knows only changes up to the loss.
func (r *reading) cut() {
	switch {
	case !r.log.ReadOnly:
		r.cutMS = 0
	case r.cutMS == 0:
		r.cutMS = cmp.Or(r.lostMS, time.Now().UnixMilli())
	}
}

// lose records that nothing can be seen since a time in ms since 1970, and keeps the state at that time.
func (r *reading) lose(sinceMS int64) {
	r.log.Done()
	r.awayMS = cmp.Or(r.cutMS, sinceMS)
	r.keep(r.log.Summary(r.awayMS, "/", r.lacking(r.or(locks.Known{}, true, r.awayMS))).Rows, r.awayMS)
}

// keep keeps rows as they are at a time, with earlier rows for what can't be told now.
func (r *reading) keep(rows []locks.Row, nowMS int64) (old []locks.Row) {
	now := make(map[string]locks.Row, len(rows))
	for _, row := range rows {
		now[row.Path] = row
	}
	for at, row := range r.last {
		if _, there := now[at]; !there && (r.isUnread(at) || row.Alone && r.isUnread(path.Dir(at))) {
			if row.AsOfMS == 0 {
				row.AsOfMS = r.lastMS
			}
			now[at] = row
			old = append(old, row)
		}
	}
	r.last, r.lastMS = now, nowMS
	return old
}

// isLeft records that a znode is still to be read, or no longer is.
func (r *reading) isLeft(at string, left bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := -1
	if left { // a connection begins: what has gone is found by and by
		n = 1
		r.log.Done()
		r.log.Blind(true, 0)
	}
	r.left += n
	for _, p := range [...]string{at, path.Dir(at)} {
		if r.unread[p] += n; r.unread[p] == 0 {
			delete(r.unread, p)
		}
		if p == "/" {
			break
		}
	}
	if r.left == 0 && r.whole {
		r.tell()
	}
}

func (r *reading) isUnread(path string) bool { return r.unread[path] > 0 }

// lacking adds to what is known that not everything has been read.
func (r *reading) lacking(k locks.Known) locks.Known {
	if r.left > 0 {
		k.Unread = r.isUnread
	}
	return k
}

// isWhole records that the log has everything that existed.
func (r *reading) isWhole() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.whole = true
	r.log.Done()
	r.log.Blind(false, time.Now().UnixMilli())
	if !r.log.ReadOnly {
		r.lostMS = 0
	}
	r.tell()
}

func (r *reading) tell() {
	close(r.news)
	r.news = make(chan struct{})
}

// readingOf returns the reading of a path and starts it if there is none.
func (l *Locks) readingOf(path string) *reading {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	r := l.read[path]
	if r == nil {
		l.makeRoom()
		ctx, end := context.WithCancel(l.stop)
		r = newReading(path, end)
		l.read[path] = r
		l.all.Go(func() { l.follow(ctx, path, r) })
	}
	r.asked = now
	return r
}

// makeRoom ends the reading that nobody has asked for longest, if there are too many.
func (l *Locks) makeRoom() {
	oldest := ""
	for path, r := range l.read {
		if oldest == "" || r.asked.Before(l.read[oldest].asked) {
			oldest = path
		}
	}
	if len(l.read) >= mostReadings {
		l.read[oldest].end()
		delete(l.read, oldest)
	}
}

// tells reports whether a name means something, for a persistent or an ephemeral znode.
func tells(name string) bool {
	return naming.Tells(naming.Child{Name: name}) || naming.Tells(naming.Child{Name: name, Owner: 1})
}

// follow reads until nobody asks any more.
func (l *Locks) follow(ctx context.Context, path string, r *reading) {
	defer r.end()
	l.all.Go(func() { l.endIdle(ctx, r) })
	a := observe.Observation{Servers: l.on.Servers, Access: l.on.Access, Path: path, Budget: l.on.Budget,
		Names: &observe.Names{Meaningful: tells, Want: r.wants}, Left: r.isLeft, Whole: r.isWhole,
		Mine: l.mine}
	for {
		if err := a.Run(ctx, r); !errors.Is(err, event.ErrLogFull) {
			break
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.read[path] == r {
		delete(l.read, path)
	}
}

// endIdle ends a reading once nobody has asked for a while.
func (l *Locks) endIdle(ctx context.Context, r *reading) {
	for left := readingIdle; left > 0; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(left):
		}
		l.mu.Lock()
		left = time.Until(r.asked.Add(readingIdle))
		l.mu.Unlock()
	}
	r.end()
}

// report waits a limited time until everything has been read, and then for the data that it shows.
func (r *reading) report(ctx context.Context, a Ask, ask func() (locks.Known, []sentence.Sentence)) (Report, error) {
	if err := r.settle(ctx, func() bool { return r.whole && r.left == 0 }); err != nil {
		return Report{}, err
	}
	known, untold := ask()
	if r.want(a, known) {
		if err := r.settle(ctx, func() bool { return r.coming == 0 }); err != nil {
			return Report{}, err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	asOfMS := cmp.Or(r.awayMS, r.cutMS)
	known = r.or(known, a.Herds, asOfMS)
	report := Report{Summary: r.summary(a.Path, known), Reading: !r.whole || r.left > 0, Found: r.log.Found,
		ToRead: r.left, Naming: r.coming + r.later, Untold: untold, AsOfMS: asOfMS,
		Missing: r.log.Missing, Partial: r.log.Partial, ReadOnly: r.log.ReadOnly, Unread: r.log.Unread, Hidden: r.log.Hidden,
		Away: r.log.Away}
	return report, nil
}

// summary describes everything at a path and below it, now or when last seen. The caller holds the lock.
func (r *reading) summary(path string, known locks.Known) (s locks.Summary) {
	r.log.Done()
	now := time.Now().UnixMilli()
	if r.awayMS == 0 {
		s = summaryOf(r.log.Locks, path, r.cutMS, r.lacking(known))
		s.Rows = append(s.Rows, r.keep(s.Rows, cmp.Or(r.cutMS, now))...)
	} else {
		s = r.log.Summary(r.awayMS, path, known)
		s.Rows = s.Rows[:0]
		for _, row := range r.last {
			row.AsOfMS = cmp.Or(row.AsOfMS, r.awayMS)
			s.Rows = append(s.Rows, row)
		}
	}
	locks.Sort(s.Rows)
	return s
}

// want requests missing data of holders, and of waiters as asked, and reports whether some will come.
func (r *reading) want(a Ask, known locks.Known) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.coming, r.later = 0, 0
	if r.awayMS != 0 {
		return false
	}
	r.log.Done()
	rows := r.log.Summary(time.Now().UnixMilli(), a.Path, r.lacking(known)).Rows
	for i := range rows {
		for _, h := range rows[i].Holding {
			r.wantData(&h.Node)
		}
	}
	if a.Named != nil {
		for _, row := range a.Named(rows) {
			for _, w := range row.Waiters {
				r.wantData(&w.Node)
			}
		}
	}
	return r.coming > 0
}

// wantData requests a znode's data if it's missing.
func (r *reading) wantData(n *handover.Node) {
	switch {
	case n.Bytes == 0 || n.Data != "":
	case r.wanted[n.Path]:
		r.coming++
	default:
		select {
		case r.wants <- n.Path:
			r.wanted[n.Path] = true
			r.coming++
		default:
			r.later++
		}
	}
}

// settle waits until settled returns true, nothing can be seen, or a viewer's patience ends.
func (r *reading) settle(ctx context.Context, settled func() bool) error {
	within, cancel := context.WithTimeout(ctx, readingWait)
	defer cancel()
	for {
		r.mu.Lock()
		over, news := settled() || r.log.Away != "", r.news
		r.mu.Unlock()
		if over {
			return nil
		}
		select {
		case <-news:
		case <-within.Done():
			return context.Cause(ctx)
		}
	}
}
