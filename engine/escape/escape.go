// Package escape makes text that comes from outside safe to show: znodes' names and data, traces, file names, a
// server's answers. What could control a terminal, or hide or reorder what stands beside it, becomes visible as an
// escape sequence of Go and JSON, like \u001b; a byte that is not UTF-8 becomes one of Go, like \xff. Everything else,
// in any script, stays as it is.
//
// JSON stays the same JSON: encoding/json leaves no control character below U+0020 in a string, and what else is
// escaped stands in strings only, where the escape means the character.
//
// It knows nothing of markup. cmd/viz-server writes to its terminal through it; wasm/scene and wasm/panes ask it what
// to leave out.
package escape

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
)

// Hides reports whether r, which follows prev, would not show as itself, or could make its neighbours show as
// something else: control characters, newlines and tabs among them, line and paragraph separators, what sets the
// direction of text, and format characters without a width. A joiner that does follow something to be joined, as in
// Persian, Hindi and emoji, is a letter like others.
func Hides(prev, r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r < ' ' || r == 0x7f
	case r == zeroWidthJoiner || r == zeroWidthNonJoiner:
		return !joins(prev)
	}
	return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control) ||
		unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// joins reports whether a joiner after r can mean something.
func joins(r rune) bool {
	return r >= utf8.RuneSelf && unicode.In(r, unicode.L, unicode.M, unicode.S)
}

// Line returns s as a part of a line: newlines and tabs are escaped too.
func Line(s string) string {
	if plain(s) {
		return s
	}
	var e escaper
	return string(e.append(nil, []byte(s), true, true))
}

// plain reports whether s surely needs no escapes.
func plain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r >= 0x7f })
}

// escaper escapes text that may come in pieces. Its zero value is at the start.
type escaper struct {
	prev rune
	tail []byte // the start of a character whose rest is still to come
}

// append adds text to dst, with escapes. Inline text may have no newline or tab of its own, and what is last has no
// rest to come.
func (e *escaper) append(dst, text []byte, inline, last bool) []byte {
	if len(e.tail) > 0 {
		text = append(e.tail, text...)
		e.tail = nil
	}
	for len(text) > 0 {
		if !last && !utf8.FullRune(text) {
			e.tail = append([]byte(nil), text...)
			break
		}
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(dst, '\\', 'x', hex[text[0]>>4], hex[text[0]&15])
			r = '\\'
		case !inline && (r == '\n' || r == '\t') || !Hides(e.prev, r):
			dst = append(dst, text[:size]...)
		default:
			dst = appendEscape(dst, r)
			r = '\\'
		}
		e.prev, text = r, text[size:]
	}
	return dst
}

const hex = "0123456789abcdef"

// appendEscape adds the escape of r, of two if JSON needs a pair of them.
func appendEscape(dst []byte, r rune) []byte {
	units := [2]rune{r}
	n := 1
	if r > 0xffff {
		r -= 0x10000
		units, n = [2]rune{0xd800 + r>>10, 0xdc00 + r&0x3ff}, 2
	}
	for _, u := range units[:n] {
		dst = append(dst, '\\', 'u', hex[u>>12&15], hex[u>>8&15], hex[u>>4&15], hex[u&15])
	}
	return dst
}
