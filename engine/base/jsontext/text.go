package jsontext

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Skip skips a value of any kind.
func (d *Decoder) Skip() (err error) {
	if d.depth++; d.depth > maxSkipped {
		return errors.New("nested too deeply")
	}
	defer func() { d.depth-- }()
	switch d.peek() {
	case '{':
		return d.Members(func(string) error { return d.Skip() })
	case '[':
		d.At++
		return d.listed(']', d.Skip)
	case '"':
		_, err = d.Quoted()
	case 't', 'f':
		_, err = d.Truth()
	case 'n':
		if !d.Word("null") {
			err = d.bad("null")
		}
	default:
		_, err = d.Number()
	}
	return err
}

// Quoted reads a string.
func (d *Decoder) Quoted() (string, error) {
	if err := d.expect('"'); err != nil {
		return "", err
	}
	rest := d.Text[d.At:]
	end := strings.IndexAny(rest, "\"\\")
	if end >= 0 && rest[end] == '"' && !hasControl(rest[:end]) {
		d.At += end + 1
		return rest[:end], nil
	}
	return d.escaped()
}

func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' })
}

// escaped reads the rest of a string that may contain escapes.
func (d *Decoder) escaped() (string, error) {
	var b []byte
	for d.At < len(d.Text) {
		c := d.Text[d.At]
		switch {
		case c == '"':
			d.At++
			return string(b), nil
		case c < ' ':
			return "", d.bad("allowed in a string")
		case c != '\\':
			b = append(b, c)
			d.At++
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

// escape reads an escaped character. An unpaired surrogate becomes U+FFFD.
func (d *Decoder) escape() (rune, error) {
	if d.At+1 == len(d.Text) {
		d.At++
		return 0, d.bad("an escape")
	}
	if i := strings.IndexByte(`"\/bfnrt`, d.Text[d.At+1]); i >= 0 {
		d.At += 2
		return rune("\"\\/\b\f\n\r\t"[i]), nil
	}
	r, ok := d.hex()
	if !ok {
		return 0, d.bad("an escape")
	}
	if utf16.IsSurrogate(r) {
		at := d.At
		if low, ok := d.hex(); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, nil
			}
		}
		d.At, r = at, utf8.RuneError
	}
	return r, nil
}

// hex reads \uXXXX if it comes next.
func (d *Decoder) hex() (rune, bool) {
	rest := d.Text[d.At:]
	if len(rest) < 6 || rest[:2] != `\u` {
		return 0, false
	}
	n, err := strconv.ParseUint(rest[2:6], 16, 16)
	if err != nil {
		return 0, false
	}
	d.At += 6
	return rune(n), true
}
