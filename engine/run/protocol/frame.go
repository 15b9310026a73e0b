package protocol

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/packed"
)

// frameVersion is the first byte of a frame of events.
const frameVersion = 2

// AppendFrame begins a frame with events of a branch. One block of a packed log follows it.
func AppendFrame(dst []byte, branch int) []byte {
	return binary.AppendUvarint(append(dst, frameVersion), uint64(branch))
}

// ParseFrame reads a frame. The decoder shares strings among the frames of a run. For a damaged frame it also
// returns the events before the damage.
func ParseFrame(frame []byte, d *packed.Decoder) (branch int, events []event.Event, err error) {
	return ParseFrameInto(nil, frame, d)
}

// ParseFrameInto does the same in the memory of dst, whose events it overwrites.
func ParseFrameInto(dst []event.Event, frame []byte, d *packed.Decoder) (branch int, events []event.Event, err error) {
	if len(frame) == 0 || frame[0] != frameVersion {
		return 0, nil, errors.New("read a frame: its version is not the one that this program reads")
	}
	id, n := binary.Uvarint(frame[1:])
	if n <= 0 || id > 1<<31-1 {
		return 0, nil, errors.New("read a frame: its branch number is missing or too large")
	}
	var e event.Event
	events = dst[:0]
	for d.Begin(frame[1+n:]); d.Next(&e); {
		if err := e.Valid(); err != nil {
			return int(id), events, fmt.Errorf("read a frame of branch %d: %w", id, err)
		}
		events = append(events, e)
	}
	if err := d.Err(); err != nil {
		return int(id), events, fmt.Errorf("read a frame of branch %d: %w", id, err)
	}
	return int(id), events, nil
}
