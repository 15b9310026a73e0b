// Package jsontext reads JSON by hand, value by value: encoding/json would cost the page 0.4 MB.
//
// engine/event writes it, and reads the headers of logs with this; engine/protocol reads requests and messages. The
// text may come from strangers.
package jsontext

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Decoder is a place in a text.
type Decoder struct {
	Text  string
	At    int // the byte that comes next
	depth int // of what is skipped
}

// maxSkipped is how deep what is skipped may be.
const maxSkipped = 32

// peek returns the next byte that is no space, 0 at the end.
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

// More reports whether anything follows.
func (d *Decoder) More() bool { d.peek(); return d.At < len(d.Text) }

// expect takes the next byte, which must be c.
func (d *Decoder) expect(c byte) error {
	if d.peek() != c || d.At == len(d.Text) {
		return d.bad(strconv.QuoteRune(rune(c)))
	}
	d.At++
	return nil
}

// bad is the error that what comes next is not what is wanted.
func (d *Decoder) bad(want string) error {
	if !d.More() {
		return fmt.Errorf("it ends where %s should be", want)
	}
	return fmt.Errorf("byte %d is not %s", d.At+1, want)
}

// Word takes a word such as null if it is the next thing.
func (d *Decoder) Word(w string) bool {
	d.peek()
	if !strings.HasPrefix(d.Text[d.At:], w) {
		return false
	}
	d.At += len(w)
	return true
}

// Object finds the values of an object, without what is around it.
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

// Members reads an object, and has read each value.
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

// listed reads what stands between commas until end.
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

// List reads a list, each item by read.
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

// Truth takes true or false.
func (d *Decoder) Truth() (bool, error) {
	switch {
	case d.Word("true"):
		return true, nil
	case d.Word("false"):
		return false, nil
	}
	return false, d.bad("true or false")
}

// Number takes the text of a number.
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

// ErrTooLarge is that a number is none of those that fit.
var ErrTooLarge = errors.New("it is no whole number, or too large")

// Whole takes a whole number of so many bits.
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

// Natural is Whole for one that is not negative.
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
