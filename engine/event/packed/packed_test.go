package packed_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/packed"
)

// some are so many events from a sequence number on, of different lengths.
func some(first event.Seq, n int) []event.Event {
	random := rand.New(rand.NewPCG(uint64(first), uint64(n)))
	list := make([]event.Event, n)
	for i := range list {
		list[i] = event.Event{
			Kind: event.ZnodeCreated, Seq: first + event.Seq(i), Cause: first + event.Seq(i) - 1,
			Actor: event.Actor(random.IntN(300)),
			Path:  "/" + strings.Repeat("n", random.IntN(300)), Text: strings.Repeat("t", random.IntN(event.MaxText)),
			N: random.Int64() >> random.IntN(64),
		}
	}
	return list
}

func pack(list []event.Event) packed.Log {
	var b packed.Builder
	for _, e := range list {
		b.Append(e)
	}
	return b.Log()
}

// TestLog reads logs of several lengths, which begin at several numbers, from each of their events on.
func TestLog(t *testing.T) {
	for _, first := range []event.Seq{1, 58} {
		for _, n := range []int{1, 255, 256, 257, 1000} {
			want := some(first, n)
			l := pack(want)
			if l.Len() != n || l.First() != first || l.Next() != first+event.Seq(n) {
				t.Errorf("%d events from %d on: %d from %d to before %d", n, first, l.Len(), l.First(), l.Next())
			}
			for skip := 0; skip <= n; skip += 1 + n/100 {
				seq := first + event.Seq(skip)
				if got := slices.Collect(l.From(seq)); !slices.Equal(got, want[skip:]) {
					t.Fatalf("%d events from %d on: %d were read from %d on", n, first, len(got), seq)
				}
			}
			if got := slices.Collect(l.From(l.Next())); len(got) != 0 {
				t.Errorf("%d events from %d on: %d were read after the end", n, first, len(got))
			}
			if got := slices.Collect(l.From(0)); !slices.Equal(got, want) {
				t.Errorf("from before the first event on %d of %d were read", len(got), n)
			}
		}
	}
	if l := pack(nil); l.Len() != 0 || l.Size() != 0 || len(slices.Collect(l.From(1))) > 0 {
		t.Error("an empty log has something")
	}
}

// TestSize counts the bytes of the events, and 24 for each full block and for what is left when the log is made.
func TestSize(t *testing.T) {
	var b packed.Builder
	bytes := 0
	for i, e := range some(3, 600) {
		b.Append(e)
		bytes += len(event.AppendBinary(nil, e))
		if got, want := b.Size(), bytes+(i+1)/256*24; got != want {
			t.Fatalf("after %d events the builder has %d bytes, not %d", i+1, got, want)
		}
	}
	if got, want := b.Log().Size(), bytes+3*24; got != want {
		t.Errorf("the log has %d bytes, not %d", got, want)
	}
	if b.Size() != 0 || b.Log().Len() != 0 {
		t.Error("the builder is not empty afterwards")
	}
}

// TestPiecesThatFit wants as many events in a piece as fit, to the byte.
func TestPiecesThatFit(t *testing.T) {
	list := some(1, 300)
	l := pack(list)
	size := 0
	for i, e := range list {
		size += len(event.AppendBinary(nil, e))
		for most, want := range map[int]event.Seq{size: event.Seq(i + 2), size - 1: event.Seq(i + 1)} {
			if piece, next := l.AppendTo(nil, 1, most); next != want || len(piece) > most {
				t.Fatalf("a piece of at most %d bytes has %d, and %d is next, not %d", most, len(piece), next, want)
			}
		}
	}
}

// TestAppendTo puts a log together again from pieces of several sizes.
func TestAppendTo(t *testing.T) {
	list := some(7, 600)
	l := pack(list)
	var want []byte
	for _, e := range list {
		want = event.AppendBinary(want, e)
	}
	for _, most := range []int{1 << 10, 5000, 32 << 10, 1 << 30} {
		var got []byte
		for seq := event.Seq(1); seq < l.Next(); {
			before := seq
			var piece []byte
			if piece, seq = l.AppendTo([]byte("head"), seq, most); len(piece) > most || seq == before {
				t.Fatalf("a piece of %d bytes, %d are the most, from %d to before %d", len(piece), most, before, seq)
			}
			if next := seq; next < l.Next() {
				if one := event.AppendBinary(nil, list[next-7]); len(piece)+len(one) <= most {
					t.Fatalf("a piece of %d bytes ends before %d, which has place in it", len(piece), next)
				}
			}
			got = append(got, piece[len("head"):]...)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("in pieces of %d bytes the log has %d, want %d", most, len(got), len(want))
		}
	}
	if piece, seq := l.AppendTo(nil, l.Next(), 100); len(piece) > 0 || seq != l.Next() {
		t.Errorf("after the end there are %d bytes, and next is %d", len(piece), seq)
	}
}

// TestPasses compares a log with itself, and with one that differs in a single field.
func TestPasses(t *testing.T) {
	list := some(1, 600)
	l := pack(list)
	for _, from := range []int{0, 1, 300, 599} {
		r := l.Reader(event.Seq(from + 1))
		for i, e := range list[from:] {
			for _, change := range []func(*event.Event){
				func(e *event.Event) { e.N++ }, func(e *event.Event) { e.Path += "x" },
				func(e *event.Event) { e.Text, e.Path = e.Path, e.Text },
				func(e *event.Event) { e.Line++ }, func(e *event.Event) { e.Seq++ },
			} {
				other := e
				if change(&other); other != e && r.Passes(other) {
					t.Fatalf("event %d passes as %v", from+i+1, other)
				}
			}
			if !r.Passes(e) {
				t.Fatalf("event %d does not pass as itself", from+i+1)
			}
		}
		if r.Passes(list[599]) {
			t.Error("something passes after the end")
		}
	}
}

// TestLongTextsAreCut keeps of a text what every decoder takes.
func TestLongTextsAreCut(t *testing.T) {
	e := event.Event{Kind: event.ClientExited, Seq: 1, Text: strings.Repeat("ä", event.MaxText)}
	l := pack([]event.Event{e})
	got := slices.Collect(l.From(1))
	if len(got) != 1 || got[0].Text != event.Preview([]byte(e.Text)) {
		t.Errorf("kept %v", got)
	}
	if !l.Reader(1).Passes(e) {
		t.Error("it does not pass as what it was")
	}
	e.Text = strings.Repeat("\xff", event.MaxText)
	if got := slices.Collect(pack([]event.Event{e}).From(1)); len(got) != 1 || got[0] != e {
		t.Errorf("of a text that is not longer than it may be, kept %v", got)
	}
}

func TestGapsAreMistakes(t *testing.T) {
	defer func() {
		if got := recover(); got != "packed: event 5 comes after 3" {
			t.Errorf("a log with a gap was packed: %v", got)
		}
	}()
	pack(append(some(1, 3), some(5, 1)...))
}

func BenchmarkFrom(b *testing.B) {
	l := pack(some(1, 10_000))
	b.ReportAllocs()
	for b.Loop() {
		for range l.From(1) {
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/event")
}

func BenchmarkAppendTo(b *testing.B) {
	l := pack(some(1, 10_000))
	buf := make([]byte, 0, 32<<10)
	for b.Loop() {
		for seq := event.Seq(1); seq < l.Next(); {
			_, seq = l.AppendTo(buf[:0], seq, cap(buf))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/event")
}
