// Package jsontext reads JSON value by value, since encoding/json would add 0.4 MB to the page.
//
// engine/event, which writes JSON itself, reads the headers of logs with this package, and engine/run/protocol reads
// requests and messages. The text may come from strangers.
package jsontext

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Decoder is a position in a text.
type Decoder struct {
	Text  string
	At    int // index of the next byte
	depth int // nesting depth of the value being skipped
}

// maxSkipped is the maximum depth of a skipped value.
const maxSkipped = 32

// peek skips spaces and returns the next byte, or 0 at the end.
func (d *Decoder) peek() byte {
	for ; d.At < len(d.Text); d.At++ {
		switch c := d.Text[d.At]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// More reports whether anything but spaces follows.
func (d *Decoder) More() bool { d.peek(); return d.At < len(d.Text) }

// expect consumes the next byte, which must be c.
func (d *Decoder) expect(c byte) error {
	if d.peek() != c || d.At == len(d.Text) {
		return d.bad(strconv.QuoteRune(rune(c)))
	}
	d.At++
	return nil
}

// bad returns the error for input other than want.
func (d *Decoder) bad(want string) error {
	if !d.More() {
		return fmt.Errorf("the input ends where %s should be", want)
	}
	return fmt.Errorf("byte %d is not %s", d.At+1, want)
}

// Word consumes w, such as null, if it comes next.
func (d *Decoder) Word(w string) bool {
	d.peek()
	if !strings.HasPrefix(d.Text[d.At:], w) {
		return false
	}
	d.At += len(w)
	return true
}

// Object returns the raw values of an object by key.
func (d *Decoder) Object() (map[string]string, error) {
	values := map[string]string{}
	err := d.Members(func(key string) error {
		d.peek()
		start := d.At
		err := d.Skip()
		values[key] = d.Text[start:d.At]
		return err
	})
	return values, err
}

// Members reads an object and calls read for each value.
func (d *Decoder) Members(read func(key string) error) error {
	if d.Word("null") {
		return nil
	}
	if err := d.expect('{'); err != nil {
		return err
	}
	return d.listed('}', func() error {
		key, err := d.Quoted()
		if err == nil {
			err = d.expect(':')
		}
		if err != nil {
			return err
		}
		return read(key)
	})
}

// listed reads items separated by commas until end.
func (d *Decoder) listed(end byte, read func() error) error {
	if d.peek() == end {
		d.At++
		return nil
	}
	for {
		if err := read(); err != nil {
			return err
		}
		if d.peek() == end {
			d.At++
			return nil
		}
		if err := d.expect(','); err != nil {
			return err
		}
	}
}

// List reads a list and calls read for each item.
func List[T any](d *Decoder, read func(*T) error) (all []T, err error) {
	if err := d.expect('['); err != nil {
		return nil, err
	}
	err = d.listed(']', func() error {
		all = append(all, *new(T))
		return read(&all[len(all)-1])
	})
	return all, err
}

// Truth reads true or false.
func (d *Decoder) Truth() (bool, error) {
	switch {
	case d.Word("true"):
		return true, nil
	case d.Word("false"):
		return false, nil
	}
	return false, d.bad("true or false")
}

// Number reads a number and returns its text.
func (d *Decoder) Number() (string, error) {
	d.peek()
	rest := d.Text[d.At:]
	digits := func(i int) int {
		for i < len(rest) && rest[i] >= '0' && rest[i] <= '9' {
			i++
		}
		return i
	}
	start := 0
	if strings.HasPrefix(rest, "-") {
		start = 1
	}
	n := digits(start)
	if n == start || n > start+1 && rest[start] == '0' {
		return "", d.bad("a number")
	}
	if n < len(rest) && rest[n] == '.' {
		frac := n + 1
		if n = digits(frac); n == frac {
			return "", d.bad("a number")
		}
	}
	if n < len(rest) && (rest[n] == 'e' || rest[n] == 'E') {
		exp := n + 1
		if exp < len(rest) && (rest[exp] == '+' || rest[exp] == '-') {
			exp++
		}
		if n = digits(exp); n == exp {
			return "", d.bad("a number")
		}
	}
	d.At += n
	return rest[:n], nil
}

// ErrTooLarge reports that a number is not whole or out of range.
var ErrTooLarge = errors.New("not a whole number, or too large")

// Whole reads an integer of at most that many bits.
func (d *Decoder) Whole(bits int) (int64, error) {
	text, err := d.Number()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, bits)
	if err != nil {
		return 0, ErrTooLarge
	}
	return n, nil
}

// Natural reads a nonnegative integer of at most that many bits.
func (d *Decoder) Natural(bits int) (uint64, error) {
	text, err := d.Number()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(text, 10, bits)
	if err != nil {
		return 0, ErrTooLarge
	}
	return n, nil
}
