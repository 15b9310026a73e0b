package scene

import "strings"

// command shortens a request to a node: to a text without most of its arguments, and to one word.
func (l *Layout) command(text string) (long, short string) {
	word, rest, _ := strings.Cut(text, " ")
	second, _, _ := strings.Cut(rest, " ")
	switch word {
	case "EVAL", "EVALSHA": // the second word names the script
		return l.pair(word, second), l.clean(second)
	case "SET":
		l.buf = append(l.buf, word...)
		for _, flag := range [...]string{"NX", "XX", "GET"} {
			if hasWord(rest, flag) {
				l.say(" ", flag)
			}
		}
		return l.label(), word
	case "SELECT":
		switch {
		case strings.Contains(rest, "FOR UPDATE"):
			return "SELECT … FOR UPDATE", "FOR UPDATE"
		case strings.Contains(second, "("): // the function that it calls
			name, _, _ := strings.Cut(second, "(")
			return l.clean(name), word
		}
	case "lease":
		return l.pair(word, second), l.clean(second)
	}
	return l.clean(word), l.clean(word)
}

func (l *Layout) pair(a, b string) string {
	l.buf = append(clean(l.buf, a), ' ')
	l.buf = clean(l.buf, b)
	return l.label()
}

func (l *Layout) clean(s string) string {
	l.buf = clean(l.buf, s)
	return l.label()
}

// hasWord reports whether a text contains a word other than as its first.
func hasWord(text, word string) bool {
	for {
		i := strings.IndexByte(text, ' ')
		if i < 0 {
			return false
		}
		text = text[i+1:]
		if next, _, _ := strings.Cut(text, " "); strings.EqualFold(next, word) {
			return true
		}
	}
}
