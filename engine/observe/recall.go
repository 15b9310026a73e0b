package observe

import (
	"errors"
	"fmt"
	"iter"
	"path"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// ErrAfter reports that the events of Observation.After aren't a log that Run can go on with. Begin a new log.
var ErrAfter = errors.New("this log can't go on")

// memory rebuilds what an observer knew from its log.
type memory struct {
	observer *observer
	last     event.Event  // read last
	started  event.Event  // RunStarted
	missed   event.Event  // a LeftMissed whose change has to follow; zero if none
	lacking  event.Reason // the last one of a list of what is left out that may go on; 0 if none
}

// recall reads a log that the observer has to go on with. It does nothing if there are no events.
func (o *observer) recall(log iter.Seq[event.Event]) error {
	m := memory{observer: o}
	for e := range log {
		if err := m.read(e); err != nil {
			return fmt.Errorf("%w: event %d: %w", ErrAfter, e.Seq, err)
		}
	}
	if m.last.Seq == 0 {
		return nil
	}
	if o.since == 0 && len(o.tree.nodes) > 0 {
		return fmt.Errorf("%w: it doesn't say when it began", ErrAfter)
	}
	o.missed.recalled = m.missed
	o.omissions.wait = len(o.omissions.reported) > 0
	o.log.goOn(m.last, m.started.N)
	o.outage.heard = o.log.from.Add(m.last.At)
	return nil
}

// read takes the next event.
func (m *memory) read(e event.Event) error {
	o := m.observer
	switch {
	case e.Seq != m.last.Seq+1:
		return fmt.Errorf("it comes after event %d", m.last.Seq)
	case e.At < m.last.At:
		return errors.New("it is earlier than the event before")
	case (e.Kind == event.RunStarted) != (e.Seq == 1):
		return fmt.Errorf("unexpected %s", e.Kind)
	}
	o.last = max(o.last, e.Zxid)
	switch e.Kind {
	case event.RunStarted:
		if e.Path != o.tree.root {
			return fmt.Errorf("it is about %q", event.Preview([]byte(e.Path)))
		}
		m.started, o.since = e, e.Zxid
	case event.RunEnded:
		return errors.New("the log ends there")
	case event.Disconnected:
		o.outage.why = e.Text
	case event.Reconnected:
		o.outage.why = ""
		if o.since == 0 {
			o.since = e.Zxid
		}
	case event.ClientStarted:
		o.owners.started = max(o.owners.started, e.Actor)
	case event.SessionSeen:
		if o.owners.bySession[e.Session] == nil {
			o.owners.bySession[e.Session] = &owner{actor: e.Peer}
		}
	case event.ZnodeCreated, event.ZnodeFound, event.ZnodeChanged, event.ZnodeDeleted:
		if err := m.znode(e); err != nil {
			return err
		}
	}
	m.note(e)
	m.last = e
	return nil
}

// note takes the observer's remarks.
func (m *memory) note(e event.Event) {
	o := m.observer
	switch {
	case e.Reason == event.LeftMissed:
		m.missed = e
	case e.Kind != event.ClientStarted && e.Kind != event.SessionSeen: // which come before the znode of a new owner
		m.missed = event.Event{}
	}
	left := event.Event{Reason: e.Reason, Path: e.Path, N: e.N, Code: e.Code}
	switch e.Reason {
	case event.LeftUnread, event.LeftOwners:
		o.omissions.note(left)
	case event.LeftNothing, event.LeftMissing, event.LeftNodes, event.LeftLater, event.LeftChildren, event.LeftDeep,
		event.LeftData, event.LeftPaths, event.LeftReadOnly, event.LeftHidden:
	default:
		m.lacking = 0
		return
	}
	if m.lacking == 0 || e.Reason <= m.lacking && e.Reason != event.LeftUnread && e.Reason != event.LeftOwners {
		o.omissions.reported = nil // another list begins
	}
	m.lacking = e.Reason
	if e.Reason != event.LeftNothing {
		o.omissions.reported = append(o.omissions.reported, left)
	}
}

// znode takes what was reported of a znode.
func (m *memory) znode(e event.Event) error {
	o := m.observer
	if !o.tree.below(e.Path) || path.Clean(e.Path) != e.Path {
		return fmt.Errorf("%q is outside %q", event.Preview([]byte(e.Path)), o.tree.root)
	}
	n := o.tree.nodes[e.Path]
	switch {
	case e.Kind == event.ZnodeCreated, e.Introduces(), e.Kind == event.ZnodeFound && n == nil: // these have no zxid
		if n != nil {
			return fmt.Errorf("%q exists already", event.Preview([]byte(e.Path)))
		}
		m.introduced(e)
	case n == nil:
	case e.Kind == event.ZnodeFound:
		n.recalled.undated = false
	case e.Kind == event.ZnodeChanged:
		n.stat.Mzxid = e.Zxid
		n.recalled.text, n.recalled.length, n.recalled.asOf = e.Text, e.N, o.last
		if n.recalled.versions {
			n.recalled.most += 1 + m.missedOf(e.Path)
		}
	default:
		o.owners.removeZnode(n.owner)
		o.tree.dropChild(e.Path)
		delete(o.tree.nodes, e.Path)
	}
	return nil
}

// introduced takes a znode's first event.
func (m *memory) introduced(e event.Event) {
	o := m.observer
	n := o.tree.put(e.Path)
	n.read = true
	n.stat.Czxid, n.stat.EphemeralOwner = e.Zxid, e.Session
	n.recalled = &recalled{text: e.Text, length: e.N, asOf: o.last}
	if e.Kind == event.ZnodeFound {
		n.recalled.length = int64(e.Code)
	} else {
		n.recalled.undated, n.recalled.versions, n.recalled.most = true, true, m.missedOf(e.Path)
		if n.recalled.most == 0 {
			n.stat.Mzxid = e.Zxid
		}
	}
	if e.Peer != event.ZooKeeper && e.Session != 0 {
		n.owner = o.owners.countZnode(o.owners.bySession[e.Session])
	}
	o.tree.addChild(e.Path)
}

// missedOf returns how many changes of the znode were missed before the event about it that comes now.
func (m *memory) missedOf(path string) int64 {
	if m.missed.Path != event.Preview([]byte(path)) {
		return 0
	}
	return m.missed.N
}

// goOn continues a log after its last event. It began at startedMS, in ms since 1970, 0 if unknown.
func (l *eventLog) goOn(last event.Event, startedMS int64) {
	now, age := time.Now(), last.At
	if startedMS > 0 {
		age = max(age, min(time.Duration(max(now.UnixMilli()-startedMS, 0))*time.Millisecond, event.MaxTime))
	}
	l.start, l.seq, l.from = nil, last.Seq, now.Add(-age)
}
