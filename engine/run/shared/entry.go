package shared

import (
	"encoding/binary"
	"errors"
)

// kind says what an entry of the stream is. Readers of a log get only data.
type kind byte

const (
	kindData    kind = 1
	kindTaken   kind = 2 // an owner's first
	kindDeleted kind = 3 // it replaces all others of its log
)

// entry is what the stream stores for a log. Each says how its log stands with it, so the last one is all that a writer
// must know.
type entry struct {
	kind  kind
	epoch uint64 // of the owner that wrote it
	n     uint64 // the number of the log's last data entry, this one included
	bytes uint64 // of the log's data, this one's included
	since uint64 // when the log began, in milliseconds since 1970
	data  []byte
}

// entryVersion is the first byte of each.
const entryVersion = 1

// headBytes bounds what an entry has beside its data.
const headBytes = 2 + 4*binary.MaxVarintLen64

// bytesOf encodes an entry: the version, the kind, four numbers as varints, the data.
func bytesOf(e entry) []byte {
	b := make([]byte, 0, headBytes+len(e.data))
	b = append(b, entryVersion, byte(e.kind))
	for _, v := range []uint64{e.epoch, e.n, e.bytes, e.since} {
		b = binary.AppendUvarint(b, v)
	}
	return append(b, e.data...)
}

var errEntry = errors.New("an entry of the log isn't one that this version of zkviz has written")

// decode reads an entry. Its data is part of b.
func decode(b []byte) (e entry, err error) {
	if len(b) < 2 || b[0] != entryVersion {
		return entry{}, errEntry
	}
	e.kind = kind(b[1])
	if e.kind < kindData || e.kind > kindDeleted {
		return entry{}, errEntry
	}
	b = b[2:]
	for _, v := range []*uint64{&e.epoch, &e.n, &e.bytes, &e.since} {
		n, size := binary.Uvarint(b)
		if size <= 0 {
			return entry{}, errEntry
		}
		*v, b = n, b[size:]
	}
	if e.kind == kindData && e.n == 0 || len(b) > EntryBytes {
		return entry{}, errEntry
	}
	e.data = b
	return e, nil
}
