package protocol

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// decoder reads JSON into the fields of an object. Null leaves a field as it is; of a field that comes twice, the last
// counts.
type decoder struct {
	text   string
	at     int
	strict bool // a field that is not known is an error
	depth  int  // of what is skipped
}

// maxSkipped is how deep what is skipped may be.
const maxSkipped = 32

// peek returns the next byte that is no space, 0 at the end.
func (d *decoder) peek() byte {
	for ; d.at < len(d.text); d.at++ {
		switch c := d.text[d.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// more reports whether anything follows.
func (d *decoder) more() bool { d.peek(); return d.at < len(d.text) }

// expect takes the next byte, which must be c.
func (d *decoder) expect(c byte) error {
	if d.peek() != c || d.at == len(d.text) {
		return d.bad(strconv.QuoteRune(rune(c)))
	}
	d.at++
	return nil
}

func (d *decoder) bad(want string) error {
	if !d.more() {
		return fmt.Errorf("it ends where %s should be", want)
	}
	return fmt.Errorf("byte %d is not %s", d.at+1, want)
}

// word takes a word such as null if it is the next thing.
func (d *decoder) word(w string) bool {
	d.peek()
	if !strings.HasPrefix(d.text[d.at:], w) {
		return false
	}
	d.at += len(w)
	return true
}

// object reads the fields of o.
func (d *decoder) object(o object) error {
	return d.members(func(key string) error {
		err, known := error(nil), false
		o.fields(func(name string, _ when, at any) {
			if name == key && !known {
				known, err = true, d.value(name, at)
			}
		})
		switch {
		case known:
			return err
		case d.strict:
			return fmt.Errorf("unknown field %q", key)
		}
		return d.skip()
	})
}

// members reads an object, and has read each value.
func (d *decoder) members(read func(key string) error) error {
	if d.word("null") {
		return nil
	}
	if err := d.expect('{'); err != nil {
		return err
	}
	return d.listed('}', func() error {
		key, err := d.quoted()
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
func (d *decoder) listed(end byte, read func() error) error {
	if d.peek() == end {
		d.at++
		return nil
	}
	for {
		if err := read(); err != nil {
			return err
		}
		if d.peek() == end {
			d.at++
			return nil
		}
		if err := d.expect(','); err != nil {
			return err
		}
	}
}

// value reads a field.
func (d *decoder) value(name string, at any) (err error) {
	if d.word("null") {
		return nil
	}
	switch v := at.(type) {
	case *string:
		*v, err = d.quoted()
	case *bool:
		*v, err = d.truth()
	case *int:
		*v, err = whole[int](d, math.MinInt, math.MaxInt)
	case *int64:
		*v, err = whole[int64](d, math.MinInt64, math.MaxInt64)
	case *uint64:
		*v, err = d.natural(64)
	case *event.Seq:
		*v, err = d.seq()
	case *time.Duration:
		*v, err = d.duration()
	case *[]string:
		*v, err = list(d, func(s *string) (err error) { return d.value(name, s) })
	case *[]Row:
		*v, err = list(d, func(r *Row) error { return d.object(r) })
	case *[]Step:
		*v, err = list(d, func(s *Step) error { return d.object(s) })
	case *map[int]event.Seq:
		*v, err = d.cursors()
	case *event.Header:
		*v, err = d.header()
	default:
		panic(fmt.Sprintf("protocol: a field is a %T", at))
	}
	if err != nil {
		return fmt.Errorf("%q: %w", name, err)
	}
	return nil
}

func list[T any](d *decoder, read func(*T) error) (all []T, err error) {
	if err := d.expect('['); err != nil {
		return nil, err
	}
	err = d.listed(']', func() error {
		all = append(all, *new(T))
		return read(&all[len(all)-1])
	})
	return all, err
}

func (d *decoder) cursors() (map[int]event.Seq, error) {
	from := map[int]event.Seq{}
	err := d.members(func(key string) error {
		branch, err := strconv.Atoi(key)
		if err != nil || branch < 0 {
			return fmt.Errorf("the branch %q is no number", Clip(key))
		}
		seq := from[branch]
		err = d.value(key, &seq)
		from[branch] = seq
		return err
	})
	return from, err
}

func (d *decoder) truth() (bool, error) {
	switch {
	case d.word("true"):
		return true, nil
	case d.word("false"):
		return false, nil
	}
	return false, d.bad("true or false")
}

// number takes the text of a number.
func (d *decoder) number() (string, error) {
	d.peek()
	rest := d.text[d.at:]
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
	d.at += n
	return rest[:n], nil
}

var errTooLarge = errors.New("it is no whole number, or too large")

func whole[T int | int64](d *decoder, least, most int64) (T, error) {
	text, err := d.number()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, errTooLarge
	}
	return T(n), nil
}

func (d *decoder) natural(bits int) (uint64, error) {
	text, err := d.number()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(text, 10, bits)
	if err != nil {
		return 0, errTooLarge
	}
	return n, nil
}

func (d *decoder) seq() (event.Seq, error) {
	n, err := d.natural(32)
	return event.Seq(n), err
}

// duration reads milliseconds, to the nearest nanosecond.
func (d *decoder) duration() (time.Duration, error) {
	text, err := d.number()
	if err != nil {
		return 0, err
	}
	ms, err := strconv.ParseFloat(text, 64)
	ns := math.Round(ms * float64(time.Millisecond))
	if err != nil || ns < math.MinInt64 || ns >= math.MaxInt64 {
		return 0, errTooLarge
	}
	return time.Duration(ns), nil
}
