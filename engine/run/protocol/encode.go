package protocol

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// object lists its fields in the order of writing. The same list serves reading and writing.
type object interface{ fields(f field) }

// field receives a field's name, whether it is written when zero, and a pointer to its value: a string, a number, a
// bool, a time.Duration (written in milliseconds), a list, or a map.
type field func(key string, when when, at any)

// when says when a field is written.
type when bool

const (
	unlessZero when = false
	always     when = true
)

// appendObject appends o to dst as JSON, in the form of encoding/json. Unlike there, control characters are always
// written by number, as in events.
func appendObject(dst []byte, o object) []byte {
	dst = append(dst, '{')
	start := len(dst)
	o.fields(func(key string, when when, at any) {
		if when == unlessZero && isZero(at) {
			return
		}
		if len(dst) > start {
			dst = append(dst, ',')
		}
		dst = append(event.AppendQuoted(dst, key), ':')
		dst = appendValue(dst, at)
	})
	return append(dst, '}')
}

func isZero(at any) bool {
	switch v := at.(type) {
	case *string:
		return *v == ""
	case *bool:
		return !*v
	case *int:
		return *v == 0
	case *int64:
		return *v == 0
	case *time.Duration:
		return *v == 0
	case *[]string:
		return len(*v) == 0
	case *map[int]event.Seq:
		return len(*v) == 0
	case *sentence.Sentence:
		return v.Key == ""
	}
	return false
}

func appendValue(dst []byte, at any) []byte {
	switch v := at.(type) {
	case *string:
		return event.AppendQuoted(dst, *v)
	case *bool:
		return strconv.AppendBool(dst, *v)
	case *int:
		return strconv.AppendInt(dst, int64(*v), 10)
	case *int64:
		return strconv.AppendInt(dst, *v, 10)
	case *event.Seq:
		return strconv.AppendUint(dst, uint64(*v), 10)
	case *time.Duration:
		return strconv.AppendFloat(dst, float64(*v)/float64(time.Millisecond), 'f', -1, 64)
	case *[]string:
		return appendList(dst, *v, func(dst []byte, s *string) []byte { return event.AppendQuoted(dst, *s) })
	case *[]Row:
		return appendList(dst, *v, func(dst []byte, r *Row) []byte { return appendObject(dst, r) })
	case *[]Step:
		return appendList(dst, *v, func(dst []byte, s *Step) []byte { return appendObject(dst, s) })
	case *[]promise.Violation:
		return appendList(dst, *v, func(dst []byte, d *promise.Violation) []byte { return appendObject(dst, (*deed)(d)) })
	case *[]event.Actor:
		return appendList(dst, *v, func(dst []byte, a *event.Actor) []byte { return strconv.AppendInt(dst, int64(*a), 10) })
	case *[]sentence.Sentence:
		return appendList(dst, *v, func(dst []byte, s *sentence.Sentence) []byte { return appendVisited(dst, s.Visit) })
	case *map[int]event.Seq:
		return appendCursors(dst, *v)
	case *event.Header:
		return appendVisited(dst, v.Visit)
	case *sentence.Sentence:
		return appendVisited(dst, v.Visit)
	}
	panic(fmt.Sprintf("protocol: a field is a %T", at))
}

// appendVisited appends the fields that visit lists as an object.
func appendVisited(dst []byte, visit func(event.Fields)) []byte {
	start := len(dst)
	if dst = event.AppendFields(dst, visit); len(dst) == start {
		dst = append(dst, '{')
	}
	dst[start] = '{' // replaces the first comma
	return append(dst, '}')
}

func appendList[T any](dst []byte, list []T, add func([]byte, *T) []byte) []byte {
	dst = append(dst, '[')
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = add(dst, &list[i])
	}
	return append(dst, ']')
}

func appendCursors(dst []byte, from map[int]event.Seq) []byte {
	dst = append(dst, '{')
	branches := slices.Collect(maps.Keys(from))
	sort.Slice(branches, func(i, j int) bool { return branches[i] < branches[j] })
	for i, branch := range branches {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		dst = strconv.AppendInt(dst, int64(branch), 10)
		dst = append(dst, '"', ':')
		dst = strconv.AppendUint(dst, uint64(from[branch]), 10)
	}
	return append(dst, '}')
}
