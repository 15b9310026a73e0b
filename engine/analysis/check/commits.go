package check

import "github.com/zkviz/zkviz/engine/event"

// commits holds back changes of entries in a transaction until it commits, so that rules need not know about
// transactions. Changes that are rolled back never happened.
type commits struct {
	open map[transaction]*pending
	news []event.Event // the changes of entries that the last event made effective
}

// transaction identifies a transaction at a node.
type transaction struct {
	node event.Actor
	id   int64
}

// pending holds a transaction's changes so far: the last one for each entry.
type pending struct {
	changes []event.Event
	places  map[string]int // by path
}

// append takes an event of a node.
func (m *commits) append(e event.Event) {
	m.news = m.news[:0]
	key := transaction{e.Actor, e.Session}
	switch e.Kind {
	case event.TxBegan:
		if m.open == nil {
			m.open = make(map[transaction]*pending)
		}
		m.open[key] = &pending{places: make(map[string]int)}
	case event.EntrySet, event.EntryGone:
		if p := m.open[key]; p != nil {
			p.put(e)
		} else {
			m.news = append(m.news, e)
		}
	case event.TxEnded:
		if p := m.open[key]; p != nil && e.Reason == event.ByCommit {
			for _, done := range p.changes {
				done.Seq, done.At = e.Seq, e.At
				m.news = append(m.news, done)
			}
		}
		delete(m.open, key)
	}
}

func (p *pending) put(e event.Event) {
	if i, there := p.places[e.Path]; there {
		p.changes[i] = e
		return
	}
	p.places[e.Path] = len(p.changes)
	p.changes = append(p.changes, e)
}
