package room

import (
	"reflect"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/judge"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// judged is a computed branch with the verdict on its log.
type judged struct {
	run.Branch
	verdict protocol.Verdict
}

// size returns its memory in bytes. A verdict takes up to three times as much as its message.
func (j judged) size() int {
	return j.Size() + 3*len(protocol.AppendMessage(nil, &j.verdict))
}

// verdict is what followers get to know of a branch's log. The room's mutex guards it.
type verdict struct {
	said    protocol.Verdict
	version int       // counts what was said; 0 for nothing yet
	changed []int     // by deed, the version since which it's there; nil if there is only one
	made    time.Time // when it was said
	growing *growing  // judges on; nil if nothing follows
}

// told is what a follower knows of a verdict: so many deeds as they were in a version, and whether that's all.
type told struct {
	version, deeds int
	whole          bool
}

// growing judges a log while it grows.
type growing struct {
	mu    sync.Mutex
	judge *judge.Judge
}

// newGrowing returns what judges a log with this header, nil if nobody does.
func newGrowing(h event.Header) *growing {
	if !protocol.Judged(h) {
		return nil
	}
	return &growing{judge: judge.New(h)}
}

// Append judges the log's next event.
func (g *growing) Append(e event.Event) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.judge.Append(e)
}

// beyond returns the verdict so far if that covers more than that many events.
func (g *growing) beyond(events event.Seq) (v protocol.Verdict, more bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.judge.Events() > events {
		return g.judge.Verdict(), true
	}
	return v, false
}

// since returns the first deed that was different in an earlier version.
func (v *verdict) since(version int) int {
	if version == v.version {
		return len(v.said.Deeds)
	}
	for i, changed := range v.changed {
		if changed > version {
			return i
		}
	}
	return len(v.changed)
}

// becomes replaces what is said.
func (v *verdict) becomes(said protocol.Verdict, now time.Time) {
	v.version++
	changed := make([]int, len(said.Deeds))
	for i := range said.Deeds {
		changed[i] = v.version
		if i < len(v.changed) && reflect.DeepEqual(said.Deeds[i], v.said.Deeds[i]) {
			changed[i] = v.changed[i]
		}
	}
	v.said, v.changed, v.made = said, changed, now
}

// judge renews the verdicts on logs that grow, when somebody asks for news. Each follows its log by up to
// verdictEvery, and covers all of a log that has ended. judge returns when to ask again; 0 if only an event brings
// something new.
func (r *room) judge(now time.Time) (again time.Duration) {
	r.mu.Lock()
	renewed := false
	for i := range r.branches {
		v := &r.branches[i].verdict
		if v.growing == nil {
			continue
		}
		ended := r.branches[i].log.Status().Ended
		if wait := verdictEvery - now.Sub(v.made); wait > 0 && !ended {
			again = wait
			continue
		}
		if said, more := v.growing.beyond(v.said.Events); more {
			v.becomes(said, now)
			renewed = true
		}
		if ended {
			v.growing = nil
		}
	}
	r.mu.Unlock()
	if renewed {
		r.bell.Ring()
	}
	return again
}

// appendVerdict writes a message with what a follower doesn't know yet of the verdict on a branch, or a part of that.
// It returns what the follower knows then. It writes nothing if there is nothing new or the generation has changed.
func (r *room) appendVerdict(dst []byte, generation, id int, t told) ([]byte, told) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if generation != r.generation || id >= len(r.branches) {
		return dst, t
	}
	v := &r.branches[id].verdict
	if t.whole && t.version == v.version || v.version == 0 {
		return dst, t
	}
	rest := v.said
	rest.Branch, rest.From = id, min(t.deeds, v.since(t.version))
	rest.Deeds = rest.Deeds[rest.From:]
	part := rest.Part()
	whole := len(part.Deeds) == len(rest.Deeds)
	return protocol.AppendMessage(dst, &part), told{v.version, rest.From + len(part.Deeds), whole}
}
