package sql

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// SQL returns the statement as it is sent to the database and shown to people.
func (c *Call) SQL(d Dialect) string {
	var space [192]byte
	return string(c.AppendSQL(space[:0], d))
}

// AppendSQL appends what SQL returns: the statement's text with each $name replaced by an argument.
func (c *Call) AppendSQL(b []byte, d Dialect) []byte {
	text := catalogue[c.Statement].text[d]
	for {
		i := strings.IndexByte(text, '$')
		if i < 0 {
			return append(b, text...)
		}
		b = append(b, text[:i]...)
		end := i + 1 + wordLen(text[i+1:])
		b = c.argument(b, d, text[i+1:end])
		text = text[end:]
	}
}

// argument appends one argument.
func (c *Call) argument(b []byte, d Dialect, name string) []byte {
	switch name {
	case "row":
		return appendString(b, d, c.Row)
	case "text":
		return appendString(b, d, c.Text)
	case "name":
		return appendName(b, c.Row)
	case "n":
		return strconv.AppendInt(b, c.N, 10)
	case "by":
		if c.N < 0 {
			return strconv.AppendUint(append(b, "- "...), uint64(-c.N), 10)
		}
		return strconv.AppendInt(append(b, "+ "...), c.N, 10)
	case "version":
		return strconv.AppendInt(b, c.Version, 10)
	case "us":
		return strconv.AppendInt(b, c.For.Milliseconds()*1000, 10)
	case "ms":
		return strconv.AppendInt(b, c.For.Milliseconds(), 10)
	case "s":
		if c.For == 0 {
			return append(b, "DEFAULT"...)
		}
		return strconv.AppendInt(b, int64((c.For+time.Second-1)/time.Second), 10)
	}
	panic("unknown argument " + name)
}

// appendString appends a quoted text. In MySQL a backslash is an escape.
func appendString(b []byte, d Dialect, s string) []byte {
	b = append(b, '\'')
	for i := range len(s) {
		switch ch := s[i]; {
		case ch == '\'':
			b = append(b, '\'', '\'')
		case ch == '\\' && d == MySQL:
			b = append(b, '\\', '\\')
		case ch == 0: // neither database accepts it
		default:
			b = append(b, ch)
		}
	}
	return append(b, '\'')
}

// appendName appends an identifier, quoted unless it is a plain one.
func appendName(b []byte, s string) []byte {
	plain := s != ""
	for i := range len(s) {
		plain = plain && (s[i] >= 'a' && s[i] <= 'z' || s[i] == '_' || i > 0 && s[i] >= '0' && s[i] <= '9')
	}
	if plain {
		return append(b, s...)
	}
	b = append(b, '"')
	for i := range len(s) {
		if s[i] == '"' {
			b = append(b, '"')
		}
		if s[i] != 0 {
			b = append(b, s[i])
		}
	}
	return append(b, '"')
}

// Path returns the path of the call: table/row, a channel, or "".
func (c *Call) Path() string {
	switch t := c.Statement.Table(); {
	case c.Statement == DeleteJob || c.Statement == LockJob:
		return Path(t, strconv.FormatInt(c.N, 10))
	case t == Jobs:
		return t.String()
	case t != NoTable:
		return Path(t, c.Row)
	case c.Statement == Listen || c.Statement == Notify:
		return c.Row
	}
	return ""
}

// Path returns a row's path in logs.
func Path(t Table, row string) string { return tableNames[t] + "/" + row }

// Arguments returns the names of a statement's arguments: row, or name for a channel, text, n, by for a difference,
// version, and ms, us or s for a time, in this order.
func Arguments(s Statement, d Dialect) (names []string) {
	for _, name := range []string{"row", "name", "text", "n", "by", "version", "ms", "us", "s"} {
		takes := func(part string) bool { return part[:wordLen(part)] == name }
		if slices.ContainsFunc(strings.Split(catalogue[s].text[d], "$")[1:], takes) {
			names = append(names, name)
		}
	}
	return names
}

// wordLen returns the number of letters at the start of a text.
func wordLen(text string) (n int) {
	for n < len(text) && text[n] >= 'a' && text[n] <= 'z' {
		n++
	}
	return n
}
