package text

import (
	"unicode"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/base/escape"
)

// MinSize is the smallest text size, in px.
const MinSize = 10

// Text can't be measured here, so widths are those of a common wide face (DejaVu Sans), in fiftieths of the size, from
// space to tilde. In most readers' faces, text is no wider.
const (
	regularWidths = "\x10\x14\x17\x2a\x20\x30\x27\x0e\x14\x14\x19\x2a\x10\x12\x10\x11" +
		"\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x11\x11\x2a\x2a\x2a\x1b" +
		"\x32\x22\x22\x23\x27\x20\x1d\x27\x26\x0f\x0f\x21\x1c\x2b\x25\x27" +
		"\x1e\x27\x23\x20\x1f\x25\x22\x31\x22\x1f\x22\x14\x11\x14\x2a\x19" +
		"\x19\x1f\x20\x1b\x20\x1f\x12\x20\x20\x0e\x0e\x1d\x0e\x31\x20\x1f" +
		"\x20\x20\x15\x1a\x14\x20\x1e\x29\x1e\x1e\x1a\x20\x11\x20\x2a"
	boldWidths = "\x11\x17\x1a\x2a\x23\x32\x2c\x0f\x17\x17\x1a\x2a\x13\x15\x13\x12" +
		"\x23\x23\x23\x23\x23\x23\x23\x23\x23\x23\x14\x14\x2a\x2a\x2a\x1d" +
		"\x32\x27\x26\x25\x2a\x22\x22\x29\x2a\x13\x13\x27\x20\x32\x2a\x2b" +
		"\x25\x2b\x27\x24\x22\x29\x27\x37\x27\x24\x24\x17\x12\x17\x2a\x19" +
		"\x19\x22\x24\x1e\x24\x22\x16\x24\x24\x11\x11\x21\x11\x34\x24\x22" +
		"\x24\x24\x19\x1e\x18\x24\x21\x2e\x20\x21\x1d\x24\x12\x24\x2a"
	unit      = 1.0 / 50
	monoWidth = 0.602
)

// Face is a size and a style of text.
type Face struct {
	Size       float64
	Bold, Mono bool
}

// Width returns the width of s in px, rather too large than too small.
func (a Face) Width(s string) float64 {
	if a.Mono {
		n := 0.0
		for _, r := range s {
			n += monoWidth + wide(r)*(1-monoWidth)
		}
		return n * a.Size
	}
	table := regularWidths
	if a.Bold {
		table = boldWidths
	}
	n := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= utf8.RuneSelf {
			return (float64(n)*unit + wideRunes(s[i:])) * a.Size
		}
		if c >= ' ' && c <= '~' {
			n += int(table[c-' '])
		}
	}
	return float64(n) * unit * a.Size
}

// wideRunes returns the width of text that is not all ASCII, in ems.
func wideRunes(s string) float64 {
	n := 0.0
	for _, r := range s {
		switch {
		case r >= ' ' && r <= '~':
			n += float64(boldWidths[r-' ']) * unit
		case r == '·':
			n += 0.38
		default:
			n += 0.7 + 0.3*wide(r)
		}
	}
	return n
}

// wide returns 1 for characters that fill a square, as Chinese, Japanese and Korean ones do.
func wide(r rune) float64 {
	if r >= 0x1100 || r == '…' || r == '→' {
		return 1
	}
	return 0
}

// Fit returns the first of the texts that fits into room, or "".
//
//go:noinline
func (a Face) Fit(room float64, texts ...string) string {
	for _, s := range texts {
		if a.Width(s) <= room {
			return s
		}
	}
	return ""
}

// ElideEnd appends s to dst, shortened with an ellipsis to fit into room.
func (a Face) ElideEnd(dst []byte, s string, room float64) []byte {
	if a.Width(s) <= room {
		return append(dst, s...)
	}
	room -= a.Width("…")
	for i, r := range s {
		if a.Width(s[:i+utf8.RuneLen(r)]) > room { // non-ASCII text is wider than its letters one by one
			return append(append(dst, s[:i]...), "…"...)
		}
	}
	return dst
}

// elideMiddle keeps the start and, since the end of a path says most, twice as much of the end.
func (a Face) elideMiddle(dst []byte, s string, room float64) []byte {
	if a.Width(s) <= room {
		return append(dst, s...)
	}
	room -= a.Width("…")
	head, left := 0, room/3
	for i, r := range s {
		if left -= a.Width(s[i : i+utf8.RuneLen(r)]); left < 0 {
			break
		}
		head = i + utf8.RuneLen(r)
	}
	tail, left := len(s), room*2/3
	for tail > head {
		_, n := utf8.DecodeLastRuneInString(s[:tail])
		if left -= a.Width(s[tail-n : tail]); left < 0 {
			break
		}
		tail -= n
	}
	return append(append(append(dst, s[:head]...), "…"...), s[tail:]...)
}

// maxClean is the maximum number of bytes kept of the start of a long name or of data.
const maxClean = 160

// maxMarks is the maximum number of combining marks on a letter: more would cover what is above it.
const maxMarks = 3

// Clean appends s to dst, and replaces unsafe characters and piled-up marks by dots. A long text keeps its start and
// its end.
func Clean(dst []byte, s string) []byte {
	if len(s) > maxClean*2 {
		head, tail := s[:maxClean], s[len(s)-maxClean/2:]
		return Clean(append(Clean(dst, head), "…"...), tail)
	}
	prev, marks := rune(0), 0
	for _, r := range s {
		if marks++; !unicode.Is(unicode.M, r) {
			marks = 0
		}
		if marks > maxMarks || Unsafe(prev, r) {
			r = '·'
		}
		dst = utf8.AppendRune(dst, r)
		prev = r
	}
	return dst
}

// Unsafe reports whether r, which follows prev, would hide or reverse its neighbours, or can't occur in XML.
func Unsafe(prev, r rune) bool {
	return escape.Hides(prev, r) || r == utf8.RuneError || r == 0xfffe || r == 0xffff
}
