package locks

import (
	"maps"
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event/window"
)

// Figures describes all locks of one use at a path and below it.
type Figures struct {
	Held      int   // how many are held
	Waiting   int   // how many clients wait
	HeldMS    int64 // the longest present hold, as long as it's known to last
	WaitingMS int64 // the longest wait of one that is first in line
	Turned    int64 // all hand-overs that were seen
	Expired   int64 // all losses because a session expired
}

// Tally has the figures of a path and those below it.
type Tally struct {
	Path     string
	Uses     map[naming.Use]Figures // the uses that have been there
	Troubles map[Kind]int           // how many locks have such a trouble; none if 0
}

// Meter adds up reports on the same locks, for one path or several. What it counts never decreases.
type Meter struct {
	tallies []Tally
	seen    map[string]counts // by path of the lock
	fromMS  int64             // since when the counts count
}

type counts struct{ turned, expired int64 }

// maxCounts is how many locks' counts are kept: those in the report, and as many that are gone.
const maxCounts = 2 * MaxThings

// NewMeter returns a Meter for these paths.
func NewMeter(paths ...string) *Meter {
	m := &Meter{seen: map[string]counts{}}
	for _, path := range paths {
		m.tallies = append(m.tallies, Tally{Path: path, Uses: map[naming.Use]Figures{}})
	}
	return m
}

// Update takes a report on everything at nowMS, in ms since 1970, and returns the figures by path, in the order of
// the paths.
func (m *Meter) Update(s Summary, nowMS int64) []Tally {
	if s.FromMS != m.fromMS { // counting has begun again
		m.fromMS = s.FromMS
		clear(m.seen)
	}
	for i := range m.tallies {
		t := &m.tallies[i]
		t.Troubles = map[Kind]int{}
		for use, f := range t.Uses {
			t.Uses[use] = Figures{Turned: f.Turned, Expired: f.Expired}
		}
	}
	for i := range s.Rows {
		m.add(&s.Rows[i], nowMS)
	}
	if len(m.seen) > maxCounts {
		m.forget(s.Rows)
	}
	all := slices.Clone(m.tallies)
	for i := range all {
		all[i].Uses = maps.Clone(all[i].Uses)
	}
	return all
}

// add adds a row to the tallies of all paths at or above it.
func (m *Meter) add(r *Row, nowMS int64) {
	was, is := m.seen[r.Path], counts{r.Turned, r.Expiries}
	if r.Use.AtOnce() || r.Use == naming.Queue { // those have no hand-overs
		is.turned = 0
	}
	m.seen[r.Path] = is
	for i := range m.tallies {
		t := &m.tallies[i]
		if !window.Within(r.Path, t.Path) {
			continue
		}
		for _, k := range r.Troubles() {
			t.Troubles[k]++
		}
		f := t.Uses[r.Use]
		f.Turned += max(is.turned-was.turned, 0)
		f.Expired += max(is.expired-was.expired, 0)
		f.present(r, nowMS)
		t.Uses[r.Use] = f
	}
}

// present adds what is held and awaited now.
func (f *Figures) present(r *Row, nowMS int64) {
	if !Holdable(r.Use) {
		return
	}
	if f.Waiting += r.Waiting; r.Waiting > 0 {
		f.WaitingMS = max(f.WaitingMS, r.LongestMS)
	}
	if r.Inside > 0 {
		f.Held++
	}
	for i := range r.Holding {
		f.HeldMS = max(f.HeldMS, r.At(nowMS)-r.Holding[i].GotMS)
	}
}

// Holdable reports whether clients hold what has such a use, and wait for it.
func Holdable(u naming.Use) bool { return u.Excludes() || u == naming.Unknown }

// forget drops the counts of locks that are gone.
func (m *Meter) forget(rows []Row) {
	kept := make(map[string]counts, len(rows))
	for i := range rows {
		kept[rows[i].Path] = m.seen[rows[i].Path]
	}
	m.seen = kept
}
