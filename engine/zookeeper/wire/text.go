package wire

import (
	"unicode/utf8"
)

// Text converts bytes that a client sent into text as ZooKeeper does, and returns the bytes that ZooKeeper would write
// for it. For text within the basic plane, these are the original bytes.
//
// Java stores text as UTF-16, and ZooKeeper writes each half of a surrogate pair as three bytes. Invalid UTF-8 becomes
// as many U+FFFD as Java's decoder makes of it. No valid path contains either, so this shows only where a server
// echoes text: in sync, in the IDs of ACLs, and in watches on impossible paths.
func Text(b []byte) string {
	if inBasicPlane(b) {
		return string(b)
	}
	return decoded(b, true)
}

// UTF8 converts bytes into text as ZooKeeper does and returns it as UTF-8. The scheme digest uses that for names and
// secrets.
func UTF8(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return decoded(b, false)
}

func decoded(b []byte, halves bool) string {
	text := make([]byte, 0, len(b)+8)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && n == 1:
			text, n = append(text, "\uFFFD"...), malformed(b)
		case r > 0xffff && halves:
			r -= 0x10000
			text = putSurrogate(putSurrogate(text, 0xd800+r>>10), 0xdc00+r&0x3ff)
		default:
			text = append(text, b[:n]...)
		}
		b = b[n:]
	}
	return string(text)
}

// inBasicPlane reports whether b is UTF-8 without four-byte characters.
func inBasicPlane(b []byte) bool {
	if !utf8.Valid(b) {
		return false
	}
	for _, c := range b {
		if c >= 0xf0 {
			return false
		}
	}
	return true
}

// putSurrogate writes half of a surrogate pair as if it were a character.
func putSurrogate(dst []byte, r rune) []byte {
	return append(dst, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0xbf, 0x80|byte(r)&0xbf)
}

// malformed returns how many bytes at the start of b, which are invalid UTF-8, Java replaces by one U+FFFD.
func malformed(b []byte) int {
	switch c := b[0]; {
	case c >= 0xe0 && c <= 0xef:
		return malformed3(b)
	case c >= 0xf0 && c <= 0xf4:
		return malformed4(b)
	}
	return 1
}

func malformed3(b []byte) int {
	switch {
	case len(b) < 2 || !follows(b[1]) || b[0] == 0xe0 && b[1] < 0xa0:
		return 1
	case len(b) < 3 || !follows(b[2]):
		return 2
	}
	return 3 // a complete surrogate
}

func malformed4(b []byte) int {
	switch {
	case len(b) < 2 || !follows(b[1]) || b[0] == 0xf0 && b[1] < 0x90 || b[0] == 0xf4 && b[1] > 0x8f:
		return 1
	case len(b) < 3 || !follows(b[2]):
		return 2
	}
	return 3
}

// follows reports whether c is a continuation byte.
func follows(c byte) bool { return c&0xc0 == 0x80 }
