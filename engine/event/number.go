package event

import "strings"

// numberDigits is how many digits a sequential create puts at the end of a name.
const numberDigits = 10

// Number is the sequence number at the end of a znode's path, or -1 if it ends in none. It goes by the
// name alone, because a name is all that an observer sees.
func Number(path string) int64 {
	if len(path) < numberDigits {
		return -1
	}
	var n int64
	for i := len(path) - numberDigits; i < len(path); i++ {
		d := path[i] - '0'
		if d > 9 {
			return -1
		}
		n = n*10 + int64(d)
	}
	return n
}

// Stem is a sequential znode's name without its number, and without the session or the GUID that a recipe
// puts into the name to find it again, perhaps with a count of its own: lock of lock-100001f2a-0000000007, message of
// message-100001f2a-3-0000000007.
func Stem(name string) string {
	if len(name) >= numberDigits {
		name = name[:len(name)-numberDigits]
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
