package event

import (
	"math"
	"strings"
)

// SequenceDigits is the number of digits that a sequential create appends to a name.
const SequenceDigits = 10

// Number returns the sequence number at the end of a znode's path, or -1 if there is none or a negative one. It looks
// only at the name: exactly ten digits that fit a 32-bit counter.
func Number(path string) int64 {
	if n, ok := Sequence(path); ok && n >= 0 {
		return n
	}
	return -1
}

// Sequence returns the sequence number at the end of a znode's path, with its sign; ok is false if there is none.
// After an overflow the counter is negative, and keeps ten digits for as long as anyone will see. ZooKeeper puts no
// sign before other numbers, so a "-" before those belongs to the name.
func Sequence(path string) (n int64, ok bool) {
	at := len(path) - SequenceDigits
	if at < 0 || at > 0 && isDigit(path[at-1]) {
		return 0, false
	}
	for _, d := range []byte(path[at:]) {
		if !isDigit(d) {
			return 0, false
		}
		n = n*10 + int64(d-'0')
	}
	signed := n >= 1e9 && at > 1 && path[at-1] == '-' && strings.IndexByte("-_/", path[at-2]) >= 0
	if signed && n <= -math.MinInt32 {
		return -n, true
	}
	return n, n <= math.MaxInt32
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// Stem returns a sequential znode's name without its number. It also drops a session, a GUID or a session and a count
// that a recipe puts into the name to find the znode again: it returns lock for lock-100001f2a-0000000007, and message
// for message-100001f2a-3-0000000007.
func Stem(name string) string {
	if len(name) >= SequenceDigits {
		name = name[:len(name)-SequenceDigits]
	}
	name = strings.TrimRight(strings.TrimPrefix(name, "_c_"), "-_")
	name = strings.TrimLeft(withoutID(name), "-_")
	short, ok := cutLast(name, isHex)
	if head, counted := cutLast(name, isCount); !ok && counted {
		short, ok = cutLast(head, isHex)
	}
	if ok {
		name = short
	}
	return strings.TrimRight(name, "-_")
}

// withoutID returns the name without a prefix by which other libraries find their znode again: a GUID, with or without
// hyphens, or the session's number.
func withoutID(name string) string {
	const guid, plain = 36, 32
	switch i := strings.IndexAny(name, "-_"); {
	case len(name) > guid && isHex(strings.ReplaceAll(name[:guid], "-", "")):
		return name[guid:]
	case len(name) > plain && isHex(name[:plain]):
		return name[plain:]
	case i > 0 && isHex(name[:i]):
		return name[i:]
	}
	return name
}

// isHex reports whether s looks like a session number: hexadecimal, and not a word.
func isHex(s string) bool {
	digits := 0
	for _, c := range []byte(s) {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c < 'a' || c > 'f':
			return false
		}
	}
	return len(s) >= 5 && digits > 0
}

// cutLast returns the name without the part after its last hyphen, if kind accepts that part.
func cutLast(name string, kind func(string) bool) (head string, ok bool) {
	i := strings.LastIndexByte(name, '-')
	if i <= 0 || !kind(name[i+1:]) {
		return name, false
	}
	return name[:i], true
}

// isCount reports whether s may be a client's own counter.
func isCount(s string) bool { return s != "" && len(s) < 5 && strings.Trim(s, "0123456789") == "" }
