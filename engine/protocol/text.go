package protocol

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// skip takes a value of any kind.
func (d *decoder) skip() (err error) {
	if d.depth++; d.depth > maxSkipped {
		return errors.New("it is too deep")
	}
	defer func() { d.depth-- }()
	switch d.peek() {
	case '{':
		return d.members(func(string) error { return d.skip() })
	case '[':
		d.at++
		return d.listed(']', d.skip)
	case '"':
		_, err = d.quoted()
	case 't', 'f':
		_, err = d.truth()
	case 'n':
		if !d.word("null") {
			err = d.bad("null")
		}
	default:
		_, err = d.number()
	}
	return err
}

// quoted takes a string.
func (d *decoder) quoted() (string, error) {
	if err := d.expect('"'); err != nil {
		return "", err
	}
	rest := d.text[d.at:]
	end := strings.IndexAny(rest, "\"\\")
	if end >= 0 && rest[end] == '"' && !hasControl(rest[:end]) {
		d.at += end + 1
		return rest[:end], nil
	}
	return d.escaped()
}

func hasControl(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < ' ' }) >= 0
}

// escaped is quoted where there are escapes.
func (d *decoder) escaped() (string, error) {
	var b []byte
	for d.at < len(d.text) {
		c := d.text[d.at]
		switch {
		case c == '"':
			d.at++
			return string(b), nil
		case c < ' ':
			return "", d.bad("allowed in a string")
		case c != '\\':
			b = append(b, c)
			d.at++
		default:
			r, err := d.escape()
			if err != nil {
				return "", err
			}
			b = utf8.AppendRune(b, r)
		}
	}
	return "", d.bad("the end of a string")
}

// escape takes an escaped character. Half of a surrogate pair is U+FFFD.
func (d *decoder) escape() (rune, error) {
	if d.at+1 == len(d.text) {
		d.at++
		return 0, d.bad("an escape")
	}
	if i := strings.IndexByte(`"\/bfnrt`, d.text[d.at+1]); i >= 0 {
		d.at += 2
		return rune("\"\\/\b\f\n\r\t"[i]), nil
	}
	r, ok := d.hex()
	if !ok {
		return 0, d.bad("an escape")
	}
	if utf16.IsSurrogate(r) {
		at := d.at
		if low, ok := d.hex(); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, nil
			}
		}
		d.at, r = at, utf8.RuneError
	}
	return r, nil
}

// hex takes \uXXXX if it is the next thing.
func (d *decoder) hex() (rune, bool) {
	rest := d.text[d.at:]
	if len(rest) < 6 || rest[:2] != `\u` || strings.Trim(rest[2:6], "0123456789abcdefABCDEF") != "" {
		return 0, false
	}
	n, err := strconv.ParseUint(rest[2:6], 16, 16)
	if err != nil {
		return 0, false
	}
	d.at += 6
	return rune(n), true
}
