package lessons_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/zkviz/zkviz/lessons"
)

const (
	asks       = `"ask": {"measure": "clients", "marks": ["zxid *"], "choices": [{"id": "a", "value": "4"}, {"id": "b", "value": "5"}]}`
	challenges = `"challenge": {"rule": "belief-exclusion", "par": 1, "solution": ["pause client-1 at 5s for 20s"]}`
	tries      = `"try": [{"id": "a", "recipe": "children-lock", "clients": 100}]`
	repairs    = `"repair": {"around": "for {", "choices": [{"id": "a", "recipe": "predecessor-lock"},
		{"id": "b", "recipe": "no-second-look"}]}`
	orders = `"order": [{"id": "a", "kind": "client.started", "client": 1},
		{"id": "b", "kind": "client.started", "client": 2}, {"id": "c", "kind": "client.started", "client": 3},
		{"id": "d", "kind": "client.started", "client": 4}]`
	pairs = `"beside": {"recipe": "unique-lock"}`
)

// times returns a text of n words.
func times(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }

func TestProse(t *testing.T) {
	for _, c := range []struct{ facts, old, new, refused string }{
		{asks, "Two\nWords.", "Two\n" + times(60), ""},
		{asks, "Two\nWords.", "Two\n" + times(59) + " {= clients}", ""},
		{asks, "Two\nWords.", "Two\n" + times(59) + " don't", ""},
		{asks, "Two\nWords.", "Two\n" + strings.Repeat("字", 120), ""},
		{asks, "Two\nWords.", "Two\n\n*Words* and `words`.\n\n- One\n- Two\n", ""},
		{asks, "A | Yes.", "A |\n  Yes.", ""},
		{asks, "A | Yes.", "A\n  and A | Yes.", ""},
		{asks, "A | Yes.", times(40) + " | Yes.", ""},

		{asks, "# Title\n", "", ":1: the file must start with its title: # Title"},
		{asks, "# Title\n", "\n\n# Title\n", ""},
		{asks, "# Title\n", "# Title\n# Title\n", ":2: a second title"},
		{asks, "Lede.\n", "", ": a title, and a sentence below it"},
		{asks, "## s2: Two", "## s2 Two", ":7: a step's heading must be like ## anchor: Title"},
		{asks, "## s2: Two", "## S2: Two", ":7: a step's heading must be like ## anchor: Title"},
		{asks, "## s2: Two", "## s1: Two", ":7: step s1: the facts have step s2 here"},
		{asks, "## s3: More", "## s4: More", ":13: step s4: the facts have step s3 here"},
		{asks, "## s7: More\nWords and [source](recipe:children-lock).", "", ": step s7 is missing"},
		{asks, "Two\nWords.", "Two", ":7: step s2: the step has no text"},
		{asks, "Two\nWords.", "Two\n" + times(61), ":7: step s2: the step has 61 words; nobody reads more than 60"},
		{asks, "Two\nWords.", "Two\n" + strings.Repeat("字", 121), ":7: step s2: the step has 61 words; nobody reads more"},
		{asks, "Two\nWords.", "Two\nof 01234567\nWords.",
			":7: step s2: the source is not a translation: remove the line 'of 01234567'"},
		{asks, "Two\nWords.", "Two\nWords.\nof 01234567", ""},
		{asks, "Two\nWords.", "Two\n> Words.", ":7: step s2: words hold paragraphs"},
		{asks, "Which?", times(41), "more than 40"},
		{asks, "Which?", times(40), ""},
		{asks, "### ask: Which?\n- a: A | Yes.\n- b: B | No.\n", "",
			":7: step s2: ask: it must be in both the facts and the words, or in neither"},
		{asks, "### ask:", "### question:",
			":9: inside a step only ### ask: …, ### challenge: …, ### try: …, ### repair: …, " +
				"### order: …, ### vary: … and ### beside: … are allowed"},
		{asks, "Lede.", "### ask: Which?", ":2: inside a step only ### ask: …"},
		{asks, "- b: B | No.", "- b: B | No.\n### ask: Which?\n- a: A | Yes.", ":12: step s2: a second ### ask"},
		{asks, "- b: B", "- a: B", `:11: duplicate name "a"`},
		{asks, "- b: B", "- c: B", ":7: step s2: ask: the words for b are missing"},
		{asks, "- b: B | No.", "- b: B | No.\n- c: C | No.", ":7: step s2: ask: c is not in the facts"},
		{asks, "A | Yes.", "A", ":10: step s2: choice a: after its label there is |"},
		{asks, "A | Yes.", "A | ", ":10: step s2: choice a: after its label there is |"},
		{asks, "- a: A", "\nand\n- a: A", ":11: under ### ask there must be a list: - name: text"},
		{asks, "- a: A | Yes.", "- a: A | Yes.\n\nand", ":12: under ### ask there must be a list: - name: text"},

		{challenges, "Break it.", "Break {= clients}.", ""},
		{challenges, "- hint: Pause it.\n", "",
			"step s2: a challenge must have a hint, a text for success, and nothing more"},
		{challenges, "- won: Well done.\n", "",
			"step s2: a challenge must have a hint, a text for success, and nothing more"},
		{challenges, "- won: Well done.", "- won: Well done.\n- lost: Oh.",
			"step s2: a challenge must have a hint, a text for success, and nothing more"},
		{challenges, "- won: Well done.", "- lost: Oh.",
			"step s2: a challenge must have a hint, a text for success, and nothing more"},
		{challenges, "Break it.", times(41), "more than 40"},
		{challenges, "### challenge: Break it.\n- hint: Pause it.\n- won: Well done.\n", "",
			"step s2: challenge: it must be in both the facts and the words"},
		{`"focus": []`, "Two\nWords.", "Two\nWords.\n### challenge: Go.\n- hint: H.\n- won: W.",
			"step s2: challenge: it must be in both the facts and the words"},

		{tries, "- a: Go.", "- b: Go.", "step s2: try: the words for a are missing"},
		{tries, "- a: Go.", "- a: Go.\n- b: Go.", "step s2: try: b is not in the facts"},
		{tries, "- a: Go.", "- a: <b>Go.</b>", "step s2: words hold paragraphs"},
		{tries, "- a: Go.", "- a: {= goes}", "step s2: {= goes}: unknown measure"},
		{tries, "See.", "See {= nothing}.", "step s2: {= nothing}: unknown measure"},
		{tries, "### try: See.\n- a: Go.\n", "", "step s2: try: it must be in both the facts and the words"},

		{repairs, "- a: A | Holds.", "- a: A", "step s2: choice a: after its label there is | and a sentence"},
		{repairs, "- a: A | Holds.\n", "", "step s2: repair: the words for a are missing"},
		{repairs, "- a: A | Holds.", "- a: A | Holds.\n- c: C | Breaks.", "step s2: repair: c is not in the facts"},
		{repairs, "Holds.", times(41), "more than 40"},
		{repairs, "What is missing?", "What is {= nothing}?", "step s2: {= nothing}: unknown measure"},
		{asks, "Two\nWords.", "Two\nWords.\n### repair: What?\n- a: A | Holds.\n",
			"step s2: repair: it must be in both the facts and the words"},

		{orders, "- b: B | Later.", "- b: B", "step s2: choice b: after its label there is | and a sentence"},
		{orders, "- c: C | Later.\n", "", "step s2: order: the words for c are missing"},
		{orders, "- d: D | Later.", "- d: D | Later.\n- e: E | Later.", "step s2: order: e is not in the facts"},
		{orders, "- d: D | Later.", "- d: D | " + times(41), "more than 40"},
		{orders, "- d: D | Later.", "- d: <b>D</b> | Later.", "step s2: words hold paragraphs"},
		{orders, "- d: D | Later.", "- d: {= nothing} | Later.", "step s2: {= nothing}: unknown measure"},
		{orders, "What was first?", times(41), "more than 40"},
		{asks, "Two\nWords.", "Two\nWords.\n### order: What?\n- a: A | First.\n",
			"step s2: order: it must be in both the facts and the words"},

		{pairs, "Loud | Quiet", "Loud, and | Quiet?", ""},
		{pairs, "### beside: Loud | Quiet\n", "", "step s2: beside: it must be in both the facts and the words"},
		{pairs, "Loud | Quiet", "Loud", "step s2: ### beside: names the lesson's run, and after | the one beside it"},
		{pairs, "Loud | Quiet", "Loud | Quiet\n- a: A", "step s2: ### beside: names the lesson's run"},
		{pairs, "Loud | Quiet", "Loud | <b>Quiet</b>", "step s2: words hold paragraphs"},
		{asks, "Two\nWords.", "Two\nWords.\n### beside: Loud | Quiet",
			"step s2: beside: it must be in both the facts and the words"},

		{asks, "Two\nWords.", "Two\n[a](http://example.com)", `the link "http://example.com" leads nowhere`},
		{asks, "Two\nWords.", "Two\n[a](https://example.com) [b](page:zoo) [c](run:recipe=barrier&clients=3)", ""},
		{asks, "Two\nWords.", "Two\n[a](page:lab)", `the link "page:lab" leads nowhere`},
		{asks, "Two\nWords.", "Two\n[a](run:recipe=barrel)", `there is no recipe "barrel"`},
		{asks, "s7: More\nWords and [source](recipe:children-lock).", "s7: More\nWords.",
			": step s7: the last step must link to (recipe:children-lock)"},
	} {
		m := oneLesson(c.facts)
		replace(t, m, "one/en.md", c.old, c.new)
		_, err := lessons.Load(m)
		switch {
		case c.refused == "" && err != nil:
			t.Errorf("%q for %q is refused: %v", c.new, c.old, err)
		case c.refused == "":
		case !refuses(err, "one/en.md:", c.refused):
			t.Errorf("%q for %q: the error is %v, which does not say %q", c.new, c.old, err, c.refused)
		}
	}
}

func TestFilesAndFolders(t *testing.T) {
	for _, c := range []struct{ from, to, refused string }{
		{"one/facts.json", "two/facts.json", "course.txt:1: there is no lesson one: no folder of that name has a facts.json"},
		{"one/facts.json", "one/fact.json", "course.txt:1: there is no lesson one: no folder of that name has a facts.json"},
		{"course.txt", "course.md", "open course.txt: "},
		{"one/en.md", "one/de.md",
			"one/de.md:4: step s1: a translation must say below the heading what it translates"},
		{"one/en.md", "one/eng.md", "one/eng.md: a prose file must be named after its language, like en.md"},
	} {
		m := oneLesson(asks)
		m[c.to] = m[c.from]
		delete(m, c.from)
		if _, err := lessons.Load(m); err == nil || !strings.HasPrefix(worded(err), c.refused) {
			t.Errorf("%s as %s: the error is %v, not %q", c.from, c.to, err, c.refused)
		}
	}
	for course, want := range map[string]string{
		"a:\n\tone introduction # \n":   "course.txt:2: a line must be a part like line:, a lesson's folder like the-herd",
		"01-one\n":                      "course.txt:1: a line must be a part",
		"one\n\n# again\none\n":         "course.txt:4: duplicate lesson one",
		"one\ntwo introduction\n":       "course.txt:2: a line must be a part",
		"a:\none\nb:\ntwo\na:\nthree\n": `course.txt:5: duplicate part "a"`,
		"two\nthree\n":                  "one: course.txt doesn't list it: add a line one",
		"# nothing\n":                   "course.txt: no lesson is named",
	} {
		m := oneLesson(asks)
		for _, slug := range []string{"two", "three"} {
			m[slug+"/facts.json"], m[slug+"/en.md"] = m["one/facts.json"], m["one/en.md"]
		}
		m["course.txt"] = &fstest.MapFile{Data: []byte(course)}
		if _, err := lessons.Load(m); err == nil || !strings.HasPrefix(worded(err), want) {
			t.Errorf("course %q: the error is %v, not %q", course, err, want)
		}
	}
}

// TestLargeFilesAreRefused: files over 64 KiB, both facts and words.
func TestLargeFilesAreRefused(t *testing.T) {
	const most = 64 << 10
	for _, name := range []string{"one/facts.json", "one/en.md"} {
		m := oneLesson(asks)
		old := m[name].Data
		m[name].Data = append(slices.Clone(old), strings.Repeat("\n", most-len(old))...)
		if _, err := lessons.Load(m); err != nil {
			t.Errorf("%s of %d bytes: %v", name, most, err)
		}
		m[name].Data = append(m[name].Data, '\n')
		if _, err := lessons.Load(m); err == nil || worded(err) != name+": larger than 65536 bytes" {
			t.Errorf("%s of %d bytes: the error is %v", name, most+1, err)
		}
	}
}
