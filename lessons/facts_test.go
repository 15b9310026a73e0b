package lessons_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/zkviz/zkviz/lessons"
)

// oneLesson is a shelf with one lesson of seven steps, four clients and the recipe children-lock. Its second step
// consists of these parts of facts.json, and has the words that they need: choices and buttons are called a and b.
func oneLesson(parts string) fstest.MapFS {
	steps := []string{`{"anchor": "s1", "until": {"blocked": 1}}`, `{"anchor": "s2", ` + parts + `}`}
	words := "# Title\nLede.\n\n## s1: One\nWords.\n\n## s2: Two\nWords.\n"
	for _, part := range []struct{ name, words string }{
		{"ask", "Which?\n- a: A | Yes.\n- b: B | No.\n"},
		{"challenge", "Break it.\n- hint: Pause it.\n- won: Well done.\n"},
		{"try", "See.\n- a: Go.\n"},
	} {
		if strings.Contains(parts, `"`+part.name+`":`) {
			words += "### " + part.name + ": " + part.words
		}
	}
	for n := 3; n <= 7; n++ {
		steps = append(steps, fmt.Sprintf(`{"anchor": "s%d"}`, n))
		words += fmt.Sprintf("\n## s%d: More\nWords and [source](recipe:children-lock).\n", n)
	}
	facts := `{"recipe": "children-lock", "scenario": {"clients": 4}, "steps": [` + strings.Join(steps, ",\n") + `]}`
	return fstest.MapFS{
		"01-one/facts.json": &fstest.MapFile{Data: []byte(facts)},
		"01-one/en.md":      &fstest.MapFile{Data: []byte(words)},
	}
}

// TestFacts reads testdata/facts.txt: parts of a step, and after those that are refused "! " and what the error says.
func TestFacts(t *testing.T) {
	text, err := os.ReadFile("testdata/facts.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for i, parts := range lines {
		if parts == "" || strings.HasPrefix(parts, "# ") || strings.HasPrefix(parts, "! ") {
			continue
		}
		refused := false
		if i+1 < len(lines) {
			var want string
			if want, refused = strings.CutPrefix(lines[i+1], "! "); refused {
				_, err := lessons.Load(oneLesson(parts))
				if err == nil || !strings.HasPrefix(err.Error(), "01-one/facts.json:") || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: the error is %v, which does not say %q", parts, err, want)
				}
			}
		}
		if _, err := lessons.Load(oneLesson(parts)); err != nil && !refused {
			t.Errorf("%s is refused: %v", parts, err)
		}
	}
}
