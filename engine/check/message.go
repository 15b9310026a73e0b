package check

import (
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// everyMessage follows the messages of a topic: sequential znodes that stay, each reported by its publisher
// and by whoever reads it, as its sequence number and one.
type everyMessage struct {
	topics map[string]*feed
	last   map[event.Actor]batch
}

// feed is what is there, and what of it each subscriber has read.
type feed struct {
	there   numbers
	readers map[event.Actor]*reading
}

type reading struct {
	seen numbers
	last int64
}

// batch is how many messages a client has put into a topic since it last reported one.
type batch struct {
	topic string
	n     int
}

func newEveryMessage() *everyMessage {
	return &everyMessage{topics: make(map[string]*feed), last: make(map[event.Actor]batch)}
}

func (m *everyMessage) append(c *Checker, e event.Event) {
	switch {
	case e.Kind == event.ZnodeCreated && zoo.CreateMode(e.Mode) == zoo.PersistentSequential:
		m.arrive(c, e)
	case e.Kind == event.RecipePhase && zoo.Phase(e.Text) == zoo.Published:
		m.publish(c, e)
	case e.Kind == event.RecipePhase && zoo.Phase(e.Text) == zoo.Saw:
		m.read(c, e)
	case over(e):
		m.end(c, e)
	}
}

func (m *everyMessage) topic(path string) *feed {
	f := m.topics[path]
	if f == nil {
		f = &feed{readers: make(map[event.Actor]*reading)}
		m.topics[path] = f
	}
	return f
}

// arrive looks for those who have read on without a message of which a live host hears late.
func (m *everyMessage) arrive(c *Checker, e event.Event) {
	topic := path.Dir(e.Path)
	b := batch{topic, 1}
	if was := m.last[e.Peer]; was.topic == topic {
		b.n = was.n + 1
	}
	m.last[e.Peer] = b
	f, n := m.topic(topic), event.Number(e.Path)+1
	f.there.add(n)
	for _, a := range slices.Sorted(maps.Keys(f.readers)) {
		if r := f.readers[a]; r.last > n && !r.seen.has(n) {
			m.blame(c, e, a, fmt.Sprintf("%s saw message %d of %s, and had not seen %d before", a, r.last, name(topic), n))
		}
	}
}

func (m *everyMessage) publish(c *Checker, e event.Event) {
	b := m.last[e.Actor]
	delete(m.last, e.Actor)
	if b.topic == e.Path && b.n > 1 {
		m.blame(c, e, e.Actor, fmt.Sprintf("%s reports message %d of %s as published at %s, and had put it there %d times",
			e.Actor, e.N, name(e.Path), seconds(e.At), b.n))
	}
}

func (m *everyMessage) read(c *Checker, e event.Event) {
	f := m.topic(e.Path)
	r := f.readers[e.Actor]
	if r == nil {
		r = new(reading)
		f.readers[e.Actor] = r
	}
	again, last := r.seen.has(e.N), r.last
	r.seen.add(e.N)
	r.last = max(last, e.N)
	what := fmt.Sprintf("%s saw message %d of %s at %s", e.Actor, e.N, name(e.Path), seconds(e.At))
	switch skipped := f.there.without(&r.seen); {
	case again:
		m.blame(c, e, e.Actor, what+", and had seen it before")
	case e.N < last:
		m.blame(c, e, e.Actor, fmt.Sprintf("%s, after message %d", what, last))
	case skipped != 0 && skipped < e.N:
		m.blame(c, e, e.Actor, fmt.Sprintf("%s, and had not seen %d before", what, skipped))
	}
}

// end looks for those who went home although there was more to read.
func (m *everyMessage) end(c *Checker, e event.Event) {
	for _, path := range slices.Sorted(maps.Keys(m.topics)) {
		f := m.topics[path]
		for _, a := range slices.Sorted(maps.Keys(f.readers)) {
			missed := f.there.without(&f.readers[a].seen)
			if missed == 0 || !c.satisfied(a) {
				continue
			}
			e := e
			e.At, e.Seq = c.client(a).leftAt, c.client(a).left
			m.blame(c, e, a, fmt.Sprintf("%s went home at %s and never saw message %d of %s", a, seconds(e.At), missed, name(path)))
		}
	}
}

func (m *everyMessage) blame(c *Checker, e event.Event, who event.Actor, text string) {
	c.violate(Violation{Rule: EveryMessage, At: e.At, Seq: e.Seq, Clients: []event.Actor{who}, Text: text})
}

// without is the lowest number of s that t lacks, 0 if it has all of them, which are greater than 0.
func (s *numbers) without(t *numbers) int64 {
	for _, r := range s.runs {
		i := t.find(r[0])
		switch {
		case i == len(t.runs) || t.runs[i][0] > r[0]:
			return r[0]
		case t.runs[i][1] < r[1]:
			return t.runs[i][1] + 1
		}
	}
	return 0
}
