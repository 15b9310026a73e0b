package hub_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/event/packed"
)

func fill(l *hub.Log, from, to event.Seq) {
	for s := from; s <= to; s++ {
		l.Append(event.Event{Seq: s, N: int64(s)})
	}
}

// readAll reads from a sequence number to the current end.
func readAll(l *hub.Log, from event.Seq) (seqs []event.Seq) {
	for {
		batch := l.Read(from)
		if len(batch) == 0 {
			return seqs
		}
		for _, e := range batch {
			seqs = append(seqs, e.Seq)
			from = e.Seq + 1
		}
	}
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name            string
		last, from      event.Seq
		want, wantCount int // first sequence number read, and how many
	}{
		{"empty", 0, 1, 0, 0},
		{"whole", 1000, 1, 1, 1000},
		{"from zero is from the first", 3, 0, 1, 3},
		{"middle of a chunk", 1000, 300, 300, 701},
		{"last", 1000, 1000, 1000, 1},
		{"not yet written", 1000, 1001, 0, 0},
		{"far beyond", 10, 4_000_000_000, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := hub.New(hub.Config{})
			fill(l, 1, c.last)
			got := readAll(l, c.from)
			if len(got) != c.wantCount {
				t.Fatalf("read %d events, want %d", len(got), c.wantCount)
			}
			for i, s := range got {
				if s != event.Seq(c.want+i) {
					t.Fatalf("event %d has number %d, want %d", i, s, c.want+i)
				}
			}
		})
	}
}

// TestBlocks reads a log as blocks while it grows and after its end. From wherever a reader begins, they have every
// event up to the present.
func TestBlocks(t *testing.T) {
	const events = 2500 // two full blocks, and more
	l := hub.New(hub.Config{})
	var own packed.Builder
	for s := event.Seq(1); s <= events; s++ {
		l.Append(event.Event{Seq: s, N: int64(s)})
		if own.Append(event.Event{Seq: s, N: int64(s)}); s%97 == 0 {
			sameBlocks(t, l, 1+s%11*s/11, s)
		}
	}
	ended := hub.Ended(own.Log())
	for from := event.Seq(0); from <= events; from += 83 {
		sameBlocks(t, l, from, events)
		sameBlocks(t, ended, from, events)
		if got := readAll(ended, from); len(got) != int(events-max(from, 1)+1) {
			t.Errorf("from %d on, an ended log has %d events", from, len(got))
		}
	}
	if st := ended.Status(); !st.Ended || st.Err != nil || st.First != 1 || st.Next != events+1 {
		t.Errorf("an ended log is %+v", st)
	}
	var late packed.Builder
	for s := event.Seq(7); s < 10; s++ {
		late.Append(event.Event{Seq: s, N: int64(s)})
	}
	sameBlocks(t, hub.Ended(late.Log()), 7, 9)
	if seqs := readAll(hub.Ended(packed.Log{}), 0); len(seqs) != 0 {
		t.Errorf("an empty log has %v", seqs)
	}
}

// sameBlocks checks the blocks of a log with events up to last.
func sameBlocks(t *testing.T, l *hub.Log, from, last event.Seq) {
	t.Helper()
	want := max(from, 1)
	for next := from; ; {
		block, after := l.AppendBlock([]byte("frame"), next)
		if after == next {
			break
		}
		var d packed.Decoder
		var e event.Event
		for d.Begin(block[len("frame"):]); d.Next(&e); want++ {
			if e.Seq != want || e.N != int64(want) {
				t.Fatalf("from %d on, event %d is %+v", from, want, e)
			}
		}
		if next = after; d.Err() != nil || next != want {
			t.Fatalf("from %d on, a block ends at %d instead of %d: %v", from, want, next, d.Err())
		}
	}
	if want != last+1 {
		t.Fatalf("from %d on, the blocks end at %d instead of %d", from, want-1, last)
	}
}

func TestEnds(t *testing.T) {
	for _, c := range []struct {
		name  string
		write func(*hub.Log)
		next  event.Seq
		ended bool
		err   error
		text  string
	}{
		{"going on", func(l *hub.Log) { fill(l, 1, 5) }, 6, false, nil, ""},
		{"regular", func(l *hub.Log) { fill(l, 1, 5); l.End(nil); fill(l, 6, 9) }, 6, true, nil, ""},
		{"limit reached exactly", func(l *hub.Log) { fill(l, 1, 10) }, 11, false, nil, ""},
		{"limit passed", func(l *hub.Log) { fill(l, 1, 12) }, 11, true, hub.ErrFull, ""},
		{"gap", func(l *hub.Log) { fill(l, 1, 2); fill(l, 4, 6) }, 3, true, nil, "the log has a gap: event 4 came after 2"},
		{"first reason stays", func(l *hub.Log) { fill(l, 1, 12); l.End(nil) }, 11, true, hub.ErrFull, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := hub.New(hub.Config{Limit: 10})
			c.write(l)
			st := l.Status()
			if st.Next != c.next || st.Ended != c.ended {
				t.Errorf("status %+v, want next %d, ended %v", st, c.next, c.ended)
			}
			if c.text != "" && (st.Err == nil || st.Err.Error() != c.text) {
				t.Errorf("error %v, want %q", st.Err, c.text)
			}
			if c.text == "" && !errors.Is(st.Err, c.err) {
				t.Errorf("error %v, want %v", st.Err, c.err)
			}
		})
	}
}

// TestReaders lets fast, slow and late readers read while the log grows. Each sees every event, in order.
func TestReaders(t *testing.T) {
	const events, readers = 3000, 50
	bell := new(hub.Bell)
	l := hub.New(hub.Config{Bell: bell})
	var wg sync.WaitGroup
	for i := range readers {
		wg.Go(func() {
			next := event.Seq(1)
			for {
				wake := bell.Next()
				for batch := l.Read(next); len(batch) > 0; batch = l.Read(next) {
					for _, e := range batch {
						if e.Seq != next || e.N != int64(next) {
							t.Errorf("reader %d got event %d/%d, want %d", i, e.Seq, e.N, next)
							return
						}
						next++
					}
				}
				if st := l.Status(); st.Ended && next == st.Next {
					return
				}
				if i%10 == 0 {
					hub.Rest(t.Context())
				}
				<-wake
			}
		})
	}
	fill(l, 1, events)
	l.End(nil)
	wg.Wait()
}

// TestGrowsAsFarAsItMay counts the bytes that a log requests, and refuses more in the end.
func TestGrowsAsFarAsItMay(t *testing.T) {
	const most = 1 << 20
	full := errors.New("no memory is left")
	granted := 0
	l := hub.New(hub.Config{Grow: func(bytes int) error {
		if granted+bytes > most {
			return full
		}
		granted += bytes
		return nil
	}})
	taken := 0
	for s := event.Seq(1); !l.Status().Ended; s++ {
		e := event.Event{Seq: s, Path: strings.Repeat("x", int(s%3000))}
		if l.Append(e); !l.Status().Ended {
			taken += e.Size()
		}
		if taken > granted {
			t.Fatalf("it has taken %d bytes, and may take %d", taken, granted)
		}
	}
	if err := l.Status().Err; !errors.Is(err, full) {
		t.Errorf("it ended with %v", err)
	}
	if granted < most/2 || taken < granted/2 {
		t.Errorf("of %d bytes it has asked for %d, and taken %d", most, granted, taken)
	}
	asked := granted
	l.Append(event.Event{Seq: 1, Path: strings.Repeat("x", 1<<20)})
	if granted != asked {
		t.Error("a log that has ended grows")
	}
}
