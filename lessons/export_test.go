package lessons

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
