package lessons

// Measures names all measures, each with what its arguments are.
func Measures() map[string][]string {
	out := map[string][]string{}
	for name, m := range measures {
		out[name] = m.args
	}
	return out
}
