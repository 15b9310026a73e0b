package naming

import "github.com/zkviz/zkviz/engine/event/sentence"

// Word returns the key of what znodes are taken for, after "use." in the language files. single means that it is one
// znode, not its children.
func Word(use Use, whose string, single bool) string {
	switch {
	case use == Unknown && single:
		return "single"
	case use == Unknown:
		return "numbers"
	case use == Queue && whose == "":
		return "items"
	}
	return string(use)
}

// Said says what znodes are taken for, and by whose names.
func Said(use Use, whose string, single bool) sentence.Sentence {
	word := sentence.Of("use." + Word(use, whose, single))
	if whose == "" {
		return word
	}
	return sentence.Of("use", sentence.Sentences(word), sentence.Text(whose))
}

// Unsure says how many may hold it, and why for the first.
func Unsure(n int, why Doubt) sentence.Sentence {
	return sentence.Of("hands.unsure", sentence.Number(n), sentence.Sentences(sentence.Of("doubt."+string(why))))
}
