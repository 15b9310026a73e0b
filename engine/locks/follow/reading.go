package follow

import (
	"cmp"
	"context"
	"errors"
	"path"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/locks"
	"github.com/zkviz/zkviz/engine/naming"
	"github.com/zkviz/zkviz/engine/observe"
	"github.com/zkviz/zkviz/engine/sentence"
)

// Of what is only read.
const (
	mostReadings = 8                // paths at a time: the one gives way that nobody has asked for longest
	readingIdle  = 90 * time.Second // after that nobody asks; a page that is long hidden may ask once a minute only
	readingWait  = 2 * time.Second  // for all of it, at most
	mostWanted   = 200              // znodes whose data is asked for at a time
)

// reading are those of a subtree that is read.
type reading struct {
	end    context.CancelFunc
	wants  chan string // paths of znodes whose data is to be read
	mu     sync.Mutex
	log    *locks.Log
	asked  time.Time
	whole  bool           // all is in the log that was there when it began
	unread map[string]int // of each znode, how many of it and its children are still to be read
	left   int            // how many are in all
	last   map[string]locks.Row
	lastMS int64 // of when the rows of last are
	awayMS int64 // since when nothing can be seen; 0 while something can
	lostMS int64 // since when nothing could be seen before that; 0 once the servers' quorum is seen again
	cutMS  int64 // since when a server is seen that has no quorum; 0 while there is one
	before
	wanted map[string]bool // znodes whose data was asked for: whether it's still to come
	coming int             // of these, as far as they still hold something
	later  int             // holders whose data is to be asked for when there's room for that
	news   chan struct{}   // closed when something is known that reports wait for
}

func newReading(path string, end context.CancelFunc) *reading {
	return &reading{end: end, wants: make(chan string, mostWanted), log: locks.NewLog(locks.New(path)),
		unread: map[string]int{}, wanted: map[string]bool{}, news: make(chan struct{})}
}

// Append is that of event.Sink.
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

// cut notes whether the servers have a quorum: without one, the last that is known of changes is what the server knew
// when it was lost.
func (r *reading) cut() {
	switch {
	case !r.log.ReadOnly:
		r.cutMS = 0
	case r.cutMS == 0:
		r.cutMS = cmp.Or(r.lostMS, time.Now().UnixMilli())
	}
}

// lose is that nothing can be seen since a time in ms since 1970: how all was then is kept.
func (r *reading) lose(sinceMS int64) {
	r.log.Done()
	r.awayMS = cmp.Or(r.cutMS, sinceMS)
	r.keep(r.log.Summary(r.awayMS, "/", r.lacking(r.or(locks.Known{}, true, r.awayMS))).Rows, r.awayMS)
}

// keep keeps rows as they are at a time, and those of what can't be told now as they were.
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

// isLeft is that a znode is still to be read, or isn't any more.
func (r *reading) isLeft(at string, left bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 1
	if !left {
		n = -1
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

// lacking is what is known, and that not all has been read.
func (r *reading) lacking(k locks.Known) locks.Known {
	if r.left > 0 {
		k.Unread = r.isUnread
	}
	return k
}

// isWhole is that all is in the log that was there.
func (r *reading) isWhole() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.whole = true
	if !r.log.ReadOnly {
		r.lostMS = 0
	}
	r.tell()
}

func (r *reading) tell() {
	close(r.news)
	r.news = make(chan struct{})
}

// readingOf is that of a path, which begins if there is none.
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

// tells reports whether a name says something, of a znode that stays or of one that doesn't.
func tells(name string) bool {
	return naming.Tells(naming.Child{Name: name}) || naming.Tells(naming.Child{Name: name, Owner: 1})
}

// follow reads until nobody asks any more.
func (l *Locks) follow(ctx context.Context, path string, r *reading) {
	defer r.end()
	l.all.Go(func() { l.endIdle(ctx, r) })
	a := observe.Observation{Servers: l.on.Servers, Access: l.on.Access, Path: path, Budget: l.on.Budget,
		Names: &observe.Names{Tell: tells, Want: r.wants}, Left: r.isLeft, Whole: r.isWhole,
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

// report waits until all has been read, but not for ever, and then for the data that it shows.
func (r *reading) report(ctx context.Context, path string, herds bool,
	ask func() (locks.Known, []sentence.Sentence)) (Report, error) {
	if err := r.settle(ctx, func() bool { return r.whole && r.left == 0 }); err != nil {
		return Report{}, err
	}
	known, untold := ask()
	if r.want(known) {
		if err := r.settle(ctx, func() bool { return r.coming == 0 }); err != nil {
			return Report{}, err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	asOfMS := cmp.Or(r.awayMS, r.cutMS)
	known = r.or(known, herds, asOfMS)
	report := Report{Summary: r.summary(path, known), Reading: !r.whole || r.left > 0, Found: r.log.Found, ToRead: r.left,
		Naming: r.coming + r.later, Untold: untold, AsOfMS: asOfMS,
		Missing: r.log.Missing, Partial: r.log.Partial, ReadOnly: r.log.ReadOnly, Unread: r.log.Unread, Hidden: r.log.Hidden,
		Away: r.log.Away}
	return report, nil
}

// summary is how all at a path and below it is, or was last. The lock is held.
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

// want asks for the data of those who hold something, where that isn't known, and reports whether some is to come.
func (r *reading) want(known locks.Known) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.coming, r.later = 0, 0
	if r.awayMS != 0 {
		return false
	}
	r.log.Done()
	for _, row := range r.log.Summary(time.Now().UnixMilli(), "/", r.lacking(known)).Rows {
		for _, h := range row.Holding {
			switch {
			case h.Bytes == 0 || h.Data != "":
			case r.wanted[h.Path]:
				r.coming++
			default:
				select {
				case r.wants <- h.Path:
					r.wanted[h.Path] = true
					r.coming++
				default:
					r.later++
				}
			}
		}
	}
	return r.coming > 0
}

// settle waits until something is settled, or nothing can be seen: or longer than one who looks wants to.
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
