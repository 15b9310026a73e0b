package event

import (
	"strconv"
	"unicode/utf8"
)

// AppendJSON appends e to dst as one JSON object on one line, without the newline. It omits zero fields and keeps the
// order of the fields, so equal events give equal bytes. It is written by hand because encoding/json would add 0.5 MB
// to a page. Bytes that are not UTF-8 become U+FFFD.
func AppendJSON(dst []byte, e Event) []byte {
	dst = append(dst, `{"seq":`...)
	dst = strconv.AppendUint(dst, uint64(e.Seq), 10)
	dst = append(dst, `,"at_ns":`...)
	dst = strconv.AppendInt(dst, int64(e.At), 10)
	dst = appendName(dst, "kind", e.Kind.String())
	dst = appendInt(dst, "cause", int64(e.Cause))
	dst = appendActor(dst, "actor", e.Actor)
	dst = appendActor(dst, "peer", e.Peer)
	if e.Op != NoOp {
		dst = appendName(dst, "op", e.Op.String())
	}
	if e.Watch != NoWatch {
		dst = appendName(dst, "watch", e.Watch.String())
	}
	if e.Reason != NoReason {
		dst = appendName(dst, "reason", e.Reason.String())
	}
	if e.Type != 0 {
		dst = appendName(dst, "type", TypeName(e.Type))
	}
	if e.Mode != 0 {
		dst = appendName(dst, "mode", ModeName(e.Mode))
	}
	dst = appendString(dst, "path", e.Path)
	dst = appendString(dst, "text", e.Text)
	dst = appendInt(dst, "zxid", e.Zxid)
	if e.Session != 0 {
		dst = append(dst, `,"session":"`...)
		dst = appendSession(dst, e.Session)
		dst = append(dst, '"')
	}
	dst = appendInt(dst, "n", e.N)
	dst = appendInt(dst, "code", int64(e.Code))
	dst = appendInt(dst, "line", int64(e.Line))
	return append(dst, '}')
}

// appendSession writes a session number as ZooKeeper's tools do. It is not a JSON number because many readers lose
// precision beyond 53 bits.
func appendSession(dst []byte, id int64) []byte {
	dst = append(dst, "0x"...)
	return strconv.AppendUint(dst, uint64(id), 16)
}

func appendInt(dst []byte, key string, v int64) []byte {
	if v == 0 {
		return dst
	}
	dst = appendKey(dst, key)
	return strconv.AppendInt(dst, v, 10)
}

func appendString(dst []byte, key, s string) []byte {
	if s == "" {
		return dst
	}
	return AppendQuoted(appendKey(dst, key), s)
}

// appendActor appends a unless it is ZooKeeper.
func appendActor(dst []byte, key string, a Actor) []byte {
	if a == ZooKeeper {
		return dst
	}
	return appendName(dst, key, a.String())
}

// appendName appends one of this package's names, which need no escapes.
func appendName(dst []byte, key, name string) []byte {
	dst = append(appendKey(dst, key), '"')
	dst = append(dst, name...)
	return append(dst, '"')
}

func appendKey(dst []byte, key string) []byte {
	dst = append(dst, ',', '"')
	dst = append(dst, key...)
	return append(dst, '"', ':')
}

// AppendQuoted appends s to dst as a JSON string. Like encoding/json, it also escapes what would end a script element
// or a line of JavaScript, since paths and data come from strangers.
func AppendQuoted(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			switch {
			case r == utf8.RuneError && n == 1:
				dst = append(dst, `\ufffd`...)
			case r == '\u2028' || r == '\u2029':
				dst = append(dst, `\u202`...)
				dst = append(dst, hex[r&0xf])
			default:
				dst = append(dst, s[i:i+n]...)
			}
			i += n
			continue
		}
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ' || c == '<' || c == '>' || c == '&' || c == 0x7f:
			dst = append(dst, `\u00`...)
			dst = append(dst, hex[c>>4], hex[c&0xf])
		default:
			dst = append(dst, c)
		}
		i++
	}
	return append(dst, '"')
}

// AppendHeader appends the fields of h to dst as members of a JSON object, each after a comma. It omits zero fields.
func AppendHeader(dst []byte, h Header) []byte { return AppendFields(dst, h.Visit) }

// AppendFields does the same as AppendHeader for any fields that visit visits.
func AppendFields(dst []byte, visit func(Fields)) []byte {
	w := fieldWriter{dst}
	visit(&w)
	return w.dst
}

// fieldWriter implements Fields by writing JSON.
type fieldWriter struct{ dst []byte }

func (w *fieldWriter) Text(name string, v *string) { w.dst = appendString(w.dst, name, *v) }
func (w *fieldWriter) Int(name string, v *int64)   { w.dst = appendInt(w.dst, name, *v) }

func (w *fieldWriter) Number(name string, v *uint64) {
	if *v != 0 {
		w.dst = appendString(w.dst, name, strconv.FormatUint(*v, 10))
	}
}

func (w *fieldWriter) Bool(name string, v *bool) {
	if *v {
		w.dst = append(appendKey(w.dst, name), "true"...)
	}
}

func (w *fieldWriter) Texts(name string, v *[]string) {
	if len(*v) == 0 {
		return
	}
	w.dst = append(appendKey(w.dst, name), '[')
	for i, s := range *v {
		if i > 0 {
			w.dst = append(w.dst, ',')
		}
		w.dst = AppendQuoted(w.dst, s)
	}
	w.dst = append(w.dst, ']')
}

func (w *fieldWriter) List(name string, n int, each func(int, Fields)) int {
	if n == 0 {
		return 0
	}
	w.dst = append(appendKey(w.dst, name), '[')
	for i := range n {
		if i > 0 {
			w.dst = append(w.dst, ',')
		}
		at := len(w.dst)
		each(i, w)
		if len(w.dst) == at {
			w.dst = append(w.dst, ',')
		}
		w.dst[at] = '{' // replaces the first field's comma
		w.dst = append(w.dst, '}')
	}
	w.dst = append(w.dst, ']')
	return n
}
