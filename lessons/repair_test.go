package lessons_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run/explore"
	"github.com/zkviz/zkviz/lessons"
	"github.com/zkviz/zkviz/recipes"
)

// patches calls do for every choice of every repair.
func patches(b *lessons.Book, do func(name string, r *lessons.Repair, p lessons.Patch)) {
	for _, l := range b.Lessons {
		for _, s := range l.Steps {
			if s.Repair == nil {
				continue
			}
			for _, p := range s.Repair.Choices {
				do(l.Slug+" "+p.ID, s.Repair, p)
			}
		}
	}
}

// TestRepairsHoldOrBreak: a thousand schedules of each choice confirm its words, and the first that breaks a rule
// is the same each time.
func TestRepairsHoldOrBreak(t *testing.T) {
	broken := map[string]string{
		"two-believe look":           "fenced",
		"two-believe alone":          "fenced",
		"watch-the-lowest lowest":    "one-wakeup",
		"watch-the-lowest first":     "truth-exclusion",
		"no-second-look check":       "truth-exclusion",
		"no-second-look in":          "truth-exclusion",
		"gone-before-watched exists": "progress",
		"gone-before-watched list":   "progress",
		"sorted-by-the-clock text":   "truth-exclusion",
		"sorted-by-the-clock equal":  "progress",
		"counting-together again":    "unique",

		"the-sleeper-in-the-database alone": "no-lost-update",
	}
	count := 0
	patches(open(t), func(name string, _ *lessons.Repair, p lessons.Patch) {
		count++
		r, _ := recipe.Find(p.Recipe)
		result, err := explore.Run(t.Context(), explore.Config{Recipe: r})
		if err != nil {
			t.Fatal(err)
		}
		rule := ""
		if result.Found != nil {
			rule = result.Found.Violation.Rule
		}
		if rule != broken[name] || p.Right != (rule == "") {
			t.Errorf("%s breaks %q, not %q; the page says %t", name, rule, broken[name], p.Right)
		}
	})
	if want := len(broken) + 7; count != want {
		t.Errorf("there are %d choices, not %d", count, want)
	}
}

// TestRepairsShowWhatRuns: the lines shown around the gap and in it are lines of the recipe's source, one after
// another, with nothing but comments and error handling between them.
func TestRepairsShowWhatRuns(t *testing.T) {
	patches(open(t), func(name string, r *lessons.Repair, p lessons.Patch) {
		from, _ := recipe.Find(p.Recipe)
		shown := slices.Concat(r.Before, p.Lines, r.After)
		var code []string
		for line := range strings.Lines(recipes.Source(from.File)) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), "//")
			if line = strings.TrimSpace(line); line != "" {
				code = append(code, line)
			}
		}
		at := max(slices.Index(code, shown[0]), 0)
		for _, line := range shown {
			line = strings.TrimSpace(line)
			for code[at] != line && (code[at] == "if err != nil {" || code[at] == "if kit.Unknown(err) {") {
				at += 3
			}
			if code[at] != line {
				t.Fatalf("%s: %q is shown, and %s has %q there", name, line, from.File, code[at])
			}
			at++
		}
		if shown[len(shown)-1] != "}" || len(p.Lines) == 0 {
			t.Errorf("%s: the block ends with %q, and the gap has %d lines", name, shown[len(shown)-1], len(p.Lines))
		}
	})
}

// TestRepairsOnThePage: the words of each choice are at its lines, and the right one has no favourite place.
func TestRepairsOnThePage(t *testing.T) {
	places := map[int]bool{}
	b := open(t)
	for _, l := range b.Lessons {
		p, _ := b.Page(l.Slug, lessons.Source)
		for i, s := range l.Steps {
			shown := p.Steps[i].Repair
			if s.Repair == nil {
				if shown != nil {
					t.Errorf("%s: step %s has a repair that its facts lack", l.Slug, s.Anchor)
				}
				continue
			}
			if shown.ID != s.Anchor || shown.Text == "" || !slices.Equal(shown.Before, s.Repair.Before) ||
				!slices.Equal(shown.After, s.Repair.After) || len(shown.Choices) != len(s.Repair.Choices) {
				t.Errorf("%s: the repair is %+v", l.Slug, shown)
			}
			for j, c := range shown.Choices {
				words := l.Prose[lessons.Source].Steps[i].Patches[c.ID]
				if c.Label != words.Label || c.Why != words.Why || c.Recipe != s.Repair.Choices[j].Recipe {
					t.Errorf("%s: choice %s is %+v", l.Slug, c.ID, c)
				}
				if c.Right {
					places[j] = true
				}
			}
		}
	}
	if len(places) < 3 {
		t.Errorf("the right choice stands only at %v", places)
	}
}
