package resp

import (
	"strconv"
	"strings"
)

// Append appends a value in wire format.
func Append(b []byte, v Value) []byte {
	switch v.Kind {
	case NilArray:
		return append(b, "*-1\r\n"...)
	case Status:
		return appendLine(b, '+', v.Str)
	case Error:
		return appendLine(b, '-', v.Str)
	case Integer:
		return append(strconv.AppendInt(append(b, ':'), v.Int, 10), '\r', '\n')
	case Bulk:
		return appendBulk(b, v.Str)
	case Array:
		b = appendLength(b, '*', len(v.List))
		for _, e := range v.List {
			b = Append(b, e)
		}
		return b
	}
	return append(b, "$-1\r\n"...)
}

// AppendCommand appends a command in wire format: an array of strings.
func AppendCommand(b []byte, args []string) []byte {
	b = appendLength(b, '*', len(args))
	for _, a := range args {
		b = appendBulk(b, a)
	}
	return b
}

func appendLength(b []byte, kind byte, n int) []byte {
	return append(strconv.AppendInt(append(b, kind), int64(n), 10), '\r', '\n')
}

func appendBulk(b []byte, s string) []byte {
	b = appendLength(b, '$', len(s))
	b = append(b, s...)
	return append(b, '\r', '\n')
}

// appendLine appends a text on one line.
func appendLine(b []byte, kind byte, s string) []byte {
	b = append(b, kind)
	if strings.ContainsAny(s, "\r\n") {
		s = strings.NewReplacer("\r", " ", "\n", " ").Replace(s)
	}
	b = append(b, s...)
	return append(b, '\r', '\n')
}
