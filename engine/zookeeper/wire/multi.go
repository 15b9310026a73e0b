package wire

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// In requests and in answers, a header precedes each part of a multi: an operation, whether this is the end, and an
// error. The end's header is -1, true, -1.

// smallestPart is the length in bytes of the smallest part of a multi with its header: a delete without a path.
const smallestPart = 9 + 4 + 4

func putMultiHeader(dst []byte, op Op, code zoo.Code) []byte {
	return putInt(putBool(putInt(dst, int32(op)), false), int32(code))
}

func putMultiEnd(dst []byte) []byte { return putInt(putBool(putInt(dst, -1), true), -1) }

func (t *taker) multiHeader() (op Op, end bool) {
	op, end = Op(t.int()), t.bool()
	t.int() // the part repeats this error
	return op, end || t.bad
}

// decodeOps decodes the parts of a multi or a multiRead. A part of the other's kind makes everything unreadable. But a
// multiRead with only writes is readable: the server refuses it with an answer of its own.
func (r *Request) decodeOps(t *taker) {
	r.Ops = reuse(r.Ops, 0)
	for {
		op, end := t.multiHeader()
		if end {
			return
		}
		if !r.takes(op) {
			t.bad = true
			return
		}
		if len(r.Ops) == cap(r.Ops) { // double the capacity, but only as far as the rest can fill it
			r.Ops = slices.Grow(r.Ops, min(len(r.Ops)+4, len(t.b)/smallestPart+1))
		}
		r.Ops = append(r.Ops, Request{Op: op})
		r.Ops[len(r.Ops)-1].decodePart(t)
	}
}

func (r *Request) decodePart(t *taker) {
	if !r.Op.within(OpMultiRead) {
		r.decodeBody(t)
		return
	}
	path := t.raw()
	r.Path, r.NullPath, r.Watch = t.again(path, ""), path == nil, t.bool()
}

func (r *Request) appendPart(dst []byte) []byte {
	if !r.NullPath {
		return r.appendBody(dst)
	}
	return putBool(putInt(dst, -1), r.Watch)
}

// takes reports whether op may be the next part.
func (r *Request) takes(op Op) bool {
	switch {
	case r.Op == OpMulti:
		return op.within(OpMulti)
	case len(r.Ops) == 0:
		return op.within(OpMultiRead) || op.within(OpMulti)
	}
	return op.within(OpMultiRead) == r.Ops[0].Op.within(OpMultiRead) && (op.within(OpMultiRead) || op.within(OpMulti))
}

// within reports whether an operation may be part of the given multi or multiRead.
func (o Op) within(multi Op) bool {
	switch o {
	case OpCreate, OpCreate2, OpCreateContainer, OpCreateTTL, OpDelete, OpSetData, OpCheck:
		return multi == OpMulti
	case OpGetData, OpGetChildren:
		return multi == OpMultiRead
	}
	return false
}

func putResults(dst []byte, results []Result) []byte {
	for i := range results {
		r := &results[i]
		switch r.Op {
		case OpError:
			dst = putMultiHeader(dst, r.Op, r.Code)
			dst = putInt(dst, int32(r.Code))
			continue
		default:
			dst = putMultiHeader(dst, r.Op, zoo.OK)
		}
		switch r.Op {
		case OpCreate:
			dst = putString(dst, r.Path)
		case OpCreate2, OpCreateContainer, OpCreateTTL:
			dst = putStat(putString(dst, r.Path), &r.Stat)
		case OpSetData:
			dst = putStat(dst, &r.Stat)
		case OpGetData:
			dst = putStat(putBuffer(dst, r.Data), &r.Stat)
		case OpGetChildren:
			dst = putStrings(dst, r.Children)
		}
	}
	return putMultiEnd(dst)
}

// results decodes what putResults wrote.
func (t *taker) results(old []Result) []Result {
	list := old[:0]
	for {
		op, end := t.multiHeader()
		if end {
			return list
		}
		r := Result{Op: op}
		switch op {
		case OpError:
			r.Code = zoo.Code(t.int())
		case OpCreate:
			r.Path = t.text("")
		case OpCreate2, OpCreateContainer, OpCreateTTL:
			r.Path = t.text("")
			t.stat(&r.Stat)
		case OpSetData:
			t.stat(&r.Stat)
		case OpGetData:
			r.Data = t.buffer(nil)
			t.stat(&r.Stat)
		case OpGetChildren:
			r.Children = t.texts(nil)
		case OpDelete, OpCheck:
		default:
			t.bad = true
			return list
		}
		list = append(list, r)
	}
}
