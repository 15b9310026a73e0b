package scene

import "strings"

// command shortens a request to a node: to a text without most of its arguments, and to one word.
func (w *writer) command(text string) (long, short string) {
	word, rest, _ := strings.Cut(text, " ")
	second, _, _ := strings.Cut(rest, " ")
	switch word {
	case "EVAL", "EVALSHA": // the second word names the script
		return w.pair(word, second), w.clean(second)
	case "SET":
		w.buf = append(w.buf, word...)
		for _, flag := range [...]string{"NX", "XX", "GET"} {
			if hasWord(rest, flag) {
				w.say(" ", flag)
			}
		}
		return w.label(), word
	case "SELECT":
		switch {
		case strings.Contains(rest, "FOR UPDATE"):
			return "SELECT … FOR UPDATE", "FOR UPDATE"
		case strings.Contains(second, "("): // the function that it calls
			name, _, _ := strings.Cut(second, "(")
			return w.clean(name), word
		}
	case "lease":
		return w.pair(word, second), w.clean(second)
	}
	return w.clean(word), w.clean(word)
}

func (w *writer) pair(a, b string) string {
	w.buf = append(clean(w.buf, a), ' ')
	w.buf = clean(w.buf, b)
	return w.label()
}

func (w *writer) clean(s string) string { return w.tidied(s).label() }

// tidied appends a text without unsafe characters to the label in w.buf.
func (w *writer) tidied(s string) *writer {
	w.buf = clean(w.buf, s)
	return w
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
