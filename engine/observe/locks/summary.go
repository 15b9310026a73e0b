package locks

import (
	"cmp"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/holds"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event/window"
)

// Summary describes the locks at one time.
type Summary struct {
	Rows   []Row // the most troubled first
	Left   int   // znodes and things that are not followed, since there are too many
	FromMS int64 // since when they are followed, in ms since 1970; 0 if they aren't yet
}

// Row describes one lock.
type Row struct {
	Path  string
	Use   naming.Use
	Whose string // the library or system with such names, empty if none is known
	// Alone means that the lock is the znode itself, created by its holder, and not its children.
	Alone   bool
	Holding []Holder // a few of the holders, in the order in which they stand in line
	Inside  int      // the number of holders
	Wakes   []Wake   // clients that a release would wake, for a few holders; nil if unknown
	Wakers  int      // holders whose release would wake somebody
	Waiting int      // how many stand in line
	Waiters []Waiter // the first of them
	// QueueMS is since when somebody has stood in line, in ms since 1970; 0 if nobody does. If QueueLonger is set, that
	// may have begun earlier.
	QueueMS     int64
	QueueLonger bool
	Quits       []Quit       // the last few that left the line without getting in, latest first
	Quitted     int          // all of them since it is followed
	Waited      Waits        // by those that got in since it is followed
	Flow        Flow         // lately
	Unsure      int          // how many may hold it,
	Doubt       naming.Doubt // and why for the first of them
	LongestMS   int64        // how long the first in line has waited
	Items       int          // in a queue
	Growth      int          // increase of the line, or of the items, in growthMinutes
	Minute      int          // how often somebody got it in the last minute
	Expired     int          // how often it was recently lost by expiry
	Expiries    int64        // how often it was lost by expiry since it is followed
	Turns       []Turn       // the last few hand-overs, latest first
	Turned      int64        // all hand-overs since it is followed
	Usual       holds.Usual  // in the last hour
	Alerts      []Alert      // worst first
	Trouble     int          // sum of the alerts' weights
	// AsOfMS is when the row was current, in ms since 1970, if nothing has been seen of it since; else 0.
	AsOfMS int64
}

// Holder is a client that holds it.
type Holder struct {
	handover.Hand
	Client Client
}

// Summary describes the locks at a path or below it, at a time in ms since 1970.
func (l *Locks) Summary(nowMS int64, below string, k Known) Summary {
	s := Summary{Left: l.left, FromMS: l.fromMS}
	nowMS = max(nowMS, l.lastMS)
	if window.Within(l.root, below) {
		s.Rows = make([]Row, 0, len(l.things))
	}
	var lent []handover.Contender
	for _, t := range l.things {
		if window.Within(t.path, below) && (t.znodes > 0 || nowMS-t.lastMS < ms(goneAfter)) && l.shown(t) && !k.lacks(t) {
			lent = slices.Grow(lent[:0], t.of.Len())
			s.Rows = append(s.Rows, t.row(nowMS, k, below, lent))
		}
	}
	Sort(s.Rows)
	return s
}

// Sort puts the most troubled first.
func Sort(rows []Row) {
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Trouble, a.Trouble), cmp.Compare(b.Waiting, a.Waiting),
			cmp.Compare(b.LongestMS, a.LongestMS), cmp.Compare(a.Path, b.Path))
	})
}

// shown reports whether it is something by itself. If several ephemeral znodes with meaningless names are siblings,
// they are members of their parent's group.
func (l *Locks) shown(t *thing) bool {
	switch {
	case t.alone && t.named:
		return t.of.Held() > 0 || len(t.turns) > 0
	case t.alone:
		up := l.things[parent(t.path)]
		return t.of.Held() > 0 && (up == nil || up.loners < 2)
	case t.group():
		return true
	case l.isDoor(t):
		return false
	}
	return t.of.Len() > 0 || t.use != naming.Unknown && (len(t.turns) > 0 || t.of.Waiting() > 0)
}

// group reports whether it is a group of members with meaningless names.
func (t *thing) group() bool { return t.loners > 1 && t.of.Len() == 0 && !t.alone }

// lastTurns returns the last few hand-overs, latest first, with what is known about their clients.
func (t *thing) lastTurns(k Known) (list []Turn) {
	for _, turn := range slices.Backward(t.turns) {
		turn.FromAddr, turn.ToAddr = k.client(turn.From.Session).Addr, k.client(turn.To.Session).Addr
		if now, there := t.of.Node(turn.To.Path); there && turn.To.Data == "" && now.Session == turn.To.Session {
			turn.To.Data = now.Data // it has been read since
		}
		list = append(list, turn)
	}
	return list
}

func (t *thing) row(nowMS int64, k Known, below string, lent []handover.Contender) Row {
	r := Row{Path: t.path, Use: t.use, Whose: t.whose, Alone: t.alone, Turned: t.turned, Minute: t.recent.minute(nowMS),
		Expired: t.expiredSince(nowMS - ms(expiriesWithin)), Expiries: t.expiries}
	if t.group() {
		r.Use, r.Whose, r.Expiries = naming.Members, "", t.outlived
	}
	if r.Use == naming.Queue {
		r.Items = t.of.Len()
	}
	if nowMS-t.beganMS >= growthMinutes*60_000 {
		r.Growth = t.size() - t.length.before(nowMS)
	}
	now := t.standing(r.Use, k, lent)
	r.Inside, r.Waiting, r.Unsure = len(now.Holding), len(now.Waiting), len(now.Unsure)
	if t.group() {
		r.Inside = t.loners
	}
	for _, i := range now.Holding[:min(len(now.Holding), maxShown)] {
		r.Holding = append(r.Holding, holder(t.hand(&now.All[i]), k))
	}
	r.line(t, &now, k, below, nowMS)
	if r.Unsure > 0 {
		r.Doubt = now.All[now.Unsure[0]].Doubt
	}
	r.Wakes, r.Wakers = t.wakes(&now, k)
	if first := now.First(); first != nil {
		r.LongestMS = max(nowMS-first.MadeMS, 0)
	}
	r.Usual, r.Turns = t.usually(nowMS), t.lastTurns(k)
	j := judged{thing: t, row: &r, stands: now, now: nowMS, over: time.Duration(nowMS-t.beganMS) * time.Millisecond}
	if r.Use != t.use { // a group
		j.thing = &thing{}
		*j.thing = *t
		j.use = r.Use
	}
	r.Alerts = j.alerts(k)
	for i := range r.Waiters {
		r.Waiters[i].Unwatched = j.blind[r.Waiters[i].Path]
	}
	slices.SortStableFunc(r.Alerts, func(a, b Alert) int { return cmp.Compare(b.Weight, a.Weight) })
	for _, a := range r.Alerts {
		r.Trouble += a.Weight
	}
	return r
}
