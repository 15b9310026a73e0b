package check

import (
	"sort"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Figures are a run's counts.
type Figures struct {
	Events       int
	Requests     int // without handshakes, heartbeats and the creation of the parent
	WatchesSet   int
	WatchesFired int
	Acquisitions int // reports of a phase that Gets, without repeats

	// Wakeups are watch events delivered to a client, by why the watch fired; a change of data counts as neither. An
	// event about a client's own action wakes nobody, and neither does one that arrives while the client is inside.
	ByRelease int // a deletion, or the end of a session
	ByArrival int // another client's create
	Wasted    int // those that didn't let the client in

	Releases       int // deletions, and ends of sessions that removed a znode
	MaxPerRelease  int // wakeups
	MeanPerRelease float64

	Polls int // tries that were refused, each followed by another

	Moved int // sessions that moved to another server of an ensemble, each counted once
}

// tally counts. It remembers the latest creates and releases, because what fires a watch comes shortly before it.
// On the simulator it comes just before. On a real ZooKeeper, whose watch events come over many connections, other
// clients' creates come in between.
type tally struct {
	Figures
	releases    ring[release] // numbered from 1
	creates     ring[creation]
	created     int
	noZooKeeper bool // there is no ZooKeeper: a release is what a client reports as one
	members     members
	push        release // what a node of another system sends because of the latest request that makes it send
}

type release struct {
	first, last, cause event.Seq
	at                 time.Duration
	by                 event.Actor
	why                event.Reason
	woken              int
	wakes              event.Actor // the first client that it woke
}

type creation struct {
	seq event.Seq
	by  event.Actor
}

// cause is why a watch fired.
type cause uint8

const (
	byOther   cause = iota // a change of data, or unknown
	byRelease              // somebody left
	byArrival              // somebody else came
	bySelf
)

func (t *tally) count(e *event.Event) {
	t.Events++
	switch e.Kind {
	case event.OpSent:
		if e.IsRequest() {
			t.Requests++
		}
	case event.TryFailed:
		t.Polls++
	case event.RecipePhase:
		if e.Text == string(program.Released) && t.noZooKeeper {
			t.Releases++
		}
	case event.WatchSet:
		t.WatchesSet++
	case event.WatchFired:
		t.WatchesFired++
	case event.ZnodeCreated:
		*t.creates.at(t.created) = creation{e.Seq, e.Peer}
		t.created++
	case event.ZnodeDeleted:
		t.release(e)
	case event.ConnOpened:
		t.members.connected(e)
	case event.ServerStarted, event.ServerStopped, event.ServerPhase:
		t.members.became(e)
	}
}

// hostClears reports whether the host itself deletes, before or after the run proper.
func hostClears(e *event.Event) bool { return e.Peer == event.ZooKeeper && e.Reason == event.ByOp }

// release begins a new release, unless the deletion belongs to the previous one: the nodes of one session or of one
// multi go together.
func (t *tally) release(e *event.Event) {
	if hostClears(e) {
		return
	}
	r := t.releases.at(t.Releases)
	if t.Releases > 0 && r.by == e.Peer && r.at == e.At && r.why == e.Reason && r.cause == e.Cause && e.Cause != 0 {
		r.last = e.Seq
		return
	}
	t.Releases++
	*t.releases.at(t.Releases) = release{first: e.Seq, last: e.Seq, cause: e.Cause, at: e.At, by: e.Peer, why: e.Reason}
}

// fired records the cause of the watch event.
func (t *tally) fired(p *client, who event.Actor, e *event.Event) {
	if p.gone || p.notices.len() >= maxNotices {
		return
	}
	n := notice{seq: e.Seq, path: e.Path, typ: e.Type}
	n.by, n.release = t.causeOf(who, e)
	p.notices.put(n)
}

func (t *tally) causeOf(who event.Actor, e *event.Event) (cause, int) {
	if e.Cause != 0 {
		if n := t.releaseAt(e.Cause); n > 0 {
			if t.releases.at(n).by == who {
				return bySelf, 0
			}
			return byRelease, n
		}
		if by, ok := t.creator(e.Cause); ok {
			switch by {
			case who:
				return bySelf, 0
			case event.ZooKeeper:
				return byOther, 0
			}
			return byArrival, 0
		}
	}
	switch zoo.EventType(e.Type) { // the cause is unknown: the type may tell
	case zoo.NodeDeleted:
		return byRelease, 0
	case zoo.NodeCreated:
		return byArrival, 0
	}
	return byOther, 0
}

// releaseAt returns the number of the release that an event belongs to, 0 if it is none of the latest.
func (t *tally) releaseAt(seq event.Seq) int {
	if last := t.releases.at(t.Releases); t.Releases > 0 && last.first <= seq { // the usual case
		if last.last < seq {
			return 0
		}
		return t.Releases
	}
	from := max(t.Releases-recent, 0) + 1
	n := from + sort.Search(t.Releases+1-from, func(i int) bool { return t.releases.at(from+i).first > seq }) - 1
	if n < from || t.releases.at(n).last < seq {
		return 0
	}
	return n
}

// creator returns who created the znode of a creation event, if it is one of the latest.
func (t *tally) creator(seq event.Seq) (event.Actor, bool) {
	if t.created == 0 || t.creates.at(t.created-1).seq < seq { // the usual case
		return 0, false
	}
	from := max(t.created-recent, 0)
	n := from + sort.Search(t.created-from, func(i int) bool { return t.creates.at(from+i).seq >= seq })
	if n == t.created || t.creates.at(n).seq != seq {
		return 0, false
	}
	return t.creates.at(n).by, true
}

// delivered counts a wakeup. Watch events reach a client in the order in which they were sent, so those before this
// one were lost. It returns the release that woke the client, if one did.
func (t *tally) delivered(p *client, who event.Actor, e *event.Event) *release {
	n := p.notices.take(e)
	if p.holding || n.by == bySelf {
		return nil
	}
	t.settle(p, false)
	p.woken, p.wokenBy = true, n.by
	p.asked, p.blocked = p.blocked, false
	return t.wakeup(n, who)
}

// takeBack undoes the count of the wakeup of a client that was on its way in and never looked at the event: on a real
// ZooKeeper somebody may arrive just then.
func (t *tally) takeBack(p *client) {
	if p.woken && !p.asked && p.wokenBy == byArrival {
		t.ByArrival--
		p.woken = false
	}
}

func (t *tally) wakeup(n notice, who event.Actor) *release {
	switch n.by {
	case byRelease:
		t.ByRelease++
	case byArrival:
		t.ByArrival++
	}
	if n.release <= 0 || n.release <= t.Releases-recent {
		return nil
	}
	r := t.releases.at(n.release)
	if r.woken++; r.woken == 1 {
		r.wakes = who
	}
	t.MaxPerRelease = max(t.MaxPerRelease, r.woken)
	return r
}

// settle closes a client's last wakeup: it let the client in, or it was in vain.
func (t *tally) settle(p *client, gotIn bool) {
	if p.woken && !gotIn {
		t.Wasted++
	}
	p.woken = false
}

func (t *tally) report() Figures {
	f := t.Figures
	f.Moved = t.members.moved
	if f.Releases > 0 {
		f.MeanPerRelease = float64(f.ByRelease) / float64(f.Releases)
	}
	return f
}
