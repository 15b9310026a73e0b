package wire_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// asked records how many bytes each Read may read, which is the free space of the buffer.
type asked struct {
	io.Reader
	room []int
}

func (a *asked) Read(p []byte) (int, error) {
	a.room = append(a.room, len(p))
	return a.Reader.Read(p)
}

// payloads returns frames of the given sizes, without their lengths.
func payloads(sizes ...int) []string {
	var all []string
	for _, n := range sizes {
		all = append(all, strings.Repeat("x", n))
	}
	return all
}

// asks is an unlimited Room that records its calls.
type asks []string

func (a *asks) Take(n int) error { *a = append(*a, fmt.Sprint("take ", n)); return nil }
func (a *asks) Give()            { *a = append(*a, "give") }

// TestBuffers checks the size of the buffer. It doubles from 4 KiB on. A buffer of more than 64 KiB, or 16 KiB with a
// Room, is released once it holds little.
func TestBuffers(t *testing.T) {
	const k = 1 << 10
	for _, c := range []struct {
		name   string
		sizes  []int
		shared bool
		reads  []int
		room   string
	}{
		{"short frames", []int{1, 2, 3}, false, []int{4 * k, 4 * k}, ""},
		{"a frame as long as the buffer", []int{4*k - 4, 1}, false, []int{4 * k, 4 * k, 4 * k}, ""},
		{"one longer", []int{4*k - 3, 1}, false, []int{4 * k, 4 * k, 8 * k}, ""},
		{"one that stays", []int{60 * k, 1}, false, []int{4 * k, 4 * k, 8 * k, 16 * k, 32 * k, 64 * k}, ""},
		{"one that is given back", []int{64*k - 3, 1}, false, []int{4 * k, 4 * k, 8 * k, 16 * k, 32 * k, 64 * k, 4 * k}, ""},
		{"shared, as long as goes without asking", []int{16*k - 4, 1}, true, []int{4 * k, 4 * k, 8 * k, 16 * k, 16 * k}, ""},
		{"shared, one longer", []int{16*k - 3, 1}, true, []int{4 * k, 4 * k, 8 * k, 1, 4 * k, 4 * k}, "take 16385 give"},
		{"shared, much longer", []int{40 * k, 1}, true, []int{4 * k, 4 * k, 8 * k, 16 * k, 8*k + 4, 4 * k, 4 * k},
			"take 40964 give"},
		{"shared, one after the other", []int{20 * k, 30 * k, 10 * k}, true, nil, "take 20484 give take 30724 give"},
		{"shared, longer and longer", []int{17 * k, 70 * k, 17 * k}, true, nil,
			"take 17412 give take 71684 give take 17412 give"},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := payloads(c.sizes...)
			from := &asked{Reader: bytes.NewReader(framed(want...))}
			f, room := wire.NewFrameReader(from, wire.MaxFrame), asks{}
			if c.shared {
				f = f.Within(&room)
			}
			for i, w := range want {
				if got, err := f.Next(); err != nil || string(got) != w {
					t.Fatalf("frame %d has %d bytes, not %d: %v", i, len(got), len(w), err)
				}
			}
			if _, err := f.Next(); err != io.EOF {
				t.Errorf("at the end: %v", err)
			}
			if c.reads != nil && fmt.Sprint(from.room) != fmt.Sprint(c.reads) {
				t.Errorf("reads of at most %d bytes, not %d", from.room, c.reads)
			}
			if got := strings.Join(room, " "); got != c.room {
				t.Errorf("the room is asked to %s, not to %s", got, c.room)
			}
		})
	}
}

// slow returns a stream in pieces of the given sizes, and then the rest.
type slow struct {
	from  io.Reader
	sizes []int
}

func (s *slow) Read(p []byte) (int, error) {
	if len(s.sizes) == 0 {
		return s.from.Read(p)
	}
	n, err := s.from.Read(p[:min(len(p), s.sizes[0])])
	if s.sizes[0] -= n; s.sizes[0] == 0 {
		s.sizes = s.sizes[1:]
	}
	return n, err
}

// TestRestOfALongBuffer leaves the start of a frame behind a long one. A short rest moves to a short buffer, a longer
// one stays.
func TestRestOfALongBuffer(t *testing.T) {
	const k, long = 1 << 10, 100 << 10
	for _, c := range []struct {
		rest int
		next int // how many bytes may be read after the long frame
	}{
		{4*k - 1, 1}, {4 * k, 128*k - 4*k},
	} {
		want := payloads(long, 64*k)
		from := &asked{Reader: &slow{bytes.NewReader(framed(want...)), []int{4 + long + c.rest}}}
		f := wire.NewFrameReader(from, wire.MaxFrame)
		_, err := f.Next()
		before := len(from.room)
		got, err2 := f.Next()
		if err != nil || err2 != nil || string(got) != want[1] {
			t.Fatalf("%d bytes, %v, %v", len(got), err, err2)
		}
		if next := from.room[before]; next != c.next {
			t.Errorf("with %d bytes left of a long buffer there is room for %d more, not %d", c.rest, next, c.next)
		}
	}
}

func TestReadyAtItsBounds(t *testing.T) {
	for _, c := range []struct {
		name, behind string // follows the first frame
		want         bool
	}{
		{"nothing", "", false},
		{"three bytes of a length", "\x00\x00\x00", false},
		{"an empty frame", "\x00\x00\x00\x00", true},
		{"the length of a frame", "\x00\x00\x00\x02", false},
		{"all but a byte", "\x00\x00\x00\x02a", false},
		{"a frame", "\x00\x00\x00\x02ab", true},
		{"a frame and more", "\x00\x00\x00\x02abc", true},
		{"the longest length", "\x00\x00\x00\x64", false},
		{"a length beyond it", "\x00\x00\x00\x65", true},
		{"a negative length", "\xff\xff\xff\xff", true},
	} {
		f := wire.NewFrameReader(strings.NewReader(string(framed("one"))+c.behind), 100)
		if _, err := f.Next(); err != nil || f.Ready() != c.want {
			t.Errorf("%s: ready is %t, %v", c.name, f.Ready(), err)
		}
	}
}

// TestLongestFrame checks the limit and one byte beyond.
func TestLongestFrame(t *testing.T) {
	f := wire.NewFrameReader(bytes.NewReader(framed(payloads(100, 101)...)), 100)
	if got, err := f.Next(); err != nil || len(got) != 100 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	_, err := f.Next()
	if want := "its length is 101, which must be between 0 and 100"; !errors.Is(err, wire.ErrFrame) ||
		!strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestFrameCannotGrowIntoTheNext checks that appending to a frame doesn't overwrite the next one.
func TestFrameCannotGrowIntoTheNext(t *testing.T) {
	f := wire.NewFrameReader(bytes.NewReader(framed("one", "two")), 100)
	one, err := f.Next()
	if err != nil {
		t.Fatal(err)
	}
	_ = append(one, "XXXXXXXX"...)
	if two, err := f.Next(); err != nil || string(two) != "two" {
		t.Errorf("%q, %v", two, err)
	}
}

// TestPeek peeks within a frame and beyond it, and checks that nothing is consumed.
func TestPeek(t *testing.T) {
	f := wire.NewFrameReader(strings.NewReader("ruok"+string(framed("a"))), 100)
	for _, n := range []int{4, 0, 9, 4} {
		if got, err := f.Peek(n); err != nil || string(got) != ("ruok" + string(framed("a")))[:n] {
			t.Errorf("the first %d bytes are %q, %v", n, got, err)
		}
	}
	if got, err := f.Peek(10); err != io.ErrUnexpectedEOF {
		t.Errorf("%q, %v", got, err)
	}
}
