package shared

import (
	"fmt"
	"time"
)

// tail is the end of a log: its last entry, and where the stream has it. The zero value is a log without entries. It
// decides what may follow.
type tail struct {
	seq uint64
	entry
}

// take returns the mark of an owner, or done if it is there already.
func (t tail) take(epoch uint64, now time.Time) (next entry, done bool, err error) {
	switch {
	case t.kind == kindDeleted:
		return entry{}, false, ErrDeleted
	case t.epoch > epoch:
		return entry{}, false, ErrNotOwner
	case t.epoch == epoch:
		return entry{}, true, nil
	}
	next = entry{kind: kindTaken, epoch: epoch, n: t.n, bytes: t.bytes, since: t.since}
	if t.seq == 0 {
		next.since = uint64(now.UnixMilli())
	}
	return next, false, nil
}

// append returns the entry with data after number after, for an owner whose mark is there.
func (t tail) append(after uint64, data []byte, now time.Time) (entry, error) {
	next := entry{kind: kindData, epoch: t.epoch, n: t.n + 1, since: t.since, data: data}
	next.bytes = t.bytes + uint64(len(data))
	switch {
	case after != t.n:
		return entry{}, BehindError{Last: t.n}
	case next.bytes > LogBytes:
		return entry{}, fmt.Errorf("%w: a log has at most %d bytes", ErrFull, LogBytes)
	case now.Sub(time.UnixMilli(int64(t.since))) > LogAge:
		return entry{}, fmt.Errorf("%w: a log takes entries for %v", ErrFull, LogAge)
	}
	return next, nil
}

// delete returns the mark that replaces all entries, for an owner whose own mark is there.
func (t tail) delete() entry {
	return entry{kind: kindDeleted, epoch: t.epoch, n: t.n, since: t.since}
}
