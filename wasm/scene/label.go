package scene

import (
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
)

// maxLabels bounds the memory that labels take; when there are more, all are made anew.
const maxLabels = 8192

// label turns the bytes of f.buf into a string and empties it. Text that was used before costs no memory.
func (f *Frame) label() string {
	s, ok := f.labels[string(f.buf)]
	if !ok {
		if f.labels == nil || len(f.labels) >= maxLabels {
			f.labels = make(map[string]string, 64)
		}
		s = string(f.buf)
		f.labels[s] = s
	}
	f.buf = f.buf[:0]
	return s
}

// say appends parts to the label being made.
func (f *Frame) say(parts ...string) *Frame {
	for _, p := range parts {
		f.buf = append(f.buf, p...)
	}
	return f
}

// num appends a number to the label being made.
func (f *Frame) num(n int64) *Frame {
	f.buf = strconv.AppendInt(f.buf, n, 10)
	return f
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// letter is what client i, from 0, is called on the stage: A to Z, then its number.
func (f *Frame) letter(i int) string {
	if i < len(letters) {
		return letters[i : i+1]
	}
	return f.num(int64(i) + 1).label()
}

// base is the last name of a path.
func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// parent is the path without its last name; the root's is empty.
func parent(path string) string {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i]
	}
	return ""
}

// number is the sequence number at the end of a path, -1 if there is none.
func number(path string) int64 {
	const digits = 10
	if len(path) <= digits {
		return -1
	}
	n := int64(0)
	for _, c := range []byte(path[len(path)-digits:]) {
		if c < '0' || c > '9' {
			return -1
		}
		n = n*10 + int64(c-'0')
	}
	return n
}

// name is what a card calls its znode: as much of lock-007 as fits.
func (f *Frame) name(n *view.Node, a face, room float64) string {
	if n.Number < 0 {
		return f.cut(base(n.Path), a, room)
	}
	return f.nameOf(n.Path, a, room)
}

// nameOf is the name of a sequential znode.
func (f *Frame) nameOf(path string, a face, room float64) string {
	n, stem := number(path), event.Stem(base(path))
	f.buf = clean(f.buf, stem)
	if len(f.buf) > 0 {
		f.buf = append(f.buf, '-')
	}
	full := f.padded(n).label()
	if a.width(full) <= room {
		return full
	}
	if len(stem) > shortStem {
		if cut := f.cutStem(stem, f.padded(n).label(), a, room); cut != "" {
			return cut
		}
	}
	if short := a.fit(room, f.padded(n).label(), f.num(n).label()); short != "" {
		return short
	}
	return f.cutMiddle(base(path), a, room) // a number so great that a name was made up, or has run over
}

// shortStem is how long a name's start is, without the number, that says little: lock, read, item. Where there is
// no room for it, it is left out. Longer ones tell programs apart, so something of them stays.
const shortStem = 5

// cutStem is as much of the start as fits before the number, but no more than tells it from others; empty if not one
// letter fits.
func (f *Frame) cutStem(stem, number string, a face, room float64) string {
	f.scratch = clean(f.scratch[:0], stem)
	stem = bytesText(f, f.scratch)
	room = min(room-a.width(number), a.width("the stem…"), a.width(stem)-1) // never the whole: it would run into the number
	f.buf = a.elideEnd(f.buf, stem, room)
	if len(f.buf) > len("…") && room > 0 {
		return f.say(number).label()
	}
	f.buf = f.buf[:0]
	return ""
}

// padded appends a sequence number of three digits or more.
func (f *Frame) padded(n int64) *Frame {
	for limit := int64(100); n < limit && limit > 1; limit /= 10 {
		f.buf = append(f.buf, '0')
	}
	return f.num(n)
}

// cut is s made harmless and short enough for room.
func (f *Frame) cut(s string, a face, room float64) string {
	f.scratch = clean(f.scratch[:0], s)
	f.buf = a.elideEnd(f.buf, bytesText(f, f.scratch), room)
	return f.label()
}

// cutMiddle is cut for paths, whose end matters more.
func (f *Frame) cutMiddle(s string, a face, room float64) string {
	f.scratch = clean(f.scratch[:0], s)
	f.buf = a.elideMiddle(f.buf, bytesText(f, f.scratch), room)
	return f.label()
}

// bytesText interns b, so that measuring it costs no memory either.
func bytesText(f *Frame, b []byte) string {
	if s, ok := f.labels[string(b)]; ok {
		return s
	}
	keep := f.buf
	f.buf = b
	s := f.label()
	f.buf = keep
	return s
}

// opWord is the word for an operation.
func (f *Frame) opWord(op event.Op) string {
	if int(op) < len(f.words.Ops) {
		return f.words.Ops[op]
	}
	return ""
}

// seconds is a time left, in whole seconds, rounded up so that 0 means over.
func (f *Frame) seconds(s float64) string {
	n := int64(s)
	if float64(n) < s {
		n++
	}
	return f.num(n).say(" s").label()
}
