package wire

import (
	"encoding/binary"

	"github.com/zkviz/zkviz/engine/zoo"
)

// Pieces is the frame of a long reply, encoded a piece at a time: anyone who writes it needs no room for all of it.
// Data and names are not copied before their turn comes.
type Pieces struct {
	r     *Response
	begun bool
	part  int      // of r.Results, the next to begin
	data  []byte   // what is left of the data under way
	names []string // what is left of the names under way
	stat  *zoo.Stat
	end   bool // of the results is still to come
}

// NewPieces begins with the first piece. The reply and what it refers to must not change until the last.
func NewPieces(r *Response) *Pieces { return &Pieces{r: r} }

// Append appends about as many bytes to dst as make it most long, and reports whether there are more. Only a name that
// does not fit makes it longer.
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

// begin appends the length and what precedes the first data or names. What has neither is short, and encoded at once.
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

// putData is putBuffer without the bytes.
func putData(dst, data []byte) []byte {
	if data == nil {
		return putInt(dst, -1)
	}
	return putInt(dst, int32(len(data)))
}

// Lengths in bytes of what a reply consists of.
const (
	headBytes = 4 + 8 + 4
	statBytes = 4*8 + 3*4 + 8 + 2*4 + 8
	partBytes = 4 + 1 + 4
)

// size is the length of the payload, 0 for one that is not taken apart.
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
