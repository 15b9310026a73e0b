package wire

import (
	"encoding/binary"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Pieces encodes the frame of a long reply piece by piece, so that its writer never needs room for all of it. Data and
// names are copied only when their turn comes.
type Pieces struct {
	r     *Response
	begun bool
	part  int      // index in r.Results of the next part
	data  []byte   // rest of the current data
	names []string // rest of the current names
	stat  *zoo.Stat
	end   bool // the end of the results is still to come
}

// NewPieces returns a Pieces at the first piece. The reply and its data must not change before the last one.
func NewPieces(r *Response) *Pieces { return &Pieces{r: r} }

// Append appends a piece to dst, up to a length of most, and reports whether there are more. Only a name that doesn't
// fit exceeds that length.
func (p *Pieces) Append(dst []byte, most int) (b []byte, more bool) {
	for len(dst) < most {
		switch {
		case !p.begun:
			p.begun = true
			dst = p.begin(dst)
		case len(p.data) > 0:
			n := min(len(p.data), most-len(dst))
			dst, p.data = append(dst, p.data[:n]...), p.data[n:]
		case len(p.names) > 0:
			dst, p.names = putString(dst, p.names[0]), p.names[1:]
		case p.stat != nil:
			dst, p.stat = putStat(dst, p.stat), nil
		case p.end && p.part < len(p.r.Results):
			p.part++
			dst = p.beginPart(dst, &p.r.Results[p.part-1])
		case p.end:
			dst, p.end = putMultiEnd(dst), false
		default:
			return dst, false
		}
	}
	return dst, true
}

// begin appends the length and everything before the first data or names. A reply with neither is short, and encoded
// at once.
func (p *Pieces) begin(dst []byte) []byte {
	r := p.r
	size := p.size()
	if size == 0 {
		p.data = AppendFrame(nil, r)
		return dst
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(size))
	dst = r.appendHead(dst)
	switch r.Op {
	case OpGetData:
		dst, p.data, p.stat = putData(dst, r.Data), r.Data, &r.Stat
	case OpGetChildren, OpGetEphemerals:
		dst, p.names = putInt(dst, int32(len(r.Children))), r.Children
	case OpGetChildren2:
		dst, p.names, p.stat = putInt(dst, int32(len(r.Children))), r.Children, &r.Stat
	case OpMultiRead:
		p.end = true
	}
	return dst
}

func (p *Pieces) beginPart(dst []byte, r *Result) []byte {
	switch r.Op {
	case OpGetData:
		dst = putData(putMultiHeader(dst, r.Op, zoo.OK), r.Data)
		p.data, p.stat = r.Data, &r.Stat
	case OpGetChildren:
		dst = putInt(putMultiHeader(dst, r.Op, zoo.OK), int32(len(r.Children)))
		p.names = r.Children
	default:
		dst = putInt(putMultiHeader(dst, r.Op, r.Code), int32(r.Code))
	}
	return dst
}

// putData writes the length that putBuffer writes, without the bytes.
func putData(dst, data []byte) []byte {
	if data == nil {
		return putInt(dst, -1)
	}
	return putInt(dst, int32(len(data)))
}

// Lengths of the parts of a reply, in bytes.
const (
	headBytes = 4 + 8 + 4
	statBytes = 4*8 + 3*4 + 8 + 2*4 + 8
	partBytes = 4 + 1 + 4
)

// size returns the length of the payload, or 0 for a reply that is not split.
func (p *Pieces) size() int {
	r := p.r
	if !r.hasBody() {
		return 0
	}
	switch r.Op {
	case OpGetData:
		return headBytes + 4 + len(r.Data) + statBytes
	case OpGetChildren, OpGetEphemerals:
		return headBytes + namesBytes(r.Children)
	case OpGetChildren2:
		return headBytes + namesBytes(r.Children) + statBytes
	case OpMultiRead:
		size := headBytes + partBytes
		for i := range r.Results {
			size += partBytes + resultBytes(&r.Results[i])
		}
		return size
	}
	return 0
}

func resultBytes(r *Result) int {
	switch r.Op {
	case OpGetData:
		return 4 + len(r.Data) + statBytes
	case OpGetChildren:
		return namesBytes(r.Children)
	}
	return 4
}

func namesBytes(names []string) int {
	size := 4 + 4*len(names)
	for _, name := range names {
		size += len(name)
	}
	return size
}
