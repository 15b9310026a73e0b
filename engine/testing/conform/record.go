package conform

import "strings"

// Record returns rounds as a script with replies: each round, and then, indented, its results. Parse ignores the
// results.
func Record(rounds []Round) string {
	var b strings.Builder
	for i, r := range rounds {
		if i > 0 && apart(rounds[i-1].Steps, r.Steps) {
			b.WriteString("--\n")
		}
		for i := range r.Steps {
			b.WriteString(r.Steps[i].String())
			b.WriteByte('\n')
		}
		for _, line := range r.Lines {
			b.WriteString("    " + line + "\n")
		}
	}
	return b.String()
}

// apart reports whether two successive rounds would be one without a Break between them.
func apart(a, b []Step) bool {
	return len(Script{a[len(a)-1], b[0]}.rounds()) == 1
}
