package hub_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/hub"
)

// model is a trivial log to compare with.
type model struct {
	limit  int
	events []event.Event
	ended  bool
	err    error // nil also for errors that the model doesn't know
}

func (m *model) next() event.Seq { return event.Seq(1 + len(m.events)) }

// append reports whether something changed.
func (m *model) append(e event.Event) bool {
	switch {
	case m.ended:
		return false
	case len(m.events) == m.limit:
		m.ended, m.err = true, hub.ErrFull
	case e.Seq != m.next():
		m.ended = true
	default:
		m.events = append(m.events, e)
	}
	return true
}

func (m *model) end(err error) {
	if !m.ended {
		m.ended, m.err = true, err
	}
}

// from returns the events from a number on.
func (m *model) from(seq event.Seq) (all []event.Event) {
	for _, e := range m.events {
		if e.Seq >= seq {
			all = append(all, e)
		}
	}
	return all
}

// reader has read a prefix of what it wants.
type reader struct {
	from event.Seq
	got  []event.Event
	wake <-chan struct{} // nil if it isn't waiting
	last []event.Event   // the last batch; the reader may append to it
}

func rung(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// read does what every reader does: it gets the bell's channel, looks, and waits if there is nothing.
func (r *reader) read(t *testing.T, l *hub.Log, bell *hub.Bell, m *model) {
	t.Helper()
	_ = append(r.last, event.Event{Text: "the reader's own"})
	if r.wake != nil && !rung(r.wake) {
		if len(m.from(r.next())) > 0 {
			t.Fatalf("a reader sleeps before event %d, and the log is at %d", r.next(), m.next())
		}
		return
	}
	r.wake = bell.Next()
	if rung(r.wake) {
		t.Fatal("the bell has rung before it was asked")
	}
	batch := l.Read(r.next())
	r.got = append(r.got, batch...)
	if len(batch) > 0 {
		r.wake, r.last = nil, batch
	}
	if want := m.from(r.from); len(batch) == 0 && len(r.got) < len(want) || !slices.Equal(r.got, want[:len(r.got)]) {
		t.Fatalf("a reader from %d on has got %d events of %d, or others", r.from, len(r.got), len(want))
	}
}

func (r *reader) next() event.Seq {
	if len(r.got) > 0 {
		return r.got[len(r.got)-1].Seq + 1
	}
	return r.from
}

// TestLogIsTheModel checks random writes and reads. Each reader gets a prefix of what was written, and each change
// wakes all waiters.
func TestLogIsTheModel(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		limit := rnd.IntN(1200) - 1
		bell := new(hub.Bell)
		l := hub.New(hub.Config{Limit: limit, Bell: bell})
		m := &model{limit: limit}
		if limit <= 0 {
			m.limit = hub.DefaultLimit
		}
		readers := make([]reader, 5)
		for i := range readers {
			readers[i].from = event.Seq(rnd.IntN(300)) * event.Seq(i%2)
		}
		for range 900 {
			ring, changed := bell.Next(), false
			switch n := rnd.IntN(400); {
			case n == 0:
				seq := m.next() + event.Seq(1+rnd.IntN(2))
				changed = m.append(event.Event{Seq: seq})
				l.Append(event.Event{Seq: seq})
			case n == 1 && m.next() > 1:
				changed = m.append(event.Event{Seq: m.next() - 1})
				l.Append(event.Event{Seq: m.next() - 1})
			case n == 2:
				err := []error{nil, errors.New("lost")}[rnd.IntN(2)]
				changed = !m.ended
				m.end(err)
				l.End(err)
			case n < 300:
				e := event.Event{Seq: m.next(), N: rnd.Int64()}
				changed = m.append(e)
				l.Append(e)
			default:
				readers[rnd.IntN(5)].read(t, l, bell, m)
			}
			if changed && !rung(ring) {
				t.Fatalf("seed %d: nobody is told of a change at event %d", seed, m.next())
			}
			st := l.Status()
			wrong := m.err != nil && st.Err != m.err || !st.Ended && st.Err != nil
			if wrong || st.First != 1 || st.Next != m.next() || st.Ended != m.ended {
				t.Fatalf("seed %d: the log is %+v, want it up to %d, ended %v by %v", seed, st, m.next(), m.ended, m.err)
			}
		}
		for i := range readers {
			r := &readers[i]
			r.wake = nil
			for len(r.got) < len(m.from(r.from)) {
				r.wake = nil
				r.read(t, l, bell, m)
			}
		}
	}
}

// TestGrantsAreUsedUp checks that a log never takes more than granted, and requests what it needs only when it must.
func TestGrantsAreUsedUp(t *testing.T) {
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		granted, taken := 0, 0
		l := hub.New(hub.Config{Grow: func(bytes int) error { granted += bytes; return nil }})
		for s := range event.Seq(3000) {
			e := event.Event{Seq: s + 1, Text: string(make([]byte, rnd.IntN(200)*rnd.IntN(200)*rnd.IntN(5)))}
			free, before := granted-taken, granted
			l.Append(e)
			taken += e.Size()
			if taken > granted {
				t.Fatalf("seed %d: after event %d the log has taken %d bytes of %d", seed, s+1, taken, granted)
			}
			if granted > before && e.Size() <= free {
				t.Fatalf("seed %d: for event %d of %d bytes it asks for more, and has %d", seed, s+1, e.Size(), free)
			}
		}
	}
}
