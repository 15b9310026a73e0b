package page

import (
	"go/scanner"
	"go/token"
	"strings"
)

// GoSource splits Go source into lines of tokens. It never fails: text that isn't Go comes out without colours.
func GoSource(file, text string) Source {
	text = strings.TrimRight(text, "\n")
	class := classes(text)
	var lines []SourceLine
	start := 0
	for n, line := range strings.Split(text, "\n") {
		lines = append(lines, SourceLine{Number: n + 1, Tokens: tokens(line, class[start:start+len(line)])})
		start += len(line) + 1
	}
	return Source{File: file, Lines: lines}
}

// classes returns the class of each byte's token.
func classes(text string) []byte {
	class := make([]byte, len(text))
	set := token.NewFileSet()
	file := set.AddFile("", set.Base(), len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), func(token.Position, string) {}, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return class
		}
		var c byte
		switch {
		case tok.IsKeyword():
			c = 'k'
		case tok == token.COMMENT:
			c = 'c'
		case tok == token.STRING, tok == token.CHAR, tok == token.INT, tok == token.FLOAT:
			c = 's'
		default:
			continue
		}
		from := file.Offset(pos)
		for i := from; i < min(from+len(lit), len(class)); i++ {
			class[i] = c
		}
	}
}

// outdented joins lines without the leading tabs of the first.
func outdented(lines []string) string {
	indent := lines[0][:len(lines[0])-len(strings.TrimLeft(lines[0], "\t"))]
	var out []string
	for _, line := range lines {
		out = append(out, strings.TrimPrefix(line, indent))
	}
	return strings.Join(out, "\n")
}

// tokens joins neighbouring bytes of the same class.
func tokens(line string, class []byte) []Token {
	var out []Token
	for i := 0; i < len(line); {
		j := i
		for j < len(line) && class[j] == class[i] {
			j++
		}
		t := Token{Text: line[i:j]}
		if class[i] != 0 {
			t.Class = string(class[i])
		}
		out = append(out, t)
		i = j
	}
	return out
}

// Source is a recipe's source file.
type Source struct {
	File  string // recipes/children_lock.go
	Lines []SourceLine
}

// SourceLine is one line, split into tokens for colouring.
type SourceLine struct {
	Number int
	Tokens []Token
}

// Token is a piece of a line. Class is "k" for a keyword, "s" for a literal, "c" for a comment, or empty.
type Token struct{ Class, Text string }
