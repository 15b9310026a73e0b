package packed_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/packed"
)

// some returns n events from a sequence number on, of different lengths.
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

// TestLog reads logs of several lengths and starts from each of their events on.
func TestLog(t *testing.T) {
	for _, first := range []event.Seq{1, 58} {
		for _, n := range []int{1, 255, 1023, 1024, 1025, 2500} {
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

// TestWhole takes the full blocks of a log again and again while it grows. What was taken stays as it is.
func TestWhole(t *testing.T) {
	const first = 3
	for _, list := range [][]event.Event{some(first, 300), plain(first, 2*packed.BlockEvents)} {
		var b packed.Builder
		var taken []packed.Log
		for _, e := range list {
			b.Append(e)
			taken = append(taken, b.Whole())
		}
		whole, ends := b.Log(), map[event.Seq]bool{0: true} // where blocks end
		for next := whole.First(); next < whole.Next(); ends[next] = true {
			_, next = whole.Block(next)
		}
		for i, l := range taken {
			end := first + event.Seq(i+1)
			if got := slices.Collect(l.From(0)); !slices.Equal(got, list[:l.Len()]) {
				t.Fatalf("before event %d, the full blocks have %d events, or others", end, len(got))
			}
			if !ends[l.Next()] || end < whole.Next() && ends[end] != (l.Next() == end) {
				t.Fatalf("before event %d, the full blocks end at %d", end, l.Next())
			}
		}
	}
}

// TestSize checks that a block counts its bytes and 32 more, or its bytes alone if unfinished.
func TestSize(t *testing.T) {
	var b packed.Builder
	list := some(3, 3000)
	for i, e := range list {
		b.Append(e)
		if got := b.Size(); got <= i {
			t.Fatalf("after %d events the builder has %d bytes", i+1, got)
		}
	}
	had := b.Size()
	l := b.Log()
	size, blocks := 0, 0
	for seq := event.Seq(0); seq < l.Next(); blocks++ {
		var one []byte
		one, seq = l.Block(seq)
		size += len(one)
	}
	if got, want := l.Size(), size+blocks*32; got != want || got > had+32 || got < had {
		t.Errorf("the log has %d bytes, %d before it was made, not %d", got, had, want)
	}
	if b.Size() != 0 || b.Log().Len() != 0 {
		t.Error("the builder is not empty afterwards")
	}
}

// TestBlock rebuilds a log from its blocks, starting at several events, and checks the length of the blocks.
func TestBlock(t *testing.T) {
	for _, list := range [][]event.Event{some(7, 3000), plain(7, 3000)} {
		l := pack(list)
		for _, from := range []int{0, 1, 500, 1024, 2999} {
			var got []event.Event
			for seq := event.Seq(7 + from); seq < l.Next(); {
				one, next := l.Block(seq)
				events := unpack(t, one)
				if len(events) != int(next-seq) || len(events) > packed.BlockEvents {
					t.Fatalf("the block from %d to before %d has %d events", seq, next, len(events))
				}
				got, seq = append(got, events...), next
			}
			if !slices.Equal(got, list[from:]) {
				t.Errorf("from event %d on the blocks have %d events, want %d", 7+from, len(got), len(list[from:]))
			}
		}
		if one, seq := l.Block(l.Next()); len(one) > 0 || seq != l.Next() {
			t.Errorf("after the end there are %d bytes, and next is %d", len(one), seq)
		}
	}
}

// plain returns events as they follow one another in most logs.
func plain(first event.Seq, n int) []event.Event {
	list := make([]event.Event, n)
	for i := range list {
		list[i] = event.Event{
			Kind: event.OpSent, Seq: first + event.Seq(i), At: time.Duration(i/3) * time.Millisecond, Op: event.Get,
			Actor: event.Actor(1 + i%9), Path: "/a/" + strconv.Itoa(i%7), Line: 12, N: int64(i),
		}
	}
	return list
}

func unpack(t *testing.T, block []byte) (events []event.Event) {
	t.Helper()
	var d packed.Decoder
	var e event.Event
	for d.Begin(block); d.Next(&e); {
		events = append(events, e)
	}
	if err := d.Err(); err != nil {
		t.Fatal(err)
	}
	return events
}

// TestAnyEvent checks that every value of every field survives.
func TestAnyEvent(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 2))
	number := func() int64 {
		if random.IntN(3) == 0 {
			return 0
		}
		return int64(random.Uint64()) >> random.IntN(64)
	}
	for first := range event.Seq(50) {
		var w packed.Encoder
		w.Begin(first * 1000)
		var want []event.Event
		for i := range event.Seq(100) {
			e := event.Event{
				At: time.Duration(number()), Zxid: number(), Session: number() % 4, N: number(),
				Path: strings.Repeat("p", int(uint8(number()))), Text: strings.Repeat("t", int(uint16(number()))),
				Seq: first*1000 + i, Cause: event.Seq(number()), Actor: event.Actor(number()), Peer: event.Actor(number()),
				Code: int32(number()), Line: uint16(number()), Kind: event.Kind(number()), Op: event.Op(number()),
				Watch: event.Watch(number()), Reason: event.Reason(number()), Type: uint8(number()), Mode: uint8(number()),
			}
			want = append(want, e)
			w.Append(e)
		}
		if got := unpack(t, w.Block()); !slices.Equal(got, want) {
			t.Fatalf("block %d has %d events that are not those that were written", first, len(got))
		}
	}
}

// TestDamagedBlocks checks that a truncated or damaged block yields no event.
func TestDamagedBlocks(t *testing.T) {
	var w packed.Encoder
	w.Begin(1)
	w.Append(event.Event{Kind: event.ZnodeCreated, Path: "/a", Session: 9, Code: -5, Line: 300, Text: "abc"})
	whole := w.Block()
	var d packed.Decoder
	var e event.Event
	for n := range whole {
		if d.Begin(whole[:n:n]); d.Next(&e) || n > 1 && d.Err() == nil {
			t.Errorf("of %d bytes %d were enough: %v", len(whole), n, e)
		}
	}
	for _, bad := range []string{"\x01\x02", "\x01\x00\xff\xff\xff\xff\x0f", "\x01\x00\x90\x80\x10\x01",
		"\x01\x00\x90\x80\x10\x00\x05a"} {
		if d.Begin([]byte(bad)); d.Next(&e) || d.Err() == nil {
			t.Errorf("%q is %v", bad, e)
		}
	}
}

// TestDecoderSharesStrings checks that equal strings share memory up to a limit.
func TestDecoderSharesStrings(t *testing.T) {
	const remembered = 1 << 14
	var d packed.Decoder
	var w packed.Encoder
	path := func(i int) string {
		var e event.Event
		w.Begin(1)
		w.Append(event.Event{Seq: 1, Kind: event.OpSent, Path: fmt.Sprint("/", i)})
		d.Begin(w.Block())
		if !d.Next(&e) || e.Path != fmt.Sprint("/", i) {
			t.Fatalf("path %d is decoded as %q", i, e.Path)
		}
		return e.Path
	}
	same := func(a, b string) bool { return unsafe.StringData(a) == unsafe.StringData(b) }
	first := path(0)
	for i := 1; i < remembered; i++ {
		path(i)
	}
	if !same(first, path(0)) {
		t.Errorf("the first of %d strings is in memory twice", remembered)
	}
	path(remembered)
	if same(first, path(0)) {
		t.Errorf("more than %d strings are remembered", remembered)
	}
	if a := path(remembered); !same(a, path(remembered)) {
		t.Error("the strings after that do not share their memory")
	}
}

func FuzzDecoder(f *testing.F) {
	var w packed.Encoder
	w.Begin(3)
	for _, e := range some(3, 5) {
		w.Append(e)
	}
	f.Add(w.Block())
	f.Fuzz(func(t *testing.T, src []byte) {
		var d packed.Decoder
		var again packed.Encoder
		var e event.Event
		var events []event.Event
		for d.Begin(src); d.Next(&e); {
			if len(events) == 0 {
				again.Begin(e.Seq)
			}
			events = append(events, e)
			again.Append(e)
		}
		if len(events) > 0 && !slices.Equal(unpack(t, again.Block()), events) {
			t.Fatalf("%v is something else when it is written again", events)
		}
	})
}

// TestPasses compares a log with itself, and with logs that differ in a single field.
func TestPasses(t *testing.T) {
	list := some(1, 2000)
	l := pack(list)
	for _, from := range []int{0, 1, 300, 1999} {
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
		if r.Passes(list[1999]) {
			t.Error("something passes after the end")
		}
	}
}

// TestLongTextsAreCut checks that a text is cut to a length that every decoder accepts.
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
	l := pack(plain(1, 10_000))
	b.ReportAllocs()
	for b.Loop() {
		for range l.From(1) {
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/event")
}

func BenchmarkAppend(b *testing.B) {
	list := plain(1, 10_000)
	for b.Loop() {
		pack(list)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/event")
}
