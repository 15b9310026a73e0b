package conform

import (
	"fmt"
	"slices"
	"strings"
)

// Difference is where two servers differ.
type Difference struct {
	Script Script
	Number int   // of the script, in its generator
	Round  int   // the first that differs
	Real   Round // of A, the model
	Got    Round // of B
	Kind   string
	Small  bool // whether Shrink made the script as short as it could
}

// Compare returns the first difference between two plays of one script, nil if there is none.
func Compare(s Script, a, b []Round) *Difference {
	for i := range max(len(a), len(b)) {
		var x, y Round
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if !slices.Equal(x.Lines, y.Lines) {
			return &Difference{Script: s, Round: i, Real: x, Got: y, Kind: kindOf(x.Lines, y.Lines)}
		}
	}
	return nil
}

// kindOf returns a word or two for a difference, by which differences are counted.
func kindOf(a, b []string) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	x, y := lineAt(a, i), lineAt(b, i)
	if len(x) > 1 && len(y) > 1 && x[0] == y[0] && x[1] == y[1] && x[1] != "event" {
		return x[1] + ": " + firstWord(x[2:], y[2:])
	}
	return brief(x) + " / " + brief(y)
}

// lineAt returns the words of the i-th line, the first of them the connection's name, "" for none.
func lineAt(lines []string, i int) []string {
	if i >= len(lines) {
		return []string{"", "nothing"}
	}
	all := strings.Fields(lines[i])
	if len(all) == 1 {
		return []string{"", all[0]}
	}
	return all
}

// firstWord returns the first word that differs, or its key if it has one.
func firstWord(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			continue
		}
		key, _, ok := strings.Cut(a[i], "=")
		if other, _, _ := strings.Cut(b[i], "="); ok && key == other {
			return key
		}
		return a[i] + " / " + b[i]
	}
	return "length"
}

func brief(words []string) string {
	if words = words[1:]; len(words) > 2 {
		words = words[:2]
	}
	return strings.Join(words, " ")
}

// String shows the script and where the two servers differ.
func (d *Difference) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s (script %d, round %d of it)\n", d.Kind, d.Number, d.Round)
	if d.Small {
		b.WriteString(d.Script.String())
	}
	b.WriteString("# where they part:\n")
	for i := range d.Real.Steps {
		for line := range strings.Lines(d.Real.Steps[i].String() + "\n") {
			b.WriteString("#   " + line)
		}
	}
	b.WriteString("# A:\n" + marked(d.Real.Lines, d.Got.Lines))
	b.WriteString("# B:\n" + marked(d.Got.Lines, d.Real.Lines))
	return b.String()
}

// marked returns lines, with a mark at those that differ from the others.
func marked(lines, others []string) string {
	var b strings.Builder
	for i, line := range lines {
		mark := " "
		if i >= len(others) || others[i] != line {
			mark = ">"
		}
		fmt.Fprintf(&b, "# %s %s\n", mark, line)
	}
	return b.String()
}
