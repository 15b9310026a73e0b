package resp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Limits for reading. Redis's own are higher.
const (
	MaxBulk   = 1 << 20  // bytes of a string
	MaxArray  = 1 << 16  // values in an array
	MaxWords  = 1 << 10  // words of a command
	MaxTotal  = 8 << 20  // bytes of a value or a command, each value in it counting at least eachValue
	MaxInline = 64 << 10 // bytes of a command on one line, and of any other line
	MaxDepth  = 8        // arrays in arrays

	eachValue = 64
)

// ProtocolError reports input that isn't RESP, or exceeds a limit: nothing after it can be parsed.
type ProtocolError string

// Error returns the text in Redis's wording.
func (e ProtocolError) Error() string { return "Protocol error: " + string(e) }

// Reader reads values or commands from a stream.
type Reader struct {
	r    *bufio.Reader
	left int // bytes that the current value may still take

	of           *Budget // nil for none
	read, shared int     // bytes of the current command, and how many of them the budget has given
}

// NewReader returns a reader of r.
func NewReader(r io.Reader) *Reader { return &Reader{r: bufio.NewReader(r)} }

// Buffered returns how many bytes have arrived and are unread.
func (r *Reader) Buffered() int { return r.r.Buffered() }

// Value reads one value. The error is io.EOF only if no part of one has arrived.
func (r *Reader) Value() (Value, error) {
	r.left = MaxTotal
	v, err := r.value(0)
	return v, err
}

func (r *Reader) value(depth int) (Value, error) {
	line, err := r.line()
	if err == nil {
		err = r.take(eachValue)
	}
	if err != nil {
		if depth > 0 {
			err = cutShort(err)
		}
		return Value{}, err
	}
	if len(line) == 0 {
		return Value{}, ProtocolError("an empty line where a value begins")
	}
	rest := string(line[1:])
	switch line[0] {
	case '+':
		return Value{Kind: Status, Str: rest}, nil
	case '-':
		return Value{Kind: Error, Str: rest}, nil
	case ':':
		n, err := strconv.ParseInt(rest, 10, 64)
		if err != nil {
			return Value{}, ProtocolError("an integer that is none")
		}
		return Int(n), nil
	case '$':
		return r.bulk(rest)
	case '*':
		return r.array(rest, depth)
	}
	return Value{}, ProtocolError(fmt.Sprintf("a value that begins with %q", line[0]))
}

func (r *Reader) bulk(length string) (Value, error) {
	n, err := strconv.Atoi(length)
	switch {
	case err != nil || n < -1 || n > MaxBulk:
		return Value{}, ProtocolError("invalid bulk length")
	case n == -1:
		return Value{}, nil
	}
	if err := r.take(n + 2); err != nil {
		return Value{}, err
	}
	b := make([]byte, n+2)
	if _, err := io.ReadFull(r.r, b); err != nil {
		return Value{}, cutShort(err)
	}
	if b[n] != '\r' || b[n+1] != '\n' {
		return Value{}, ProtocolError("a string without its end")
	}
	return String(string(b[:n])), nil
}

func (r *Reader) array(length string, depth int) (Value, error) {
	n, err := strconv.Atoi(length)
	switch {
	case err != nil || n < -1 || n > MaxArray:
		return Value{}, ProtocolError("invalid multibulk length")
	case n == -1:
		return Value{Kind: NilArray}, nil
	case depth == MaxDepth:
		return Value{}, ProtocolError("arrays in arrays too deep")
	}
	v := Value{Kind: Array, List: make([]Value, 0, min(n, 64))}
	for range n {
		e, err := r.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		v.List = append(v.List, e)
	}
	return v, nil
}

// Command reads a command: an array of strings, or a line of words. It is empty for an empty line.
func (r *Reader) Command() ([]string, error) {
	r.Free()
	r.left = MaxTotal
	line, err := r.line()
	switch {
	case err != nil:
		return nil, err
	case len(line) == 0:
		return nil, nil
	case line[0] != '*':
		return split(string(line))
	}
	n, err := strconv.Atoi(string(line[1:]))
	if err != nil || n > MaxWords {
		return nil, ProtocolError("invalid multibulk length")
	}
	var args []string
	for range n {
		line, err := r.line()
		if err != nil {
			return nil, cutShort(err)
		}
		if len(line) == 0 || line[0] != '$' {
			got := byte('\r')
			if len(line) > 0 {
				got = line[0]
			}
			return nil, ProtocolError("expected '$', got '" + string(rune(got)) + "'")
		}
		v, err := r.bulk(string(line[1:]))
		if err != nil {
			return nil, err
		}
		if v.Kind == Nil {
			return nil, ProtocolError("invalid bulk length")
		}
		args = append(args, v.Str)
	}
	return args, nil
}

// line reads up to the end of a line, and strips that.
func (r *Reader) line() ([]byte, error) {
	var line []byte
	for {
		part, err := r.r.ReadSlice('\n')
		if len(line)+len(part) > MaxInline {
			return nil, ProtocolError("too big inline request")
		}
		line = append(line, part...)
		switch {
		case err == nil:
			line = line[:len(line)-1]
			if n := len(line); n > 0 && line[n-1] == '\r' {
				line = line[:n-1]
			}
			return line, r.take(len(line))
		case !errors.Is(err, bufio.ErrBufferFull):
			if len(line) > 0 {
				err = cutShort(err)
			}
			return nil, err
		}
	}
}

func (r *Reader) take(n int) error {
	if r.left -= n; r.left < 0 {
		return ProtocolError("too much in one request")
	}
	if !r.share(n) {
		return ProtocolError("too much in the requests of all clients")
	}
	return nil
}

// cutShort converts the error of a stream that ends within a value.
func cutShort(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// split splits a line into words. Quoted ones may contain spaces and, in double quotes, escapes.
func split(line string) ([]string, error) {
	var args []string
	for i := 0; ; {
		for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
			i++
		}
		if i == len(line) {
			return args, nil
		}
		if len(args) == MaxWords {
			return nil, ProtocolError("invalid multibulk length")
		}
		word, next, ok := splitOne(line, i)
		if !ok {
			return nil, ProtocolError("unbalanced quotes in request")
		}
		args, i = append(args, word), next
	}
}

// splitOne returns the word that begins at i, and where the next may begin.
func splitOne(line string, i int) (word string, next int, ok bool) {
	var b []byte
	var quote byte
	for ; i < len(line); i++ {
		c := line[i]
		switch {
		case quote == 0 && (c == ' ' || c == '\t'):
			return string(b), i, true
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote != 0 && c == quote:
			i++
			return string(b), i, i == len(line) || line[i] == ' ' || line[i] == '\t'
		case c == '\\' && quote == '"' && i+1 < len(line):
			n, err := strconv.ParseUint(line[i+2:min(i+4, len(line))], 16, 8)
			if line[i+1] == 'x' && err == nil && i+4 <= len(line) {
				b, i = append(b, byte(n)), i+3
				break
			}
			i++
			b = append(b, unescaped(line[i]))
		case c == '\\' && quote == '\'' && i+1 < len(line) && line[i+1] == '\'':
			i++
			b = append(b, '\'')
		default:
			b = append(b, c)
		}
	}
	return string(b), i, quote == 0
}

func unescaped(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	case 'a':
		return '\a'
	}
	return c
}
