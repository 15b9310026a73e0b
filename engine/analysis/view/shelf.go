package view

import (
	"bytes"
	"sort"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/packed"
)

const (
	chunkLen = 1024 // events
	maxOpen  = 32   // unpacked chunks of a History and its forks, not counting the last of each
)

// shelf keeps the events of a History: the recently viewed ones as they are, the others packed. Its zero value is
// empty.
type shelf struct {
	chunks []*chunk // of chunkLen events each, except perhaps the last; full ones are shared with forks
	len    int
	open   *opened // shared with forks
}

// chunk is a run of consecutive events.
type chunk struct {
	from   time.Duration // of the first
	events []event.Event // nil while they are only packed
	packed []byte        // nil until they were
	used   bool          // since opened last looked at it
}

// append adds e, which has the next number.
func (s *shelf) append(e event.Event) {
	if s.len%chunkLen == 0 {
		s.chunks = append(s.chunks, &chunk{from: e.At, events: s.ready().room()})
	}
	last := s.chunks[len(s.chunks)-1]
	last.events = append(last.events, e)
	if s.len++; s.len%chunkLen == 0 {
		s.ready().add(last)
	}
}

func (s *shelf) ready() *opened {
	if s.open == nil {
		s.open = &opened{most: maxOpen}
	}
	return s.open
}

// at returns the event at index i, from 0. Callers must not change it, nor keep it: the next call may overwrite it.
func (s *shelf) at(i int) *event.Event {
	c := s.chunks[i/chunkLen]
	if c.events == nil {
		s.ready().unpack(c)
	}
	c.used = true
	return &c.events[i%chunkLen]
}

// before returns the number of events up to the time t.
func (s *shelf) before(t time.Duration) int {
	c := sort.Search(len(s.chunks), func(i int) bool { return s.chunks[i].from > t }) - 1
	if c < 0 {
		return 0
	}
	n := min(chunkLen, s.len-c*chunkLen)
	return c*chunkLen + sort.Search(n, func(i int) bool { return s.at(c*chunkLen+i).At > t })
}

// fork returns a shelf with the first n events.
func (s *shelf) fork(n int) shelf {
	full, rest := n/chunkLen, n%chunkLen
	f := shelf{chunks: append([]*chunk(nil), s.chunks[:full]...), len: n, open: s.ready()}
	if rest > 0 {
		s.at(full * chunkLen)
		c := s.chunks[full]
		f.chunks = append(f.chunks, &chunk{
			from: c.from, events: append(s.open.room(), c.events[:rest]...),
		})
	}
	return f
}

// opened holds the unpacked chunks. When there are too many, it closes one that wasn't used for a long time.
type opened struct {
	most   int // chunks
	chunks []*chunk
	hand   int           // the index in chunks to look at next
	spare  []event.Event // memory of the chunk that was closed last
	pack   packed.Encoder
	read   packed.Decoder
}

// room returns memory for the events of a chunk.
func (o *opened) room() []event.Event {
	events := o.spare
	if o.spare = nil; events == nil {
		events = make([]event.Event, 0, chunkLen)
	}
	return events
}

func (o *opened) add(c *chunk) {
	if len(o.chunks) < o.most {
		o.chunks = append(o.chunks, c)
		return
	}
	for o.chunks[o.hand].used {
		o.chunks[o.hand].used = false
		o.hand = (o.hand + 1) % o.most
	}
	o.close(o.chunks[o.hand])
	o.chunks[o.hand] = c
	o.hand = (o.hand + 1) % o.most
}

// close keeps only a chunk's packed form.
func (o *opened) close(c *chunk) {
	if c.packed == nil {
		o.pack.Begin(c.events[0].Seq)
		for i := range c.events {
			o.pack.Append(c.events[i])
		}
		c.packed = bytes.Clone(o.pack.Block())
	}
	c.events, o.spare = nil, c.events[:0]
}

// unpack restores a chunk's events.
func (o *opened) unpack(c *chunk) {
	events, n := o.room()[:chunkLen], 0
	for o.read.Begin(c.packed); n < chunkLen && o.read.Next(&events[n]); n++ {
	}
	if n < chunkLen {
		panic("view: a packed chunk cannot be read") // only this package wrote it
	}
	c.events = events
	o.add(c)
}
