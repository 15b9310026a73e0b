package scene

import (
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// maxLabels bounds the memory that labels take. When there are more, the Layout forgets them all.
const maxLabels = 8192

// label returns the bytes of l.buf as a string and empties l.buf. A text that was used before costs no memory.
//
//go:noinline
func (l *Layout) label() string {
	s, ok := l.labels[string(l.buf)]
	if !ok {
		if l.labels == nil || len(l.labels) >= maxLabels {
			l.labels = make(map[string]string, 64)
		}
		s = string(l.buf)
		l.labels[s] = s
	}
	l.buf = l.buf[:0]
	return s
}

// say appends parts to the label in l.buf.
//
//go:noinline
func (l *Layout) say(parts ...string) *Layout {
	for _, p := range parts {
		l.buf = append(l.buf, p...)
	}
	return l
}

// num appends a number to the label in l.buf.
//
//go:noinline
func (l *Layout) num(n int64) *Layout {
	l.buf = strconv.AppendInt(l.buf, n, 10)
	return l
}

// grouped writes a count with its digits grouped.
func (l *Layout) grouped(n int) string {
	l.buf = sentence.AppendGrouped(l.buf, n)
	return l.label()
}

// letter returns the name of client i, from 0, on the stage.
func letter(i int) string { return event.Actor(i + 1).Letter() }

// base returns the last element of a path.
func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// parent returns the path without its last element; the root has an empty parent.
func parent(path string) string {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i]
	}
	return ""
}

// name returns the text on a znode's card: as much of lock-007 as fits.
func (l *Layout) name(n *view.Node, a face, room float64) string {
	if n.Number < 0 && l.routes.tree {
		return l.cutMiddle(base(n.Path), a, room)
	}
	if n.Number < 0 {
		return l.cut(base(n.Path), a, room)
	}
	return l.nameOf(n.Path, a, room)
}

// nameOf returns the name of a sequential znode, as much as fits.
func (l *Layout) nameOf(path string, a face, room float64) string {
	n, stem := event.Number(path), event.Stem(base(path))
	l.buf = clean(l.buf, stem)
	if len(l.buf) > 0 {
		l.buf = append(l.buf, '-')
	}
	full := l.padded(n).label()
	if a.width(full) <= room {
		return full
	}
	if len(stem) > shortStem {
		if cut := l.cutStem(stem, l.padded(n).label(), a, room); cut != "" {
			return cut
		}
	}
	if short := a.fit(room, l.padded(n).label(), l.num(n).label()); short != "" {
		return short
	}
	return l.cutMiddle(base(path), a, room) // the number was made up, or the counter has overflowed
}

// shortStem is the maximum length of a stem, the part before the number, that says little: lock, read, item. If such a
// stem doesn't fit, it is left out. Longer stems tell programs apart, so some letters of them stay.
const shortStem = 5

// cutStem returns as much of the stem as fits before the number, up to a fixed width. It returns "" if not one letter
// fits.
func (l *Layout) cutStem(stem, number string, a face, room float64) string {
	l.scratch = clean(l.scratch[:0], stem)
	stem = l.bytesText(l.scratch)
	// Never the whole stem: it would run into the number.
	room = min(room-a.width(number), a.width("the stem…"), a.width(stem)-1)
	l.buf = a.elideEnd(l.buf, stem, room)
	if len(l.buf) > len("…") && room > 0 {
		return l.say(number).label()
	}
	l.buf = l.buf[:0]
	return ""
}

// padded appends a sequence number with at least three digits.
func (l *Layout) padded(n int64) *Layout {
	for limit := int64(100); n < limit && limit > 1; limit /= 10 {
		l.buf = append(l.buf, '0')
	}
	return l.num(n)
}

// cut returns s without harmful characters and short enough for room.
func (l *Layout) cut(s string, a face, room float64) string {
	l.scratch = clean(l.scratch[:0], s)
	l.buf = a.elideEnd(l.buf, l.bytesText(l.scratch), room)
	return l.label()
}

// cutMiddle is cut for paths: it shortens the middle, since the end matters more.
func (l *Layout) cutMiddle(s string, a face, room float64) string {
	l.scratch = clean(l.scratch[:0], s)
	l.buf = a.elideMiddle(l.buf, l.bytesText(l.scratch), room)
	return l.label()
}

// bytesText interns b, so that measuring it costs no memory.
func (l *Layout) bytesText(b []byte) string {
	if s, ok := l.labels[string(b)]; ok {
		return s
	}
	keep := l.buf
	l.buf = b
	s := l.label()
	l.buf = keep
	return s
}

// phrase returns the sentence of a key, with its arguments filled in.
func (l *Layout) phrase(key string, args ...string) string {
	if len(args) == 0 {
		return l.o.Words.Say(key)
	}
	return l.filled(key, args...)
}

// filled is phrase for a key built at run time. It costs no memory.
func (l *Layout) filled(key string, args ...string) string {
	l.buf = l.o.Words.Append(l.buf, key, args...)
	return l.label()
}

// opWord returns the word for an operation, or "" if it has none.
func (l *Layout) opWord(op event.Op) string {
	return l.o.Words["scene.op."+op.String()]
}

// seconds returns a remaining time in whole seconds, rounded up so that 0 means over.
func (l *Layout) seconds(s float64) string {
	n := int64(s)
	if float64(n) < s {
		n++
	}
	return l.phrase("seconds", l.num(n).label())
}
