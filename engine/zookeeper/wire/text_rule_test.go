package wire_test

import (
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// span is a range of bytes.
type span struct{ from, to byte }

var next = span{0x80, 0xbf}

// wellFormed is Unicode's table 3-7.
var wellFormed = [][]span{
	{{0x00, 0x7f}},
	{{0xc2, 0xdf}, next},
	{{0xe0, 0xe0}, {0xa0, 0xbf}, next},
	{{0xe1, 0xec}, next, next},
	{{0xed, 0xed}, {0x80, 0x9f}, next},
	{{0xee, 0xef}, next, next},
	{{0xf0, 0xf0}, {0x90, 0xbf}, next, next},
	{{0xf1, 0xf3}, next, next, next},
	{{0xf4, 0xf4}, {0x80, 0x8f}, next, next},
}

// surrogate is a form that Java reads to its end before it finds it invalid.
var surrogate = []span{{0xed, 0xed}, {0xa0, 0xbf}, next}

// begins returns how many bytes at the start of b match the form.
func begins(b []byte, form []span) int {
	n := 0
	for n < len(b) && n < len(form) && b[n] >= form[n].from && b[n] <= form[n].to {
		n++
	}
	return n
}

// javaText implements the rule for Text byte by byte: well-formed text is kept, and the longest start of a form
// becomes one U+FFFD.
func javaText(b []byte, halves bool) string {
	var text []byte
	for len(b) > 0 {
		whole, bad := 0, 1
		for _, form := range append(wellFormed, surrogate) {
			n := begins(b, form)
			if n == len(form) && &form[0] != &surrogate[0] {
				whole = n
			}
			bad = max(bad, n)
		}
		r, _ := utf8.DecodeRune(b)
		switch high, low := utf16.EncodeRune(r); {
		case whole == 0:
			text, b = append(text, "\uFFFD"...), b[bad:]
			continue
		case whole == 4 && halves:
			for _, half := range []rune{high, low} {
				text = append(text, byte(0xe0+half/0x1000), byte(0x80+half/0x40%0x40), byte(0x80+half%0x40))
			}
		default:
			text = append(text, b[:whole]...)
		}
		b = b[whole:]
	}
	return string(text)
}

// TestTextFollowsTheRule tries all texts of up to four bytes at the bounds of the forms.
func TestTextFollowsTheRule(t *testing.T) {
	bounds := []byte{0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef, 0xf0, 0xf3,
		0xf4, 0xf5}
	var check func(b []byte)
	check = func(b []byte) {
		if got, want := wire.Text(b), javaText(b, true); got != want {
			t.Fatalf("% x becomes % x, not % x", b, got, want)
		}
		if got, want := wire.UTF8(b), javaText(b, false); got != want {
			t.Fatalf("% x is % x as UTF-8, not % x", b, got, want)
		}
		if len(b) == 4 {
			return
		}
		for _, c := range bounds {
			check(append(b[:len(b):len(b)], c))
		}
	}
	check(nil)
}

// TestEveryCharacter tries each character, or a sample far beyond the basic plane, between others.
func TestEveryCharacter(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) || r > 0x11000 && r < 0x10f000 && r%0x100 > 1 {
			continue
		}
		s := "a" + string(r) + "\xff"
		if got, want := wire.Text([]byte(s)), javaText([]byte(s), true); got != want {
			t.Fatalf("%U becomes % x, not % x", r, got, want)
		}
	}
}
