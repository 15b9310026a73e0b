package wire_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

func framed(payloads ...string) []byte {
	var all []byte
	for _, p := range payloads {
		all = append(binary.BigEndian.AppendUint32(all, uint32(len(p))), p...)
	}
	return all
}

func TestFrames(t *testing.T) {
	long := strings.Repeat("long ", wire.MaxFrame/5)
	want := []string{"one", "", strings.Repeat("x", wire.MaxFrame), "two", long, strings.Repeat("y", 5000), "three"}
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"whole": func(r io.Reader) io.Reader { return r },
		"bytes": iotest.OneByteReader, "halves": iotest.HalfReader, "with the end": iotest.DataErrReader,
	} {
		f := wire.NewFrameReader(wrap(bytes.NewReader(framed(want...))), wire.MaxFrame)
		if b, err := f.Peek(7); err != nil || string(b) != "\x00\x00\x00\x03one" {
			t.Errorf("%s: peeked %q, %v", name, b, err)
		}
		for i, w := range want {
			got, err := f.Next()
			if err != nil || string(got) != w {
				t.Fatalf("%s: frame %d has %d bytes, want %d: %v", name, i, len(got), len(w), err)
			}
		}
		if got, err := f.Next(); err != io.EOF {
			t.Errorf("%s: after the end: %q, %v", name, got, err)
		}
	}
}

func TestBadFrames(t *testing.T) {
	for _, c := range []struct {
		name, bytes string
		want        error
	}{
		{"negative", "\xff\xff\xff\xff1234", wire.ErrFrame},
		{"too long by one", "\x00\x10\x00\x00", wire.ErrFrame},
		{"cut in the length", "\x00\x00", io.ErrUnexpectedEOF},
		{"cut in the payload", "\x00\x00\x00\x05ab", io.ErrUnexpectedEOF},
		{"nothing", "", io.EOF},
	} {
		f := wire.NewFrameReader(strings.NewReader(c.bytes), wire.MaxFrame)
		if got, err := f.Next(); !errors.Is(err, c.want) {
			t.Errorf("%s: %q, %v; want %v", c.name, got, err, c.want)
		}
	}
}

func TestReady(t *testing.T) {
	f := wire.NewFrameReader(bytes.NewReader(append(framed("a", "b"), 0, 0, 0, 9, 'c')), wire.MaxFrame)
	if f.Ready() {
		t.Error("ready before anything was read")
	}
	for _, want := range []bool{true, false} {
		if _, err := f.Next(); err != nil || f.Ready() != want {
			t.Errorf("ready is %v, want %v; %v", f.Ready(), want, err)
		}
	}
}

// TestClaimedLength sends lengths of a megabyte with only a few bytes each.
func TestClaimedLength(t *testing.T) {
	claim := []byte("\x00\x0f\xff\xffjust a little")
	const times = 100
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		if _, err := wire.NewFrameReader(bytes.NewReader(claim), wire.MaxFrame).Next(); err != io.ErrUnexpectedEOF {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if got := (after.TotalAlloc - before.TotalAlloc) / times; got > 16<<10 {
		t.Errorf("%d bytes of memory for %d that arrived", got, len(claim))
	}
}
