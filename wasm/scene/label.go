package scene

import (
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/sentence"
	"github.com/zkviz/zkviz/engine/view"
)

// maxLabels bounds the memory that labels take; when there are more, all are made anew.
const maxLabels = 8192

// label turns the bytes of l.buf into a string and empties it. Text that was used before costs no memory.
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

// say appends parts to the label being made.
//
//go:noinline
func (l *Layout) say(parts ...string) *Layout {
	for _, p := range parts {
		l.buf = append(l.buf, p...)
	}
	return l
}

// num appends a number to the label being made.
//
//go:noinline
func (l *Layout) num(n int64) *Layout {
	l.buf = strconv.AppendInt(l.buf, n, 10)
	return l
}

// grouped is a count, which may be a great one.
func (l *Layout) grouped(n int) string {
	l.buf = sentence.AppendGrouped(l.buf, n)
	return l.label()
}

// letter is what client i, from 0, is called on the stage.
func letter(i int) string { return event.Actor(i + 1).Letter() }

// base is the last name of a path.
func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// parent is the path without its last name; the root's is empty.
func parent(path string) string {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i]
	}
	return ""
}

// name is what a card calls its znode: as much of lock-007 as fits.
func (l *Layout) name(n *view.Node, a face, room float64) string {
	if n.Number < 0 && l.routes.tree {
		return l.cutMiddle(base(n.Path), a, room)
	}
	if n.Number < 0 {
		return l.cut(base(n.Path), a, room)
	}
	return l.nameOf(n.Path, a, room)
}

// nameOf is the name of a sequential znode.
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
	return l.cutMiddle(base(path), a, room) // a number so great that a name was made up, or has run over
}

// shortStem is how long a name's start is, without the number, that says little: lock, read, item. Where there is
// no room for it, it is left out. Longer ones tell programs apart, so something of them stays.
const shortStem = 5

// cutStem is as much of the start as fits before the number, but no more than tells it from others; empty if not one
// letter fits.
func (l *Layout) cutStem(stem, number string, a face, room float64) string {
	l.scratch = clean(l.scratch[:0], stem)
	stem = l.bytesText(l.scratch)
	// Never the whole: it would run into the number.
	room = min(room-a.width(number), a.width("the stem…"), a.width(stem)-1)
	l.buf = a.elideEnd(l.buf, stem, room)
	if len(l.buf) > len("…") && room > 0 {
		return l.say(number).label()
	}
	l.buf = l.buf[:0]
	return ""
}

// padded appends a sequence number of three digits or more.
func (l *Layout) padded(n int64) *Layout {
	for limit := int64(100); n < limit && limit > 1; limit /= 10 {
		l.buf = append(l.buf, '0')
	}
	return l.num(n)
}

// cut is s made harmless and short enough for room.
func (l *Layout) cut(s string, a face, room float64) string {
	l.scratch = clean(l.scratch[:0], s)
	l.buf = a.elideEnd(l.buf, l.bytesText(l.scratch), room)
	return l.label()
}

// cutMiddle is cut for paths, whose end matters more.
func (l *Layout) cutMiddle(s string, a face, room float64) string {
	l.scratch = clean(l.scratch[:0], s)
	l.buf = a.elideMiddle(l.buf, l.bytesText(l.scratch), room)
	return l.label()
}

// bytesText interns b, so that measuring it costs no memory either.
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

// phrase is the sentence of a key, with arguments in it if there are any.
func (l *Layout) phrase(key string, args ...string) string {
	if len(args) == 0 {
		return l.o.Words.Say(key)
	}
	return l.filled(key, args...)
}

// filled is phrase for a key that is made, which costs no memory.
func (l *Layout) filled(key string, args ...string) string {
	l.buf = l.o.Words.Append(l.buf, key, args...)
	return l.label()
}

// opWord is the word for an operation, empty where there is none.
func (l *Layout) opWord(op event.Op) string {
	return l.o.Words["scene.op."+op.String()]
}

// seconds is a time left, in whole seconds, rounded up so that 0 means over.
func (l *Layout) seconds(s float64) string {
	n := int64(s)
	if float64(n) < s {
		n++
	}
	return l.phrase("seconds", l.num(n).label())
}
