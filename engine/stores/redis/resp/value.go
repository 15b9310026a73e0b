// Package resp implements Redis's protocol, version 2: its values, and how they are written.
//
// Source: redis.io, "Redis serialization protocol specification".
package resp

import (
	"math"
	"strconv"
)

// Kind is the type of a Value.
type Kind uint8

const (
	Nil      Kind = iota // no string
	NilArray             // no array
	Status               // a short word, such as OK
	Error                // its first word is the error code, such as WRONGTYPE
	Integer
	Bulk // a string of any bytes
	Array
)

// Value is one value.
type Value struct {
	Kind Kind
	Str  string // for a Status, an Error and a Bulk
	Int  int64
	List []Value // for an Array
}

// OK returns the status of success.
func OK() Value { return Value{Kind: Status, Str: "OK"} }

// Int returns an integer.
func Int(n int64) Value { return Value{Kind: Integer, Int: n} }

// String returns a string of any bytes.
func String(s string) Value { return Value{Kind: Bulk, Str: s} }

// Err returns an error with that text.
func Err(text string) Value { return Value{Kind: Error, Str: text} }

// List returns an array.
func List(values ...Value) Value { return Value{Kind: Array, List: values} }

// String returns the value on one line for people: OK, (nil), 1 for (integer) 1, a string in quotes if it needs them,
// an array in brackets.
func (v Value) String() string { return string(v.Show(nil)) }

// Show appends what String returns.
func (v Value) Show(b []byte) []byte { return v.ShowUpTo(b, math.MaxInt) }

// ShowUpTo is Show that stops soon after b exceeds most bytes.
func (v Value) ShowUpTo(b []byte, most int) []byte {
	switch v.Kind {
	case Status, Error:
		return append(b, v.Str[:min(len(v.Str), most)]...)
	case Integer:
		return strconv.AppendInt(b, v.Int, 10)
	case Bulk:
		return ShowWord(b, v.Str[:min(len(v.Str), most)])
	case Array:
		b = append(b, '[')
		for i, e := range v.List {
			if len(b) > most {
				return b
			}
			if i > 0 {
				b = append(b, ' ')
			}
			b = e.ShowUpTo(b, most)
		}
		return append(b, ']')
	}
	return append(b, "(nil)"...)
}

// ShowWord appends a string as a person types it: in quotes if it needs them.
func ShowWord(b []byte, s string) []byte {
	plain := s != ""
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] > ' ' && s[i] < 0x7f && s[i] != '"' && s[i] != '\''
	}
	if plain {
		return append(b, s...)
	}
	return strconv.AppendQuote(b, s)
}
