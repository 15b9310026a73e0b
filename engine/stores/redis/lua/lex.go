package lua

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// kind is the kind of a token: one of these, or the keyword or operator itself.
type kind string

const (
	theEnd   kind = "<eof>"
	aName    kind = "<name>"
	aString  kind = "<string>"
	aNumber  kind = "<number>"
	mostNear      = 80 // maximum bytes of a token in an error
)

var keywords = []string{"and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in", "local",
	"nil", "not", "or", "repeat", "return", "then", "true", "until", "while"}

// token is a lexical token of a script.
type token struct {
	kind kind
	text string // a name, or the value of a string
	num  float64
	line int
	from int // offset in the script
	end  int
}

// lexer splits a script into tokens.
type lexer struct {
	src  string
	at   int
	line int
}

// syntaxError is the parser's panic.
type syntaxError string

func (x *lexer) fail(line int, near, format string, args ...any) {
	text := fmt.Sprintf("user_script:%d: ", line) + fmt.Sprintf(format, args...)
	if near != "" {
		text += " near '" + near[:min(len(near), mostNear)] + "'"
	}
	panic(syntaxError(text))
}

func (x *lexer) peek(ahead int) byte {
	if x.at+ahead < len(x.src) {
		return x.src[x.at+ahead]
	}
	return 0
}

// skip skips whitespace and comments.
func (x *lexer) skip() {
	for x.at < len(x.src) {
		switch c := x.src[x.at]; {
		case c == '\n':
			x.line++
			x.at++
		case c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f':
			x.at++
		case strings.HasPrefix(x.src[x.at:], "--"):
			x.at += 2
			if level := x.bracket(); level >= 0 {
				x.long(level, "comment")
				continue
			}
			for x.at < len(x.src) && x.src[x.at] != '\n' {
				x.at++
			}
		default:
			return
		}
	}
}

// bracket returns the number of = in a long bracket that begins here, or -1.
func (x *lexer) bracket() int {
	if x.peek(0) != '[' {
		return -1
	}
	n := 0
	for x.peek(n+1) == '=' {
		n++
	}
	if x.peek(n+1) != '[' {
		return -1
	}
	return n
}

// long reads the contents of a long bracket.
func (x *lexer) long(level int, what string) string {
	x.at += level + 2
	end := "]" + strings.Repeat("=", level) + "]"
	n := strings.Index(x.src[x.at:], end)
	if n < 0 {
		x.line += strings.Count(x.src[x.at:], "\n")
		x.fail(x.line, string(theEnd), "unfinished long %s", what)
	}
	text := x.src[x.at : x.at+n]
	x.at += n + len(end)
	x.line += strings.Count(text, "\n")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.TrimPrefix(text, "\n")
}

// next returns the next token.
func (x *lexer) next() token {
	x.skip()
	t := token{line: x.line, from: x.at}
	c := x.peek(0)
	switch {
	case x.at >= len(x.src):
		t.kind = theEnd
	case c == '"' || c == '\'':
		t.kind, t.text = aString, x.quoted(c)
	case c == '[' && x.bracket() >= 0:
		t.kind, t.text = aString, x.long(x.bracket(), "string")
		t.line = x.line
	case isDigit(c) || c == '.' && isDigit(x.peek(1)):
		t.kind, t.num = aNumber, x.number()
	case isLetter(c):
		for isLetter(x.peek(0)) || isDigit(x.peek(0)) {
			x.at++
		}
		t.kind, t.text = aName, x.src[t.from:x.at]
		if _, is := slices.BinarySearch(keywords, t.text); is {
			t.kind = kind(t.text)
		}
	default:
		t.kind = x.sign()
	}
	t.end = x.at
	return t
}

// sign reads an operator or a bracket.
func (x *lexer) sign() kind {
	for _, s := range []string{"...", "..", "==", "~=", "<=", ">="} {
		if strings.HasPrefix(x.src[x.at:], s) {
			x.at += len(s)
			return kind(s)
		}
	}
	x.at++
	return kind(x.src[x.at-1 : x.at])
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }

func (x *lexer) number() float64 {
	from := x.at
	for isDigit(x.peek(0)) || x.peek(0) == '.' {
		x.at++
	}
	if c := x.peek(0); c == 'e' || c == 'E' {
		x.at++
		if c := x.peek(0); c == '+' || c == '-' {
			x.at++
		}
	}
	for isLetter(x.peek(0)) || isDigit(x.peek(0)) {
		x.at++
	}
	n, ok := parseNumber(x.src[from:x.at])
	if !ok {
		x.fail(x.line, x.src[from:x.at], "malformed number")
	}
	return n
}

// quoted reads a quoted string.
func (x *lexer) quoted(quote byte) string {
	from := x.at
	x.at++
	var b strings.Builder
	for {
		if x.at >= len(x.src) {
			x.fail(x.line, string(theEnd), "unfinished string")
		}
		c := x.src[x.at]
		x.at++
		switch c {
		case quote:
			return b.String()
		case '\n', '\r':
			x.fail(x.line, x.src[from:x.at-1], "unfinished string")
		case '\\':
			x.escape(&b, from)
		default:
			b.WriteByte(c)
		}
	}
}

// escape reads what follows a backslash.
func (x *lexer) escape(b *strings.Builder, from int) {
	if x.at >= len(x.src) {
		return // the string has no end
	}
	c := x.src[x.at]
	x.at++
	if n := strings.IndexByte("abfnrtv", c); n >= 0 {
		b.WriteByte("\a\b\f\n\r\t\v"[n])
		return
	}
	switch {
	case c == '\n':
		x.line++
		b.WriteByte(c)
	case isDigit(c):
		digits := x.at - 1
		for x.at < digits+3 && isDigit(x.peek(0)) {
			x.at++
		}
		n, _ := strconv.Atoi(x.src[digits:x.at])
		if n > 255 {
			x.fail(x.line, x.src[from:digits-1], "escape sequence too large")
		}
		b.WriteByte(byte(n))
	default:
		b.WriteByte(c)
	}
}
