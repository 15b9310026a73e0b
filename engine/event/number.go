package event

import (
	"math"
	"strings"
)

// SequenceDigits is how many digits a sequential create puts at the end of a name.
const SequenceDigits = 10

// Number returns the sequence number at the end of a znode's path, or -1 if it ends in none, or in a negative one. It
// goes by the name alone: exactly ten digits, of a number that a counter of 32 bits can have.
func Number(path string) int64 {
	if n, ok := Sequence(path); ok && n >= 0 {
		return n
	}
	return -1
}

// Sequence returns the sequence number at the end of a znode's path, with its sign; ok is false if it ends in none. A
// counter that has run over goes on with negative numbers, which have ten digits for as long as anybody will see.
// ZooKeeper puts no sign before others, so a "-" before them belongs to the name.
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

// Stem is a sequential znode's name without its number, and without the session or the GUID that a recipe
// puts into the name to find it again, perhaps with a count of its own: lock of lock-100001f2a-0000000007, message of
// message-100001f2a-3-0000000007.
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

// withoutID is a name without what other libraries put before it to find their znode again: a GUID, with or
// without its hyphens, or the session's number.
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

// isHex reports whether s looks like a session's number: hexadecimal, and no word.
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

// cutLast is a name without what comes after its last hyphen, if that is there and of the kind.
func cutLast(name string, kind func(string) bool) (head string, ok bool) {
	i := strings.LastIndexByte(name, '-')
	if i <= 0 || !kind(name[i+1:]) {
		return name, false
	}
	return name[:i], true
}

// isCount reports whether s may count what one client makes.
func isCount(s string) bool { return s != "" && len(s) < 5 && strings.Trim(s, "0123456789") == "" }
