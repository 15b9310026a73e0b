package locks

import (
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Quit is a client that left the line without getting in.
type Quit struct {
	handover.Node
	TimeMS, Zxid int64        // TimeMS since 1970; Zxid is 0 if unknown, as with reading
	Reason       event.Reason // why its znode went
	By           int64        // the session that asked for that, 0 if unknown
	// Unsure means that it may have got in: it went between two looks, and so did the one ahead, or nobody looked.
	Unsure bool
	Addr   string // the client's last known address, host:port; empty if unknown
}

// bare returns the quit without what may become known later.
func (q Quit) bare() Quit {
	q.Addr = ""
	return q
}

// Why returns why it left, as far as that is known.
func (q *Quit) Why() handover.Why { return handover.WhyGone(q.Reason, q.Session, q.By, zoo.Ephemeral) }

// WaitedMS returns for how long it waited. It returns false if that isn't known: when it went, or whether it waited
// until then.
func (q *Quit) WaitedMS() (ms int64, known bool) {
	return max(q.TimeMS-q.MadeMS, 0), q.MadeMS != 0 && !q.Unsure
}

// Said says who left the line, after waiting for how long, and why.
func (q *Quit) Said() sentence.Sentence {
	why := "unsure"
	if !q.Unsure {
		why = string(q.Why())
	}
	who, because := client(&q.Node, q.Addr), sentence.Sentences(sentence.Of("hands.quit.why."+why,
		handover.Session(q.By)))
	if waited, known := q.WaitedMS(); known {
		return sentence.Of("hands.quit.after", who, sentence.Sentences(handover.Took(waited)), because)
	}
	return sentence.Of("hands.quit", who, because)
}

// Ago says how long ago that was at a time in ms since 1970.
func (q *Quit) Ago(nowMS int64) sentence.Sentence { return ago(q.TimeMS, nowMS) }

// queues reports whether those that aren't in wait for those that are. Who leaves what is only perhaps a lock may
// have done what it came for.
func (t *thing) queues() bool { return t.use.Line() || t.use == naming.Semaphore }

// quitting notes that a znode is about to go by which a client waits.
func (t *thing) quitting(p string, why event.Reason, timeMS, by int64) {
	if !t.queues() || !t.of.Waits(p) {
		return
	}
	n, _ := t.of.Node(p)
	t.leaving = append(t.leaving, Quit{Node: n, TimeMS: timeMS, Reason: why, By: by})
}

// quit records who has left the line by the end of a transaction. blind means that nobody saw what happened before.
func (t *thing) quit(zxid int64, changes []handover.Change, blind bool) {
	for _, q := range t.leaving {
		q.Zxid, q.Unsure = zxid, blind
		t.keepQuit(q)
	}
	t.leaving = nil
	if zxid != 0 {
		return
	}
	for i := range changes {
		if c := &changes[i]; !c.Got {
			t.doubtQuits(c.TimeMS)
		}
	}
}

// doubtQuits records that a holder has gone. A client that was seen to go just before may have held it in between:
// a reader sees what two looks at the list differ in, in no order.
func (t *thing) doubtQuits(timeMS int64) {
	for i := range t.quits {
		if q := &t.quits[i]; q.Zxid == 0 && timeMS-q.TimeMS < handover.LookMS {
			q.Unsure = true
		}
	}
}

func (t *thing) keepQuit(q Quit) {
	if len(t.quits) == maxQuits {
		t.quits = append(t.quits[:0], t.quits[1:]...)
	}
	t.quits = append(t.quits, q)
	t.flow.quit.add(q.TimeMS)
}

// lastQuits returns the last few that left the line, latest first. One that was only seen to be gone is judged once
// doubtQuits would have been called.
func (t *thing) lastQuits(nowMS int64) (list []Quit) {
	for _, q := range slices.Backward(t.quits) {
		if q.Zxid != 0 || nowMS-q.TimeMS >= handover.LookMS {
			list = append(list, q)
		}
	}
	return list
}

// Blind records that changes are found by comparing what there was with what there is: who has left the line may
// have got in meanwhile. Once that is over, at timeMS, it looks for those that went before the tree was Put again.
func (l *Locks) Blind(is bool, timeMS int64) {
	l.blind = is
	if is || !l.waited {
		return
	}
	l.waited = false
	for _, t := range l.things {
		for _, n := range t.waited {
			if now, there := t.of.Node(n.Path); !there || now.Session != n.Session {
				t.keepQuit(Quit{Node: n, TimeMS: timeMS, Reason: event.ByUnknown, Unsure: true})
			}
		}
		t.waited = nil
		t.endUnseen(timeMS)
		l.keepHolds(t, timeMS)
	}
}

// waiting returns the first few that wait.
func (t *thing) waiting() (list []handover.Node) {
	if !t.queues() {
		return nil
	}
	for c := range t.of.Line() {
		if len(list) == MostNamed {
			break
		}
		if t.of.Waits(c.Path) {
			list = append(list, c.Node)
		}
	}
	return list
}
