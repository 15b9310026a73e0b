package strings

import (
	"regexp"
	"strings"
)

// Pseudo is the code of a made-up language that shows what a translation would: text that isn't in the language
// files, and places without room for longer text. Languages doesn't list it.
const Pseudo = "en-XA"

// The marks around a text of Pseudo, with a space inside each.
const (
	start = "[!!"
	end   = "!!]"
)

// kept matches what Pseudonym leaves unchanged: arguments and, in Markdown, computed numbers, code and link targets.
var kept = regexp.MustCompile("\\{[^}]*\\}|`[^`]*`|\\]\\([^)]*\\)")

// Pseudonym converts a text of the source language to Pseudo: marked, and longer by doubled vowels.
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

// Unmarked returns the parts of a text outside Pseudo's marks, and the number of open marks at its end, given depth
// at its start. Marks nest, since arguments may have their own.
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
