package wire_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// counted is a limited Room that counts.
type counted struct{ most, taken, gave int }

var errFull = errors.New("full")

func (c *counted) Take(n int) error {
	if c.taken+n > c.most {
		return errFull
	}
	c.taken += n
	return nil
}

func (c *counted) Give() { c.taken, c.gave = 0, c.gave+1 }

// TestFramesWithin reads short and long frames. Only long ones need room, and they return it before the reader waits
// for the next one.
func TestFramesWithin(t *testing.T) {
	short, long := strings.Repeat("s", 10_000), strings.Repeat("l", 500_000)
	said := framed(short, short, long, short, long, long, short)
	for _, r := range []*bytes.Reader{bytes.NewReader(said)} {
		room := &counted{most: 2 * len(long)}
		f := wire.NewFrameReader(iotest.HalfReader(r), wire.MaxFrame).Within(room)
		for i, want := range []string{short, short, long, short, long, long, short} {
			if got, err := f.Next(); err != nil || string(got) != want {
				t.Fatalf("frame %d has %d bytes, want %d: %v", i, len(got), len(want), err)
			}
			if needs := len(want) > 16<<10; needs && room.taken < len(want) {
				t.Errorf("frame %d was read in room of %d bytes", i, room.taken)
			}
		}
		if _, err := f.Next(); err == nil || room.taken != 0 || room.gave == 0 {
			t.Errorf("at the end %d bytes of room are taken: %v", room.taken, err)
		}
	}
	full := &counted{}
	f := wire.NewFrameReader(bytes.NewReader(framed(short, long)), wire.MaxFrame).Within(full)
	if _, err := f.Next(); err != nil {
		t.Error(err)
	}
	if _, err := f.Next(); !errors.Is(err, errFull) {
		t.Errorf("without room: %v", err)
	}
}
