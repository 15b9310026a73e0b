// Package escape makes foreign text safe to show: names and data of znodes, traces, file names, a server's answers.
// Anything that could control a terminal, or hide or reorder its neighbours, becomes visible as an escape sequence of
// Go and JSON, like \u001b. A byte that is not UTF-8 becomes a Go escape, like \xff. All other text, in any script, is
// unchanged.
//
// JSON keeps its meaning: encoding/json leaves no control character below U+0020 in a string, and all other escaped
// characters occur only in strings, where the escape stands for the character.
//
// It knows nothing about markup. cmd/viz-server writes to its terminal through it. engine/stage/scene and
// engine/stage/panes ask it what to leave out.
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

// Hides reports whether r, after prev, would not show as itself or could change how its neighbours look. This covers
// control characters, including newlines and tabs, line and paragraph separators, characters that set the text's
// direction, and format characters without a width. A joiner after a character that it can join, as in Persian, Hindi
// and emoji, counts as a letter.
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

// joins reports whether a joiner after r has a meaning.
func joins(r rune) bool {
	return r >= utf8.RuneSelf && unicode.In(r, unicode.L, unicode.M, unicode.S)
}

// Line escapes s for use within a line. It escapes newlines and tabs too.
func Line(s string) string {
	if plain(s) {
		return s
	}
	var e escaper
	return string(e.append(nil, []byte(s), true, true))
}

// plain reports whether s certainly needs no escapes.
func plain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r >= 0x7f })
}

// escaper escapes text that may arrive in pieces. Its zero value is at the start.
type escaper struct {
	prev rune
	tail []byte // the start of an incomplete character
}

// append appends text to dst with escapes. If inline, it escapes newlines and tabs too. If last, it doesn't wait for
// the rest of an incomplete character.
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

// appendEscape appends the escape of r, or a pair of escapes if JSON needs one.
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
