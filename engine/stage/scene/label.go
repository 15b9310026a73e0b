package scene

import (
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/static/strings/words"
)

// maxLabels bounds the memory that labels take. When there are more, the writer forgets them all.
const maxLabels = 8192

// writer makes the texts of a picture. A text that was used before costs no memory.
type writer struct {
	words   words.Words // the sentences of the language files
	labels  map[string]string
	buf     []byte
	scratch []byte
}

// label returns the bytes of w.buf as a string and empties w.buf. A text that was used before costs no memory.
//
//go:noinline
func (w *writer) label() string {
	s, ok := w.labels[string(w.buf)]
	if !ok {
		if w.labels == nil || len(w.labels) >= maxLabels {
			w.labels = make(map[string]string, 64)
		}
		s = string(w.buf)
		w.labels[s] = s
	}
	w.buf = w.buf[:0]
	return s
}

// say appends parts to the label in w.buf.
//
//go:noinline
func (w *writer) say(parts ...string) *writer {
	for _, p := range parts {
		w.buf = append(w.buf, p...)
	}
	return w
}

// num appends a number to the label in w.buf.
//
//go:noinline
func (w *writer) num(n int64) *writer {
	w.buf = strconv.AppendInt(w.buf, n, 10)
	return w
}

// grouped writes a count with its digits grouped.
func (w *writer) grouped(n int) string {
	w.buf = sentence.AppendGrouped(w.buf, n)
	return w.label()
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
func (z *znodes) name(n *view.Node, a face, room float64) string {
	if n.Number < 0 && z.routes.tree {
		return z.cutMiddle(base(n.Path), a, room)
	}
	if n.Number < 0 {
		return z.cut(base(n.Path), a, room)
	}
	return z.nameOf(n.Path, a, room)
}

// nameOf returns the name of a sequential znode, as much as fits.
func (w *writer) nameOf(path string, a face, room float64) string {
	n, stem := event.Number(path), event.Stem(base(path))
	w.buf = clean(w.buf, stem)
	if len(w.buf) > 0 {
		w.buf = append(w.buf, '-')
	}
	full := w.padded(n).label()
	if a.width(full) <= room {
		return full
	}
	if len(stem) > shortStem {
		if cut := w.cutStem(stem, w.padded(n).label(), a, room); cut != "" {
			return cut
		}
	}
	if short := a.fit(room, w.padded(n).label(), w.num(n).label()); short != "" {
		return short
	}
	return w.cutMiddle(base(path), a, room) // the number was made up, or the counter has overflowed
}

// shortStem is the maximum length of a stem, the part before the number, that says little: lock, read, item. If such a
// stem doesn't fit, it is left out. Longer stems tell programs apart, so some letters of them stay.
const shortStem = 5

// cutStem returns as much of the stem as fits before the number, up to a fixed width. It returns "" if not one letter
// fits.
func (w *writer) cutStem(stem, number string, a face, room float64) string {
	w.scratch = clean(w.scratch[:0], stem)
	stem = w.bytesText(w.scratch)
	// Never the whole stem: it would run into the number.
	room = min(room-a.width(number), a.width("the stem…"), a.width(stem)-1)
	w.buf = a.elideEnd(w.buf, stem, room)
	if len(w.buf) > len("…") && room > 0 {
		return w.say(number).label()
	}
	w.buf = w.buf[:0]
	return ""
}

// padded appends a sequence number with at least three digits.
func (w *writer) padded(n int64) *writer {
	for limit := int64(100); n < limit && limit > 1; limit /= 10 {
		w.buf = append(w.buf, '0')
	}
	return w.num(n)
}

// cut returns s without harmful characters and short enough for room.
func (w *writer) cut(s string, a face, room float64) string {
	w.scratch = clean(w.scratch[:0], s)
	w.buf = a.elideEnd(w.buf, w.bytesText(w.scratch), room)
	return w.label()
}

// cutMiddle is cut for paths: it shortens the middle, since the end matters more.
func (w *writer) cutMiddle(s string, a face, room float64) string {
	w.scratch = clean(w.scratch[:0], s)
	w.buf = a.elideMiddle(w.buf, w.bytesText(w.scratch), room)
	return w.label()
}

// bytesText interns b, so that measuring it costs no memory.
func (w *writer) bytesText(b []byte) string {
	if s, ok := w.labels[string(b)]; ok {
		return s
	}
	keep := w.buf
	w.buf = b
	s := w.label()
	w.buf = keep
	return s
}

// phrase returns the sentence of a key, with its arguments filled in.
func (w *writer) phrase(key string, args ...string) string {
	if len(args) == 0 {
		return w.words.Say(key)
	}
	return w.filled(key, args...)
}

// filled is phrase for a key built at run time. It costs no memory.
func (w *writer) filled(key string, args ...string) string {
	w.buf = w.words.Append(w.buf, key, args...)
	return w.label()
}

// opWord returns the word for an operation, or "" if it has none.
func (w *writer) opWord(op event.Op) string {
	return w.words["scene.op."+op.String()]
}

// seconds returns a remaining time in whole seconds, rounded up so that 0 means over.
func (w *writer) seconds(s float64) string {
	n := int64(s)
	if float64(n) < s {
		n++
	}
	return w.phrase("seconds", w.num(n).label())
}
