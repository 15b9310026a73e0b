package protocol

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/base/jsontext"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// decoder reads JSON into the fields of an object. Null leaves a field as it is. If a field comes twice, the last
// one counts.
type decoder struct {
	jsontext.Decoder
	strict bool // unknown fields are errors
}

// object reads the fields of o.
func (d *decoder) object(o object) error {
	return d.Members(func(key string) error {
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
		return d.Skip()
	})
}

// value reads a field.
func (d *decoder) value(name string, at any) (err error) {
	if d.Word("null") {
		return nil
	}
	var n int64
	switch v := at.(type) {
	case *string:
		*v, err = d.Quoted()
	case *bool:
		*v, err = d.Truth()
	case *int:
		n, err = d.Whole(strconv.IntSize)
		*v = int(n)
	case *int64:
		*v, err = d.Whole(64)
	case *event.Seq:
		*v, err = d.seq()
	case *time.Duration:
		*v, err = d.duration()
	case *[]string:
		*v, err = jsontext.List(&d.Decoder, func(s *string) (err error) { return d.value(name, s) })
	case *[]Row:
		*v, err = jsontext.List(&d.Decoder, func(r *Row) error { return d.object(r) })
	case *[]Step:
		*v, err = jsontext.List(&d.Decoder, func(s *Step) error { return d.object(s) })
	case *[]promise.Violation:
		*v, err = jsontext.List(&d.Decoder, func(v *promise.Violation) error { return d.object((*deed)(v)) })
	case *[]event.Actor:
		*v, err = jsontext.List(&d.Decoder, func(a *event.Actor) error { return d.value(name, a) })
	case *event.Actor:
		n, err = d.Whole(32)
		*v = event.Actor(n)
	case *[]sentence.Sentence:
		*v, err = jsontext.List(&d.Decoder, func(s *sentence.Sentence) error { return d.visited(s.Visit) })
	case *map[int]event.Seq:
		*v, err = d.cursors()
	case *event.Header:
		err = d.visited(v.Visit)
	case *sentence.Sentence:
		err = d.visited(v.Visit)
	default:
		panic(fmt.Sprintf("protocol: a field is a %T", at))
	}
	if err != nil {
		return fmt.Errorf("%q: %w", name, err)
	}
	return nil
}

func (d *decoder) cursors() (map[int]event.Seq, error) {
	from := map[int]event.Seq{}
	err := d.Members(func(key string) error {
		branch, err := strconv.Atoi(key)
		if err != nil || branch < 0 {
			return fmt.Errorf("the branch must be a number, not %q", Clip(key))
		}
		seq := from[branch]
		err = d.value(key, &seq)
		from[branch] = seq
		return err
	})
	return from, err
}

// visited reads the fields that visit lists. A value of the wrong type counts as missing.
func (d *decoder) visited(visit func(event.Fields)) error {
	values, err := d.Object()
	if err == nil {
		_ = event.ParseFields(values, visit)
	}
	return err
}

func (d *decoder) seq() (event.Seq, error) {
	n, err := d.Natural(32)
	return event.Seq(n), err
}

// duration reads milliseconds, to the nearest nanosecond.
func (d *decoder) duration() (time.Duration, error) {
	text, err := d.Number()
	if err != nil {
		return 0, err
	}
	ms, err := strconv.ParseFloat(text, 64)
	ns := math.Round(ms * float64(time.Millisecond))
	if err != nil || ns < math.MinInt64 || ns >= math.MaxInt64 {
		return 0, jsontext.ErrTooLarge
	}
	return time.Duration(ns), nil
}
