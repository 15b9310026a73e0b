package check

import (
	"maps"
	"path"
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// everyMessage follows the messages of a topic: persistent sequential znodes. Their publisher and all their readers
// report them by their sequence number plus one.
type everyMessage struct {
	topics map[string]*feed
	last   map[event.Actor]batch
}

// feed holds the messages that exist, and which of them each subscriber has read.
type feed struct {
	there   numbers // all greater than 0
	readers map[event.Actor]*reading
	ahead   []*reading // all of them as a heap: nobody has read further than the first
	behind  map[event.Actor]*reading
}

// reading is what a subscriber has seen. Unless it is in feed.behind, that is everything that exists up to last.
type reading struct {
	who  event.Actor
	seen numbers
	last int64
	at   int // its index in feed.ahead
}

// batch counts the messages that a client has put into a topic since it last reported one.
type batch struct {
	topic string
	n     int
}

func newEveryMessage() *everyMessage {
	return &everyMessage{topics: make(map[string]*feed), last: make(map[event.Actor]batch)}
}

func (*everyMessage) reads() []event.Kind {
	return []event.Kind{
		event.ZnodeCreated, event.RecipePhase, event.RunEnded,
	}
}

func (m *everyMessage) append(c *Checker, e event.Event) {
	switch {
	case e.Kind == event.ZnodeCreated && zoo.CreateMode(e.Mode) == zoo.PersistentSequential:
		m.arrive(c, e)
	case e.Kind == event.RecipePhase && program.Phase(e.Text) == program.Published:
		m.publish(c, e)
	case e.Kind == event.RecipePhase && program.Phase(e.Text) == program.Saw:
		m.read(c, e)
	case promise.Over(e):
		m.end(c, e)
	}
}

func (m *everyMessage) topic(path string) *feed {
	f := m.topics[path]
	if f == nil {
		f = &feed{readers: make(map[event.Actor]*reading), behind: make(map[event.Actor]*reading)}
		m.topics[path] = f
	}
	return f
}

// arrive looks for those that read on without a message which a live host learns of late.
func (m *everyMessage) arrive(c *Checker, e event.Event) {
	if c.full() {
		return
	}
	topic := path.Dir(e.Path)
	b := batch{topic, 1}
	if was := m.last[e.Peer]; was.topic == topic {
		b.n = was.n + 1
	}
	m.last[e.Peer] = b
	n := event.Number(e.Path) + 1
	if n <= 0 { // no message has that name
		return
	}
	f := m.topic(topic)
	for _, who := range f.arrive(n) {
		blame(c, e, who, "", sentence.Of("broken.every-message.late",
			sentence.Client(who), sentence.Number(f.readers[who].last), sentence.Path(topic), sentence.Number(n)))
	}
}

// arrive adds a message and returns those that have read on without it, in order.
func (f *feed) arrive(n int64) (without []event.Actor) {
	lacks := func(r *reading) {
		if r.last > n && !r.seen.has(n) {
			without = append(without, r.who)
		}
	}
	if f.there.has(n) { // otherwise it isn't new, and a client that hasn't seen it is known to be behind
		for _, r := range f.behind {
			lacks(r)
		}
	} else {
		f.there.add(n)
		f.beyond(0, n, lacks)
	}
	for _, who := range without {
		f.behind[who] = f.readers[who]
	}
	return inOrder(without)
}

// beyond calls do for those, from the i-th of the heap on, that have read further than n.
func (f *feed) beyond(i int, n int64, do func(*reading)) {
	if i < len(f.ahead) && f.ahead[i].last > n {
		do(f.ahead[i])
		f.beyond(2*i+1, n, do)
		f.beyond(2*i+2, n, do)
	}
}

// reader returns what a subscriber has read.
func (f *feed) reader(who event.Actor) *reading {
	r := f.readers[who]
	if r == nil {
		r = &reading{who: who, at: len(f.ahead)} // at the end of the heap, since nobody's last is less than 0
		f.readers[who] = r
		f.ahead = append(f.ahead, r)
	}
	return r
}

// reach records how far a subscriber has read.
func (f *feed) reach(r *reading, last int64) {
	r.last = max(r.last, last)
	for r.at > 0 && f.ahead[(r.at-1)/2].last < r.last {
		up := f.ahead[(r.at-1)/2]
		f.ahead[r.at], f.ahead[up.at] = up, r
		r.at, up.at = up.at, r.at
	}
}

// read records that a subscriber has read n, and returns the first message that it should have read before that, 0
// if there is none.
func (f *feed) read(r *reading, n int64) (skipped int64) {
	last := r.last
	r.seen.add(n)
	f.reach(r, n)
	if f.behind[r.who] != nil {
		if skipped = f.there.without(&r.seen); skipped == 0 || skipped > r.last {
			delete(f.behind, r.who)
		}
	} else if first, ok := f.there.after(last); ok && first < n {
		skipped = first
		f.behind[r.who] = r
	}
	return skipped
}

func (m *everyMessage) publish(c *Checker, e event.Event) {
	b := m.last[e.Actor]
	delete(m.last, e.Actor)
	if b.topic == e.Path && b.n > 1 {
		blame(c, e, e.Actor, promise.Repeated, sentence.Of("broken.every-message.repeated",
			sentence.Client(e.Actor), sentence.Number(e.N), sentence.Path(e.Path), sentence.Time(e.At), sentence.Number(b.n)))
	}
}

func (m *everyMessage) read(c *Checker, e event.Event) {
	if c.full() {
		return
	}
	f := m.topic(e.Path)
	r := f.reader(e.Actor)
	again, last := r.seen.has(e.N), r.last
	skipped := f.read(r, e.N)
	if !again && e.N >= last && (skipped == 0 || skipped >= e.N) {
		return
	}
	how, say := promise.Again, sentence.Of("broken.every-message.again",
		sentence.Client(e.Actor), sentence.Number(e.N), sentence.Path(e.Path), sentence.Time(e.At))
	switch {
	case again:
	case e.N < last:
		say.Key, say.Args = "broken.every-message.after", append(say.Args, sentence.Number(last))
	default:
		how = ""
		say.Key, say.Args = "broken.every-message.skipped", append(say.Args, sentence.Number(skipped))
	}
	blame(c, e, e.Actor, how, say)
}

// end looks for those that went home although there was more to read.
func (m *everyMessage) end(c *Checker, e event.Event) {
	for _, path := range slices.Sorted(maps.Keys(m.topics)) {
		f := m.topics[path]
		for _, a := range actorsOf(f.readers) {
			missed := f.there.without(&f.readers[a].seen)
			if missed == 0 || !c.satisfied(a) {
				continue
			}
			e := e
			e.At, e.Seq = c.client(a).leftAt, c.client(a).left
			blame(c, e, a, "", sentence.Of("broken.every-message.missed",
				sentence.Client(a), sentence.Time(e.At), sentence.Number(missed), sentence.Path(path)))
		}
	}
}

func blame(c *Checker, e event.Event, who event.Actor, how string, say sentence.Sentence) {
	v := broken(promise.EveryMessage, e, []event.Actor{who}, say)
	v.How = how
	c.violate(v)
}
