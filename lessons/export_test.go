package lessons

import "fmt"

// Languages returns the book's languages, sorted.
func (b *Book) Languages() []string { return b.languages }

// Measures returns the names of all measures, with the kinds of their arguments.
func Measures() map[string][]string {
	out := map[string][]string{}
	for name, m := range measures {
		out[name] = m.args
	}
	return out
}

// Stale lists the translated steps whose source has changed since, as slug/lang.md: step anchor, with the digest
// for a renewed translation.
func Stale(ls []Lesson) []string {
	var out []string
	for i := range ls {
		l := &ls[i]
		for _, lang := range sortedKeys(l.Prose) {
			for j, s := range l.Prose[lang].Steps {
				if d := l.Prose[Source].Steps[j].Digest(); lang != Source && s.Of != d {
					out = append(out, fmt.Sprintf("%s/%s.md:%d: step %s is stale; the source is now: of %s",
						l.Slug, lang, s.line, s.Anchor, d))
				}
			}
		}
	}
	return out
}
