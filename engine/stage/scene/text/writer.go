package text

import (
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/static/strings/words"
)

// Child returns the path of a znode's child, or of the znode itself if the name is empty.
func (w *Writer) Child(dir, name string) string {
	if name == "" {
		return dir
	}
	return w.Say(dir, "/", name).Label()
}

// maxLabels bounds the memory that labels take. When there are more, the writer forgets them all.
const maxLabels = 8192

// Writer makes the texts of a picture. A text that was used before costs no memory.
type Writer struct {
	Words   words.Words // the sentences of the language files
	labels  map[string]string
	buf     []byte
	scratch []byte
}

// Label returns the bytes of w.buf as a string and empties w.buf. A text that was used before costs no memory.
//
//go:noinline
func (w *Writer) Label() string {
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

// Say appends parts to the label in w.buf.
//
//go:noinline
func (w *Writer) Say(parts ...string) *Writer {
	for _, p := range parts {
		w.buf = append(w.buf, p...)
	}
	return w
}

// Num appends a number to the label in w.buf.
//
//go:noinline
func (w *Writer) Num(n int64) *Writer {
	w.buf = strconv.AppendInt(w.buf, n, 10)
	return w
}

// Grouped writes a count with its digits grouped.
func (w *Writer) Grouped(n int) string {
	w.buf = sentence.AppendGrouped(w.buf, n)
	return w.Label()
}

// Letter returns the name of client i, from 0, on the stage.
//
//go:noinline
func Letter(i int) string { return event.Actor(i + 1).Letter() }

// Base returns the last element of a path.
func Base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// Parent returns the path without its last element; the root has an empty parent.
//
//go:noinline
func Parent(path string) string {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i]
	}
	return ""
}

// NameOf returns the name of a znode, as much as fits: of a sequential one above all the number.
func (w *Writer) NameOf(path string, a Face, room float64) string {
	n, base := event.Number(path), Base(path)
	if n < 0 {
		return w.Cut(base, a, room)
	}
	stem := event.Stem(base)
	w.buf = Clean(w.buf, stem)
	if len(w.buf) > 0 {
		w.buf = append(w.buf, '-')
	}
	full := w.Padded(n).Label()
	if a.Width(full) <= room {
		return full
	}
	if len(stem) > shortStem {
		if cut := w.cutStem(stem, w.Padded(n).Label(), a, room); cut != "" {
			return cut
		}
	}
	if short := a.Fit(room, w.Padded(n).Label(), w.Num(n).Label()); short != "" {
		return short
	}
	return w.CutMiddle(base, a, room) // the number was made up, or the counter has overflowed
}

// shortStem is the maximum length of a stem, the part before the number, that says little: lock, read, item. If such a
// stem doesn't fit, it is left out. Longer stems tell programs apart, so some letters of them stay.
const shortStem = 5

// cutStem returns as much of the stem as fits before the number, up to a fixed width. It returns "" if not one letter
// fits. Of a stem that ends in a digit, that stays: it tells program-1 from program-2.
func (w *Writer) cutStem(stem, number string, a Face, room float64) string {
	w.scratch = Clean(w.scratch[:0], stem)
	stem = w.bytesText(w.scratch)
	// Never the whole stem: it would run into the number.
	room = min(room-a.Width(number), a.Width("the stem…"), a.Width(stem)-1)
	if last := stem[len(stem)-1:]; last[0] >= '0' && last[0] <= '9' && a.Width("m…9-") <= room {
		w.buf = append(a.ElideEnd(w.buf, stem, room-a.Width("9-")), last[0], '-')
	} else {
		w.buf = a.ElideEnd(w.buf, stem, room)
	}
	if len(w.buf) > len("…") && room > 0 {
		return w.Say(number).Label()
	}
	w.buf = w.buf[:0]
	return ""
}

// Padded appends a sequence number with at least three digits.
func (w *Writer) Padded(n int64) *Writer {
	for limit := int64(100); n < limit && limit > 1; limit /= 10 {
		w.buf = append(w.buf, '0')
	}
	return w.Num(n)
}

// Cut returns s without harmful characters and short enough for room.
func (w *Writer) Cut(s string, a Face, room float64) string {
	w.scratch = Clean(w.scratch[:0], s)
	w.buf = a.ElideEnd(w.buf, w.bytesText(w.scratch), room)
	return w.Label()
}

// CutMiddle is cut for paths: it shortens the middle, since the end matters more.
func (w *Writer) CutMiddle(s string, a Face, room float64) string {
	w.scratch = Clean(w.scratch[:0], s)
	w.buf = a.elideMiddle(w.buf, w.bytesText(w.scratch), room)
	return w.Label()
}

// bytesText interns b, so that measuring it costs no memory.
func (w *Writer) bytesText(b []byte) string {
	if s, ok := w.labels[string(b)]; ok {
		return s
	}
	keep := w.buf
	w.buf = b
	s := w.Label()
	w.buf = keep
	return s
}

// Phrase returns the sentence of a key, with its arguments filled in.
func (w *Writer) Phrase(key string, args ...string) string {
	if len(args) == 0 {
		return w.Words.Say(key)
	}
	return w.Filled(key, args...)
}

// Filled is phrase for a key built at run time. It costs no memory.
func (w *Writer) Filled(key string, args ...string) string {
	w.buf = w.Words.Append(w.buf, key, args...)
	return w.Label()
}

// OpWord returns the word for an operation, or "" if it has none.
//
//go:noinline
func (w *Writer) OpWord(op event.Op) string {
	return w.Words["scene.op."+op.String()]
}

// Seconds returns a remaining time in whole seconds, rounded up so that 0 means over.
func (w *Writer) Seconds(s float64) string {
	n := int64(s)
	if float64(n) < s {
		n++
	}
	return w.Phrase("seconds", w.Num(n).Label())
}

// Hidden returns the sentence of a key with the number of hidden items, in the short form if it doesn't fit into room.
func (w *Writer) Hidden(key string, n int, a Face, room float64) string {
	return a.Fit(room, w.Phrase(key, w.Grouped(n)), w.Plus(n))
}

// Plus returns the short form of "n more".
func (w *Writer) Plus(n int) string { return w.Say("+", w.Grouped(n)).Label() }

// TenthsOf returns a number with one decimal.
func (w *Writer) TenthsOf(n float64) string {
	w.buf = strconv.AppendFloat(w.buf, n, 'f', 1, 64)
	return w.Label()
}

// ActorID returns the ID that selects a server or a node.
func (w *Writer) ActorID(a event.Actor) string {
	prefix := "node-"
	if a.Kind() == event.AServer {
		prefix = "server-"
	}
	return w.Say(prefix).Num(int64(a.Number())).Label()
}

// Server returns the short name of server n.
func (w *Writer) Server(n int) string { return w.Say("S").Num(int64(n)).Label() }

// Hex writes a zxid.
func (w *Writer) Hex(z int64) string {
	w.buf = strconv.AppendInt(append(w.buf, "0x"...), z, 16)
	return w.Label()
}

// LastWord returns what follows the last space.
func LastWord(s string) string { return s[strings.LastIndexByte(s, ' ')+1:] }
