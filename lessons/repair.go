package lessons

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/recipes"
)

// Repair asks which lines are missing from a program. Every choice is a recipe, and in the part of their sources
// that is shown they differ only in these lines. So what is shown is what runs.
type Repair struct {
	Around        string   // the first line of the part, which ends where that line's block does
	Before, After []string // what all have around the gap, without error handling
	Choices       []Patch
}

// Patch is one choice: a recipe, with its lines in the gap.
type Patch struct {
	ID     string
	Recipe string
	Lines  []string
	Right  bool // the recipe is no pitfall
}

// Limits of a repair: people read it beside a stage.
const (
	minPatches  = 2
	maxPatches  = 4
	maxGapLines = 6
	maxAround   = 16 // lines
)

type repairFacts struct {
	Around  string       `json:"around"`
	Choices []patchFacts `json:"choices"`
}

type patchFacts struct {
	ID     string `json:"id"`
	Recipe string `json:"recipe"`
}

// repair splits the recipes' sources into common and different lines.
func (f repairFacts) repair() (*Repair, error) {
	if n := len(f.Choices); n < minPatches || n > maxPatches {
		return nil, fmt.Errorf("choices must be between %d and %d, not %d", minPatches, maxPatches, n)
	}
	r := &Repair{Around: f.Around}
	var parts [][]string
	for _, c := range f.Choices {
		from, ok := recipe.Find(c.Recipe)
		if !ok {
			return nil, fmt.Errorf("choice %s: there is no recipe %q", c.ID, c.Recipe)
		}
		part := block(recipes.Source(from.File), f.Around)
		if part == nil {
			return nil, fmt.Errorf("choice %s: %s has no line %q", c.ID, from.File, f.Around)
		}
		if !validAnchor(c.ID) || slices.ContainsFunc(r.Choices, func(p Patch) bool { return p.ID == c.ID }) {
			return nil, fmt.Errorf("choice %q: its name is invalid or a duplicate", c.ID)
		}
		parts = append(parts, part)
		r.Choices = append(r.Choices, Patch{ID: c.ID, Recipe: c.Recipe, Right: from.Cure == ""})
	}
	before := common(parts)
	after := common(reversed(parts, before))
	for i, part := range parts {
		r.Choices[i].Lines = part[before : len(part)-after]
	}
	r.Before, r.After = essential(parts[0][:before]), essential(parts[0][len(parts[0])-after:])
	return r, r.check()
}

// check returns an error for a repair that is unfit to be read, or to be answered.
func (r *Repair) check() error {
	right := 0
	for i, c := range r.Choices {
		if len(c.Lines) > maxGapLines {
			return fmt.Errorf("choice %s: %s differs in %d lines, more than %d", c.ID, c.Recipe, len(c.Lines), maxGapLines)
		}
		for _, other := range r.Choices[:i] {
			if slices.Equal(c.Lines, other.Lines) {
				return fmt.Errorf("choices %s and %s are the same: %s", other.ID, c.ID, strings.Join(c.Lines, "\n"))
			}
		}
		if c.Right {
			right++
		}
	}
	if n := len(r.Before) + len(r.After); n > maxAround {
		return fmt.Errorf("the gap must have at most %[2]d lines around it, not %[1]d", n, maxAround)
	}
	if right == 0 || right == len(r.Choices) {
		return fmt.Errorf("some choices must keep their promises and some must not, but %d of %d do", right, len(r.Choices))
	}
	return nil
}

// block returns the lines of a source from the line first to the end of its block, without comments, and indented
// from that line on; nil if there is none.
func block(source, first string) (lines []string) {
	indent := ""
	for line := range strings.Lines(source) {
		line = strings.TrimRight(line, "\n")
		code := strings.TrimLeft(line, "\t")
		if lines == nil && code != first || strings.HasPrefix(code, "//") || code == "" {
			continue
		}
		if lines == nil {
			indent = line[:len(line)-len(code)]
		}
		line, _, _ = strings.Cut(line, " // ")
		line = strings.TrimPrefix(line, indent)
		lines = append(lines, line)
		if line == "}" {
			break
		}
	}
	return lines
}

// essential returns lines without those that only pass on an error, or ask again after a lost connection.
func essential(lines []string) (out []string) {
	for i := 0; i < len(lines); i++ {
		switch strings.TrimLeft(lines[i], "\t") {
		case "if err != nil {", "if kit.Unknown(err) {":
			if i+2 < len(lines) && strings.TrimLeft(lines[i+2], "\t") == "}" {
				i += 2
				continue
			}
		}
		out = append(out, lines[i])
	}
	return out
}

// common returns the number of lines that all the parts begin with.
func common(parts [][]string) int {
	n := 0
	for ; n < len(parts[0]); n++ {
		for _, part := range parts {
			if n >= len(part) || part[n] != parts[0][n] {
				return n
			}
		}
	}
	return n
}

// reversed returns the parts without their first lines, in reverse.
func reversed(parts [][]string, without int) [][]string {
	var out [][]string
	for _, part := range parts {
		rest := slices.Clone(part[without:])
		slices.Reverse(rest)
		out = append(out, rest)
	}
	return out
}

// PageRepair is a Repair with its words.
type PageRepair struct {
	ID            string // the step's anchor
	Text          string
	Before, After []string
	Choices       []PagePatch
}

// PagePatch is a Patch with its words.
type PagePatch struct {
	Patch
	Label, Why string
}

func (f *filler) repair(facts *Step, words *StepProse) *PageRepair {
	r := &PageRepair{
		ID: facts.Anchor, Text: f.plain(words.Repair), Before: facts.Repair.Before, After: facts.Repair.After,
	}
	for _, c := range facts.Repair.Choices {
		a := words.Patches[c.ID]
		r.Choices = append(r.Choices, PagePatch{c, f.plain(a.Label), f.plain(a.Why)})
	}
	return r
}
