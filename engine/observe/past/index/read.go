package index

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/feed"
	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// ErrNothing reports that nothing happened in a period.
var ErrNothing = errors.New("nothing happened in that time")

// errEnough ends reading early.
var errEnough = errors.New("that is enough")

// Vanished reports that a file was deleted or replaced.
type Vanished struct{ Err error }

func (e *Vanished) Error() string {
	return fmt.Sprintf("the files have changed since they were looked at: %v", e.Err)
}

// Unwrap returns the error that revealed it.
func (e *Vanished) Unwrap() error { return e.Err }

// reading says what to read, and from where.
type reading struct {
	root       string
	also       []string // other znodes to read
	begin, end int64    // zxids: of the first transaction to report, and after the last
	before     func(*replay.State, *wire.Txn)
	each       func(*replay.State, *wire.Txn, []replay.Fact) error
}

// between returns the range of chunks that have something in a period: the first transaction of the first one, and
// the end of the last.
func (x *Index) between(since, until int64) (begin, end int64, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range x.chunks {
		c := &x.chunks[i]
		if c.maxMS < since || c.minMS >= until {
			continue
		}
		if !ok {
			begin, ok = c.zxid, true
		}
		if end = x.end; i+1 < len(x.chunks) {
			end = x.chunks[i+1].zxid
		}
	}
	return begin, end, ok
}

// place is where to start reading servers' files: nil for their beginning.
type place struct {
	servers []past.Server
	at      []past.Position
}

// start returns a start for reading at which the state is known: a state, the last transaction in it, and places in
// the files. Without a state, reading starts at the beginning.
func (x *Index) start(r reading) (s *replay.State, skip int64, from place) {
	begin := r.begin
	x.mu.Lock()
	files, generation := x.files, x.generation
	from = place{servers: x.servers}
	state := kept{}
	for _, k := range x.states {
		if k.chunk < len(x.chunks) && x.chunks[k.chunk].zxid <= begin {
			state = k
		}
	}
	first := int64(0)
	if state.state != nil {
		first, from.at = x.chunks[state.chunk].zxid, x.chunks[state.chunk].at
	}
	x.mu.Unlock()
	near := past.Files{}
	for _, snapshot := range files.Snapshots {
		if state.state == nil || snapshot.Zxid > first+farther {
			near.Snapshots = append(near.Snapshots, snapshot)
		}
	}
	if state.state != nil && (len(near.Snapshots) == 0 || near.Snapshots[0].Zxid >= begin) {
		return state.state.Clone(r.root, r.also...), first - 1, from
	}
	shown := near.Before(begin, func() *replay.State { return fresh(r.root, r.also...) }, func(past.Trouble) {})
	usable := shown.State != nil && shown.Newest < begin
	if !usable && state.state != nil {
		return state.state.Clone(r.root, r.also...), first - 1, from
	}
	from.at = nil
	if !usable {
		return nil, 0, from
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range x.chunks {
		if x.chunks[i].zxid <= shown.Zxid+1 && x.generation == generation {
			from.at = x.chunks[i].at
		}
	}
	return shown.State, shown.Zxid, from
}

// replay reads transactions with the state.
func (x *Index) replay(ctx context.Context, r reading) error {
	s, skip, from := x.start(r)
	x.mu.Lock()
	files := x.files
	x.mu.Unlock()
	c := files.Resume(s, skip, func() *replay.State { return fresh(r.root, r.also...) })
	return x.transactions(ctx, from, func(step *past.Step) error {
		t := step.Txn
		switch {
		case t.Zxid <= skip:
			return nil
		case t.Zxid >= r.end:
			return io.EOF
		}
		s := c.Before(step)
		if t.Zxid < r.begin {
			s.Apply(t)
			return nil
		}
		if r.before != nil {
			r.before(s, t)
		}
		return r.each(s, t, s.Apply(t))
	})
}

// transactions reads from places in the files on, until each returns an error. io.EOF ends it without an error.
func (x *Index) transactions(ctx context.Context, from place, each func(*past.Step) error) error {
	m := past.NewMerge(from.servers, from.at, func(past.Trouble) {})
	defer m.Close()
	for {
		step, err := m.Next(ctx)
		switch {
		case err == io.EOF:
			return nil
		case errors.Is(err, os.ErrNotExist):
			return &Vanished{err}
		case err != nil:
			return err
		}
		if err := each(&step); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// Cursor is a fact's position: its transaction, and its number among the facts.
type Cursor struct {
	Zxid int64
	N    int
}

// Row is a fact with its position and time.
type Row struct {
	Cursor
	TimeMS  int64
	LivedMS int64 // a deleted znode's lifetime; -1 if unknown
	replay.Fact
}

// Search reads the facts that a filter selects, after a cursor, until each returns false. It returns how far it has
// looked: everywhere if Zxid is 0.
func (x *Index) Search(ctx context.Context, f past.Filter, after Cursor, each func(*Row) bool) (
	last Cursor, err error,
) {
	begin, end, ok := x.between(f.Since, f.Until)
	if !ok {
		return Cursor{}, nil
	}
	if after.Zxid > begin {
		begin = x.chunkOf(after.Zxid)
	}
	err = x.replay(ctx, reading{root: f.Below, begin: begin, end: end,
		each: func(_ *replay.State, t *wire.Txn, facts []replay.Fact) error {
			if t.Zxid < after.Zxid || !f.At(t.TimeMS) {
				return nil
			}
			last = Cursor{t.Zxid, len(facts)}
			for i := range facts {
				if fact := &facts[i]; f.Has(fact, len(facts)) && (t.Zxid > after.Zxid || i >= after.N) {
					row := Row{Cursor{t.Zxid, i}, t.TimeMS, -1, *fact}
					if lived, known := fact.Lived(t.TimeMS); known {
						row.LivedMS = lived
					}
					if !each(&row) {
						last = Cursor{t.Zxid, i + 1}
						return errEnough
					}
				}
			}
			return nil
		}})
	switch {
	case errors.Is(err, errEnough):
		return last, nil
	case err != nil && ctx.Err() != nil && last.Zxid != 0:
		return last, ctx.Err()
	}
	return Cursor{}, err
}

// chunkOf returns the first transaction of the chunk that contains zxid.
func (x *Index) chunkOf(zxid int64) (begin int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range x.chunks {
		if i == 0 || x.chunks[i].zxid <= zxid {
			begin = x.chunks[i].zxid
		}
	}
	return begin
}

// Progress receives the fraction of the work that is done.
type Progress func(done float64)

// lookUp is the number of transactions between two progress reports.
const lookUp = 1 << 12

func (x *Index) progress(begin, end int64, tell Progress) func(zxid int64) {
	total, begun := 0, int64(0)
	x.mu.Lock()
	for i := range x.chunks {
		if x.chunks[i].zxid >= begin && x.chunks[i].zxid < end {
			total += x.chunks[i].txns
		}
	}
	x.mu.Unlock()
	return func(int64) {
		if begun++; begun%lookUp == 0 && total > 0 {
			tell(min(float64(begun)/float64(total), 1))
		}
	}
}

// Tally counts the facts that a filter selects, in n periods of equal length.
func (x *Index) Tally(ctx context.Context, f past.Filter, n int, tell Progress) ([]Counts, error) {
	columns := make([]Counts, n)
	begin, end, ok := x.between(f.Since, f.Until)
	if !ok {
		return columns, nil
	}
	count := x.progress(begin, end, tell)
	err := x.replay(ctx, reading{root: f.Below, begin: begin, end: end,
		each: func(_ *replay.State, t *wire.Txn, facts []replay.Fact) error {
			if count(t.Zxid); !f.At(t.TimeMS) {
				return nil
			}
			c, some := Counts{}, false
			for i := range facts {
				if f.Has(&facts[i], len(facts)) {
					c.count(&facts[i].Event)
					some = true
				}
			}
			if some {
				c.Txns++
				columns[column(t.TimeMS, f.Since, f.Until, n)].Add(&c)
			}
			return nil
		}})
	return columns, err
}

// Window writes what happened in a period at a znode and below it into a log, as an observer of the ensemble would
// have seen it. It returns ErrNothing if nothing happened. It ends early when the log is full, and at a gap.
func (x *Index) Window(ctx context.Context, path string, since, until int64, sink event.Sink) error {
	begin, end, ok := x.between(since, until)
	if !ok {
		return ErrNothing
	}
	last := int64(-1) // clocks go back: transactions between those of the period are shown too
	err := x.scan(ctx, begin, end, func(t *wire.Txn) bool {
		if t.TimeMS >= since && t.TimeMS < until {
			last = t.Zxid
		}
		return true
	})
	if err != nil {
		return err
	}
	var w *feed.Excerpt
	var gap replay.Gap
	err = x.replay(ctx, reading{root: path, begin: begin, end: last + 1,
		before: func(s *replay.State, t *wire.Txn) {
			if w == nil && t.TimeMS >= since && t.TimeMS < until {
				w, gap = feed.NewExcerpt(path, s, t, sink), s.Gap()
			}
		},
		each: func(s *replay.State, t *wire.Txn, facts []replay.Fact) error {
			if w != nil && (s.Gap() != gap || !w.Take(s, t, facts)) {
				return errEnough
			}
			return nil
		}})
	switch {
	case err != nil && !errors.Is(err, errEnough):
		return err
	case w == nil:
		return ErrNothing
	}
	w.Close()
	return nil
}

// First returns the first transaction at or after a time; false if there is none.
func (x *Index) First(ctx context.Context, since int64) (p past.Point, ok bool, err error) {
	begin, end, some := x.between(since, math.MaxInt64)
	if !some {
		return p, false, nil
	}
	err = x.scan(ctx, begin, end, func(t *wire.Txn) bool {
		if t.TimeMS >= since {
			p, ok = past.Point{Zxid: t.Zxid, TimeMS: t.TimeMS}, true
		}
		return !ok
	})
	return p, ok, err
}

// Last returns the last transaction before a time; false if there is none.
func (x *Index) Last(ctx context.Context, until int64) (p past.Point, ok bool, err error) {
	x.mu.Lock()
	begin, end := int64(0), x.end
	for i := range x.chunks {
		if x.chunks[i].minMS < until {
			begin, end = x.chunks[i].zxid, x.end
		} else if end == x.end && begin != 0 {
			end = x.chunks[i].zxid
		}
	}
	x.mu.Unlock()
	if begin == 0 {
		return p, false, nil
	}
	err = x.scan(ctx, begin, end, func(t *wire.Txn) bool {
		if t.TimeMS < until {
			p, ok = past.Point{Zxid: t.Zxid, TimeMS: t.TimeMS}, true
		}
		return true
	})
	return p, ok, err
}

// scan reads transactions from a chunk's first on, without the state.
func (x *Index) scan(ctx context.Context, begin, end int64, each func(*wire.Txn) bool) error {
	x.mu.Lock()
	from := place{servers: x.servers}
	for i := range x.chunks {
		if x.chunks[i].zxid == begin {
			from.at = x.chunks[i].at
		}
	}
	x.mu.Unlock()
	return x.transactions(ctx, from, func(step *past.Step) error {
		if step.Txn.Zxid >= end || !each(step.Txn) {
			return io.EOF
		}
		return nil
	})
}
