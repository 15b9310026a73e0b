package locks

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/handover"
	"github.com/zkviz/zkviz/engine/replay"
)

// How many facts are kept, for stories. Each thing has its own, so that a busy one doesn't push out those of a quiet
// one; when all together are too many, each gets half of what it had, down to fewestKept, of which there's always room.
const (
	MaxKept    = MaxThings * fewestKept
	mostKept   = 128 // of each
	fewestKept = 8
)

// Story is what one of them has been through lately, as far back as is kept.
type Story struct {
	Before map[string]replay.Node // the znodes by which it was held and awaited when it begins, by their paths
	Steps  []Step                 // at least one
}

// Step is what a transaction has led to there.
type Step struct {
	TimeMS, Zxid int64 // the time is since 1970; of what is only read the zxid may be unknown, 0
	Facts        []replay.Fact
}

// Story tells what the one at a path has been through, if anything is kept of that.
func (l *Locks) Story(path string) (s Story, ok bool) {
	t := l.things[path]
	if t == nil || len(t.kept) == 0 {
		return s, false
	}
	s = Story{Before: map[string]replay.Node{}}
	for _, step := range t.kept {
		step.Facts = slices.Clone(step.Facts)
		s.Steps = append(s.Steps, step)
	}
	for n := range t.of.Nodes() {
		s.Before[n.Path] = asKept(n)
	}
	for _, step := range slices.Backward(t.kept) {
		for _, f := range slices.Backward(step.Facts) {
			switch f.Kind {
			case event.ZnodeCreated:
				delete(s.Before, f.Path)
			case event.ZnodeChanged, event.ZnodeDeleted:
				s.Before[f.Path] = f.Went
			}
		}
	}
	return s, true
}

func asKept(n handover.Node) replay.Node {
	return replay.Node{Owner: n.Session, Czxid: n.Zxid, CtimeMS: n.MadeMS, Bytes: n.Bytes, Text: n.Data}
}

// because notes what the facts of the transaction that come now follow from.
func (l *Locks) because(e *event.Event, by int64) { l.cause = replay.Fact{Event: *e, By: by} }

// keep keeps what becomes of a znode with the things for which it is followed: before they hear of it, unless it's
// made.
func (l *Locks) keep(e *event.Event, by int64) {
	for _, t := range l.concerned(e.Path) {
		n, followed := t.of.Node(e.Path)
		if !followed {
			continue
		}
		f := replay.Fact{Event: *e, By: by}
		if e.Kind != event.ZnodeCreated {
			f.Went = asKept(n)
		}
		t.now = append(t.now, f)
		l.touch(t)
	}
}

// keepStep is the end of a transaction that has changed a thing.
func (l *Locks) keepStep(t *thing, timeMS, zxid int64) {
	facts := t.now
	if t.now = nil; len(facts) == 0 {
		return
	}
	follows := event.Seq(0)
	if l.cause.Kind.Valid() && l.cause.Zxid == zxid {
		facts, follows = slices.Insert(facts, 0, l.cause), 1
		facts[0].Cause = 0
	}
	for i := range facts[follows:] {
		facts[int(follows)+i].Cause = follows
	}
	t.kept = append(t.kept, Step{TimeMS: timeMS, Zxid: zxid, Facts: facts})
	l.kept += len(facts)
	l.forget(t)
	for l.kept > MaxKept && l.each > fewestKept {
		l.each /= 2
		for _, t := range l.things {
			l.forget(t)
		}
	}
}

// forget lets go of what there's no room for in a thing, the oldest first.
func (l *Locks) forget(t *thing) {
	n, keep := 0, len(t.kept)
	for keep > 0 && n+len(t.kept[keep-1].Facts) <= l.each {
		keep--
		n += len(t.kept[keep].Facts)
	}
	l.kept -= facts(t.kept[:keep])
	t.kept = slices.Delete(t.kept, 0, keep)
}

// facts are how many steps have together.
func facts(steps []Step) (n int) {
	for i := range steps {
		n += len(steps[i].Facts)
	}
	return n
}

// forgetAll lets go of all that was kept: the tree is told anew, and not what has happened meanwhile.
func (l *Locks) forgetAll() {
	for _, t := range l.things {
		t.kept, t.now = nil, nil
	}
	l.kept = 0
}
