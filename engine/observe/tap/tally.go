package tap

import (
	"cmp"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Tally holds the counts of a path, a client or everybody.
type Tally struct {
	Requests int // with an answer
	Writes   int // how many of these may change znodes
	Errors   int // how many of these answers were errors
	Codes    []CodeFigures
	// WatchesSet counts requests that set a watch, without those that renew watches after a reconnection.
	WatchesSet int
	Wakeups    int // watch events
	Latency    Latency
}

// Reads counts the requests that can't change a znode.
func (t *Tally) Reads() int { return t.Requests - t.Writes }

// CodeFigures counts the answers with one error.
type CodeFigures struct {
	Code zoo.Code // zoo.OK stands for all further codes
	N    int
}

// MaxCodes is how many different errors a Tally tells apart.
const MaxCodes = 16

// tally accumulates a Tally.
type tally struct {
	Tally
	times times
}

// request is an answered request, as tables count it.
type request struct {
	code   zoo.Code
	writes bool
	watch  bool
	took   time.Duration
}

func (t *tally) answered(r *request) {
	t.Requests++
	if r.writes {
		t.Writes++
	}
	if r.watch {
		t.WatchesSet++
	}
	if r.code != zoo.OK {
		t.Errors++
		t.failed(r.code, 1)
	}
	t.times.add(r.took)
}

// failed counts answers with an error.
func (t *tally) failed(code zoo.Code, n int) {
	is := func(code zoo.Code) func(CodeFigures) bool { return func(c CodeFigures) bool { return c.Code == code } }
	i := slices.IndexFunc(t.Codes, is(code))
	if i < 0 && len(t.Codes) >= MaxCodes-1 {
		code = zoo.OK
		i = slices.IndexFunc(t.Codes, is(code))
	}
	if i < 0 {
		t.Codes = append(t.Codes, CodeFigures{code, n})
		return
	}
	t.Codes[i].N += n
}

// merge adds the counts of another tally.
func (t *tally) merge(more *tally) {
	t.Requests += more.Requests
	t.Writes += more.Writes
	t.Errors += more.Errors
	for _, c := range more.Codes {
		t.failed(c.Code, c.N)
	}
	t.WatchesSet += more.WatchesSet
	t.Wakeups += more.Wakeups
	t.times.merge(&more.times)
}

// figures returns the counts, with the most frequent errors first.
func (t *tally) figures() Tally {
	f := t.Tally
	f.Latency = t.times.latency()
	f.Codes = slices.Clone(t.Codes)
	slices.SortFunc(f.Codes, func(a, b CodeFigures) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(b.Code, a.Code))
	})
	return f
}

// turn numbers intervals of half a minute, the precision of what counts as recent.
type turn int64

const turnEvery = 30 * time.Second

// row counts what one path or one client does: in all, and recently.
type row struct {
	all         tally
	now, before tally // of the turn at, and of the one before
	at          turn
	since       time.Time
	weight      uint32
	sequences   bool   // its path stands for sequential znodes too
	from        string // its client's last address
	server      int    // its client's last server
	// woken is how many watch events the last change caused that caused any, and mostWoken the most of one change.
	woken, mostWoken int
}

// each calls f with the tallies that count what happens in a turn.
func (r *row) each(at turn, f func(*tally)) {
	r.advance(at)
	f(&r.all)
	f(&r.now)
}

// advance begins a later turn.
func (r *row) advance(at turn) {
	switch {
	case at <= r.at:
		return
	case at == r.at+1:
		r.before = r.now
	default:
		r.before = tally{}
	}
	r.now, r.at = tally{}, at
}

// merge adds the counts of another row.
func (r *row) merge(more *row, at turn) {
	r.advance(at)
	more.advance(at)
	r.all.merge(&more.all)
	r.now.merge(&more.now)
	r.before.merge(&more.before)
}

// figures returns the counts in all and of the last two turns.
func (r *row) figures(at turn) Row {
	r.advance(at)
	recent := r.before
	recent.Codes = slices.Clone(r.before.Codes)
	recent.merge(&r.now)
	return Row{All: r.all.figures(), Recent: recent.figures(), Since: r.since}
}
