package locks

import (
	"cmp"
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/handover"
)

// EndsAfterMS is how long a trouble must be gone before it counts as ended: one that comes and goes is one trouble.
const EndsAfterMS = 10_000

// Change says that a lock changed hands, that somebody left its line, or that a trouble is new or has ended. One of
// Turn, Quit and Alert is set.
type Change struct {
	Path   string
	Turn   *Turn  // the hand-over
	Quit   *Quit  // a client that left without getting in
	Missed int64  // of the same, before this one, whose details are lost
	Alert  *Alert // the trouble, as it was last
	Ended  bool   // the trouble is over
	// Holding has a few of those that hold it, unless the trouble is over.
	Holding []Holder
	TimeMS  int64 // when the trouble was first seen, or first gone, in ms since 1970
	Number  int64 // counts the troubles from 1; an end has the number of its trouble
}

// Diff finds changes between reports on the same locks. Its zero value knows nothing yet.
type Diff struct {
	known map[string]known // by path
	open  map[troubled]*openTrouble
	last  int64 // the number of the last trouble
}

// known is the known state of one lock.
type known struct {
	last    Turn  // the last hand-over
	turned  int64 // number of hand-overs
	quit    Quit  // the last that left without getting in
	quitted int   // number of these
}

// troubled identifies a trouble: several of a kind at one lock count as one.
type troubled struct {
	path string
	kind Kind
}

// openTrouble is a trouble that hasn't ended.
type openTrouble struct {
	alert  Alert
	number int64
	goneMS int64 // since when it has been gone; 0 while it is there
}

// when orders hand-overs and quits.
func (c *Change) when() (timeMS, zxid int64) {
	if c.Quit != nil {
		return c.Quit.TimeMS, c.Quit.Zxid
	}
	return c.Turn.TimeMS, c.Turn.Zxid
}

// Update returns what changed since the last call: first hand-overs and quits in order, then new and ended troubles.
// nowMS is in ms since 1970. Rows must be all that there are. Of those that may be out of date nothing is new, and no
// trouble ends.
func (d *Diff) Update(rows []Row, nowMS int64) (all []Change) {
	now := make(map[string]known, len(rows))
	for i := range rows {
		r := &rows[i]
		was := d.known[r.Path]
		quits := newQuits(r, was)
		all = append(append(all, newTurns(r, was)...), quits...)
		is := known{turned: r.Turned, quit: was.quit, quitted: was.quitted}
		if len(quits) > 0 {
			is.quit, is.quitted = r.Quits[0].bare(), r.Quitted
		}
		if turns := r.Handovers(); len(turns) > 0 {
			is.last = turns[0].bare()
		}
		now[r.Path] = is
	}
	d.known = now
	slices.SortStableFunc(all, func(a, b Change) int {
		aMS, aZxid := a.when()
		bMS, bZxid := b.when()
		return cmp.Or(cmp.Compare(aMS, bMS), cmp.Compare(aZxid, bZxid))
	})
	return append(all, d.troubles(rows, nowMS)...)
}

// newTurns returns the new hand-overs, oldest first. Of a known one that has since got its new holder, it returns
// that part.
func newTurns(r *Row, was known) (all []Change) {
	turns := r.Handovers()
	for i := range turns {
		t := turns[i]
		if t.bare() == was.last || t.TimeMS < was.last.TimeMS {
			break
		}
		if was.last.To.Path == "" && t.bare().From == was.last.From {
			t.From = handover.Hand{}
		}
		all = append(all, Change{Path: r.Path, Turn: &t})
	}
	slices.Reverse(all)
	if len(all) > 0 {
		all[0].Missed = max(r.Turned-was.turned-int64(len(all)), 0)
	}
	return all
}

// newQuits returns the new quits, oldest first.
func newQuits(r *Row, was known) (all []Change) {
	for i := range r.Quits {
		q := &r.Quits[i]
		if q.bare() == was.quit || q.TimeMS < was.quit.TimeMS {
			break
		}
		all = append(all, Change{Path: r.Path, Quit: q})
	}
	slices.Reverse(all)
	if len(all) > 0 {
		all[0].Missed = max(int64(r.Quitted-was.quitted-len(all)), 0)
	}
	return all
}

// troubles returns the new troubles in the rows' order, then the ended ones by number.
func (d *Diff) troubles(rows []Row, nowMS int64) (all []Change) {
	there, unseen := map[troubled]bool{}, map[string]bool{}
	for i := range rows {
		r := &rows[i]
		if r.AsOfMS != 0 {
			unseen[r.Path] = true
			continue
		}
		for i := range r.Alerts {
			a := &r.Alerts[i]
			id := troubled{r.Path, a.Kind()}
			if there[id] {
				continue
			}
			there[id] = true
			if n, isNew := d.put(id, a); isNew {
				all = append(all, Change{Path: r.Path, Alert: a, TimeMS: nowMS, Number: n, Holding: r.Holding})
			}
		}
	}
	var ended []Change
	for id, o := range d.open {
		switch {
		case there[id] || unseen[id.path]:
			o.goneMS = 0
		case o.goneMS == 0:
			o.goneMS = nowMS
		case nowMS-o.goneMS >= EndsAfterMS:
			ended = append(ended, Change{Path: id.path, Alert: &o.alert, Ended: true, TimeMS: o.goneMS, Number: o.number})
			delete(d.open, id)
		}
	}
	slices.SortFunc(ended, func(a, b Change) int { return cmp.Compare(a.Number, b.Number) })
	return append(all, ended...)
}

// put records that a trouble is there, and returns its number and whether it is new.
func (d *Diff) put(id troubled, a *Alert) (n int64, isNew bool) {
	if o := d.open[id]; o != nil {
		o.alert = *a
		return o.number, false
	}
	if d.open == nil {
		d.open = map[troubled]*openTrouble{}
	}
	d.last++
	d.open[id] = &openTrouble{alert: *a, number: d.last}
	return d.last, true
}
