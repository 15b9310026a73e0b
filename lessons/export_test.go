package lessons

// Languages are those of the book, sorted.
func (b *Book) Languages() []string { return b.languages }

// Measures names all measures, each with what its arguments are.
func Measures() map[string][]string {
	out := map[string][]string{}
	for name, m := range measures {
		out[name] = m.args
	}
	return out
}
