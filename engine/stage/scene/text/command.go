package text

import (
	"strings"
)

// Command shortens a request to a node: to a text without most of its arguments, and to one word.
func (w *Writer) Command(s string) (long, short string) {
	word, rest, _ := strings.Cut(s, " ")
	second, _, _ := strings.Cut(rest, " ")
	switch word {
	case "EVAL", "EVALSHA": // the second word names the script
		return w.pair(word, second), w.clean(second)
	case "SET":
		w.buf = append(w.buf, word...)
		for _, flag := range [...]string{"NX", "XX", "GET"} {
			if hasWord(rest, flag) {
				w.Say(" ", flag)
			}
		}
		return w.Label(), word
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

// Gist shortens an SQL statement to what tells it from others: what it sets, and on what condition. The second form
// is for a statement with its result, which repeats the word. The third has only the condition, if there is one.
func (w *Writer) Gist(s string) (forms [3]string) {
	_, set, ok := strings.Cut(s, " SET ")
	if !ok || !strings.HasPrefix(s, "UPDATE ") {
		forms[0], _ = w.Command(s)
		return forms
	}
	set, where, _ := strings.Cut(set, " WHERE ")
	first, _, _ := strings.Cut(set, ", ")
	w.Tidied(first)
	if _, only, ok := strings.Cut(where, " AND "); ok {
		w.Say(" … ").Tidied(only)
		forms[1] = w.Label()
		forms[2] = w.clean(only)
	} else {
		forms[1] = w.Label()
	}
	forms[0] = w.Say("UPDATE … ", forms[1]).Label()
	return forms
}

// Locks shortens a statement that locks rows, to its condition and, in the end, to the column by which it looks for
// them: that decides what it locks. Where even FOR UPDATE must go, a search by the id keeps that instead. ok is false
// for other statements.
func (w *Writer) Locks(s string) (forms [6]string, ok bool) {
	_, where, ok := strings.Cut(s, " WHERE ")
	column, _, one := strings.Cut(where, " = ")
	if !ok || !one || !strings.HasPrefix(s, "SELECT ") || !strings.HasSuffix(where, " FOR UPDATE") {
		return forms, false
	}
	forms = [...]string{
		w.Say("WHERE ").Tidied(where).Label(),
		w.Say("… ").Tidied(where).Label(),
		w.clean(where),
		w.Say("WHERE ").Tidied(column).Say(" = … FOR UPDATE").Label(),
		w.Tidied(column).Say(" = … FOR UPDATE").Label(),
		w.Say("WHERE ").Tidied(column).Say(" = …").Label(),
	}
	if column == "id" {
		forms[5] = ""
	}
	return forms, true
}

func (w *Writer) pair(a, b string) string {
	w.buf = append(Clean(w.buf, a), ' ')
	w.buf = Clean(w.buf, b)
	return w.Label()
}

func (w *Writer) clean(s string) string { return w.Tidied(s).Label() }

// Tidied appends a text without unsafe characters to the label in w.buf.
func (w *Writer) Tidied(s string) *Writer {
	w.buf = Clean(w.buf, s)
	return w
}

// hasWord reports whether a text contains a word other than as its first.
func hasWord(s, word string) bool {
	for {
		i := strings.IndexByte(s, ' ')
		if i < 0 {
			return false
		}
		s = s[i+1:]
		if next, _, _ := strings.Cut(s, " "); strings.EqualFold(next, word) {
			return true
		}
	}
}
