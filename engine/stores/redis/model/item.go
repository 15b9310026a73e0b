package model

import (
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/redis/resp"
)

// item is the value of a key: a string, a list or a hash.
type item struct {
	str    string
	list   []string // for a list, which has at least one element
	isList bool
	hash   *hash       // for a hash, which has at least one field
	ends   int64       // in ms by the node's clock; 0 for never
	place  int         // index in volatile, if it expires
	bytes  int         // memory that it uses
	owner  event.Actor // client that wrote it
}

// Overhead in bytes of a key and of an element.
const (
	keyOverhead     = 64
	elementOverhead = 16
)

// field returns the value of a hash's field.
func (i *item) field(name string) resp.Value {
	if i == nil {
		return resp.Value{}
	}
	v, there := i.hash.fields[name]
	if !there {
		return resp.Value{}
	}
	return resp.String(v)
}

// text returns the value as the log shows it.
func (i *item) text() string {
	if i.isString() {
		return preview(i.str)
	}
	var room [event.MaxText]byte
	if i.isList {
		b := append(room[:0], '[')
		for n, e := range i.list {
			if n > 0 {
				b = append(b, ' ')
			}
			if b = append(b, e...); len(b) > event.MaxText {
				break
			}
		}
		return event.Preview(append(b, ']'))
	}
	b := append(room[:0], '{')
	for n, f := range i.hash.order {
		if n > 0 {
			b = append(b, ", "...)
		}
		b = append(append(append(b, f...), ' '), i.hash.fields[f]...)
		if len(b) > event.MaxText {
			break
		}
	}
	return event.Preview(append(b, '}'))
}

func (i *item) isString() bool { return !i.isList && i.hash == nil }

// kind returns the item's TYPE.
func (i *item) kind() string {
	switch {
	case i.isList:
		return "list"
	case i.hash != nil:
		return "hash"
	}
	return "string"
}

// preview returns the start of a text.
func preview(s string) string {
	if len(s) <= event.MaxText && utf8.ValidString(s) {
		return s
	}
	return event.Preview([]byte(s))
}
