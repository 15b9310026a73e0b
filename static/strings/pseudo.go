package strings

import (
	"regexp"
	"strings"
)

// Pseudo is the code of a language that shows what a translation would: which words do not come from the language
// files, and where longer ones have no room. Languages does not name it.
const Pseudo = "en-XA"

// The marks that a text of Pseudo is between, with a space on their inner side.
const (
	start = "[!!"
	end   = "!!]"
)

// kept matches what Pseudonym leaves as it is: the place of an argument and, in a lesson's Markdown, computed numbers,
// code, and where a link leads.
var kept = regexp.MustCompile("\\{[^}]*\\}|`[^`]*`|\\]\\([^)]*\\)")

// Pseudonym returns a text of the source language in Pseudo: marked, and by doubled vowels a third longer.
func Pseudonym(text string) string {
	longer := strings.NewReplacer(
		"a", "áá", "e", "éé", "i", "íí", "o", "óó", "u", "úú",
		"A", "ÁÁ", "E", "ÉÉ", "I", "ÍÍ", "O", "ÓÓ", "U", "ÚÚ")
	var b strings.Builder
	from := 0
	for _, at := range kept.FindAllStringIndex(text, -1) {
		b.WriteString(longer.Replace(text[from:at[0]]) + text[at[0]:at[1]])
		from = at[1]
	}
	return start + " " + b.String() + longer.Replace(text[from:]) + " " + end
}

// Unmarked returns what of a text is between no marks of Pseudo, and how many marks are open at its end, of which depth
// were at its start: an argument of a text may have its own.
func Unmarked(text string, depth int) (rest string, open int) {
	for text != "" {
		next := 1
		switch {
		case strings.HasPrefix(text, start):
			depth++
			next = len(start)
		case strings.HasPrefix(text, end):
			depth--
			next = len(end)
		case depth == 0:
			rest += text[:1]
		}
		text = text[next:]
	}
	return strings.TrimSpace(rest), depth
}
