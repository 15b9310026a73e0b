package check

import (
	"path"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// overtaking judges the order of a read-write lock: readers may pass readers, but nobody passes a writer, and no
// writer passes anybody. Otherwise a stream of readers keeps a writer out for as long as it lasts.
type overtaking struct {
	last, lastWriter map[string]turn // with the greatest number that got in, by the parent's path
}

func newOvertaking() *overtaking {
	return &overtaking{last: make(map[string]turn), lastWriter: make(map[string]turn)}
}

func (*overtaking) reads() []event.Kind { return []event.Kind{event.RecipePhase} }

func (o *overtaking) append(c *Checker, e event.Event) {
	p := c.client(e.Actor)
	if p == nil || p.session != alive {
		return
	}
	now := turn{e.Actor, event.Number(e.Path)}
	if now.number < 0 {
		return
	}
	queue := path.Dir(e.Path)
	switch program.Phase(e.Text) {
	case program.Writing:
		o.judge(c, e, now, o.last[queue], "broken.no-overtaking.writing")
		keepGreatest(o.lastWriter, queue, now)
	case program.Reading:
		o.judge(c, e, now, o.lastWriter[queue], "broken.no-overtaking.reading")
	default:
		return
	}
	keepGreatest(o.last, queue, now)
}

func keepGreatest(last map[string]turn, queue string, now turn) {
	if now.number >= last[queue].number {
		last[queue] = now
	}
}

// judge compares a client that gets in with one that got in earlier and should have waited for it.
func (o *overtaking) judge(c *Checker, e event.Event, now, before turn, key string) {
	if before.who == 0 || before.number <= now.number {
		return
	}
	c.accuse(broken(promise.NoOvertaking, e, []event.Actor{before.who, now.who}, sentence.Of(key,
		sentence.Client(before.who), sentence.Number(before.number), sentence.Client(now.who),
		sentence.Number(now.number), sentence.Time(e.At))), 1, now.who)
}
