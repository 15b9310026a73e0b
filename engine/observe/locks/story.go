package locks

import (
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/replay"
)

// Limits of the facts kept for stories. Each thing has its own, so that a busy one doesn't push out those of a
// quiet one. When there are too many in total, each thing's limit is halved, down to fewestKept, for which there is
// always room.
const (
	MaxKept    = MaxThings * fewestKept
	mostKept   = 128 // for each
	fewestKept = 8
)

// Story is what a lock has lately been through, as far back as is kept.
type Story struct {
	Before map[string]replay.Node // by path, the znodes by which it was held and awaited at the beginning
	Steps  []Step                 // at least one
}

// Step is what one transaction did there.
type Step struct {
	TimeMS, Zxid int64 // TimeMS since 1970; Zxid is 0 if unknown, as with reading
	Facts        []replay.Fact
}

// Story returns what the lock at a path has been through, if anything of that is kept.
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

// because records the cause of the facts that follow in the transaction.
func (l *Locks) because(e *event.Event, by int64) { l.cause = replay.Fact{Event: *e, By: by} }

// keep keeps a change of a znode with the things that follow it: before they learn of it, unless it is a creation.
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

// keepStep ends a transaction that has changed a thing.
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

// forget drops what a thing has no room for, oldest first.
func (l *Locks) forget(t *thing) {
	n, keep := 0, len(t.kept)
	for keep > 0 && n+len(t.kept[keep-1].Facts) <= l.each {
		keep--
		n += len(t.kept[keep].Facts)
	}
	l.kept -= facts(t.kept[:keep])
	t.kept = slices.Delete(t.kept, 0, keep)
}

// facts returns the number of facts in steps.
func facts(steps []Step) (n int) {
	for i := range steps {
		n += len(steps[i].Facts)
	}
	return n
}

// forgetAll drops everything kept: the tree will be put again, without what happened meanwhile.
func (l *Locks) forgetAll() {
	for _, t := range l.things {
		t.kept, t.now = nil, nil
	}
	l.kept = 0
}
