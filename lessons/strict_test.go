package lessons_test

import (
	"context"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/zkviz/zkviz/lessons"
)

// shelf is a copy of the lessons that a test may change.
func shelf(t *testing.T) fstest.MapFS {
	t.Helper()
	m := fstest.MapFS{}
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".json", ".md", ".txt"}, path.Ext(name)) {
			return err
		}
		data, err := os.ReadFile(name)
		m[name] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func replace(t *testing.T, m fstest.MapFS, name, old, new string) {
	t.Helper()
	data := string(m[name].Data)
	if !strings.Contains(data, old) {
		t.Fatalf("%s does not hold %q", name, old)
	}
	m[name] = &fstest.MapFile{Data: []byte(strings.Replace(data, old, new, 1))}
}

func TestFaultsAreNamedByFileAndPlace(t *testing.T) {
	const (
		facts = "the-herd/facts.json"
		words = "the-herd/en.md"
	)
	for _, c := range []struct{ name, file, old, new, want string }{
		{"unknown field", facts, `"focus": ["client-1"]`, `"foccus": ["client-1"]`,
			`facts.json:14: json: unknown field "foccus"`},
		{"broken JSON", facts, `"seed": 1,`, `"seed": 1`, "facts.json:5:"},
		{"duration", facts, `"hold": "10s"`, `"hold": "10"`, `"10" is not a duration`},
		{"recipe", facts, `"recipe": "children-lock",`, `"recipe": "childrens-lock",`, "no recipe"},
		{"clients", facts, `"clients": 6`, `"clients": 0`, `until: there are only 0 clients`},
		{"kind", facts, `"recipe.phase"`, `"recipe.faze"`, `step number: until: unknown kind of event "recipe.faze"`},
		{"empty until", facts, `{"blocked": 5}`, `{}`, "step fan: until: name an event"},
		{"focus", facts, `["client-1"]`, `["client-9"]`, "step number: focus: there is no client-9"},
		{"server in focus", facts, `["client-1"]`, `["server-1"]`, "step number: focus: there is no server-1"},
		{"server", facts, `{"blocked": 5}`, `{"kind": "txn.logged", "server": 1}`,
			"step fan: until: there are only 0 servers to tell apart"},
		{"measure of a server", facts, `woken-by-release/1`, `sync-choice/1`,
			"ask: measure sync-choice/1: there are only 0 servers"},
		{"feat of servers", facts, `"rule": "belief-exclusion"`, `"rule": "two-leaders"`, `"two-leaders" needs servers`},
		{"opens", facts, `"focus": ["client-1"]`, `"opens": ["lob"]`, `step number: opens: there is no panel "lob"`},
		{"measure", facts, `wakeups-by-release"`, `wakeups-by-relief"`,
			`step look: ask: unknown measure "wakeups-by-relief"`},
		{"argument", facts, `woken-by-release/1`, `woken-by-release`, "takes 1 arguments, not 0"},
		{"rule", facts, `"rule": "belief-exclusion"`, `"rule": "barrier"`, `children-lock does not promise "barrier"`},
		{"solution", facts, `"par": 1`, `"par": 2`, "par must be the number of faults in the solution, 1, not 2"},
		{"button", facts, `"clients": 1000`, `"clients": 100000`, "step price: try:"},
		{"choice", words, "- one: One: B, whose", "- won: One: B, whose", "step fan: ask: the words for one are missing"},
		{"no why", words, " | The list has", " The list has", "step fan: choice five: after its label"},
		{"extra step", words, "## look:", "## more: More\nMore.\n\n## look:",
			"en.md:32: step more: the facts have step look here"},
		{"missing step", words, "## look: Five look, one gets in", "", ""},
		{"HTML", words, "A came first.", "A <b>came</b> first.", "step number: words hold paragraphs"},
		{"heading", words, "A came first.", "#### A came first.", "step number: words hold paragraphs"},
		{"image", words, "A came first.", "![A](x)", "step number: words hold paragraphs"},
		{"too long", words, "A came first.", strings.Repeat("A came first. ", 9), "words; nobody reads more than 60"},
		{"link", words, "](lesson:", "](lesson:no-", `the link "lesson:no-`},
		{"script link", words, "(recipe:children-lock)", "(javascript:alert)", `the link "javascript:alert" leads nowhere`},
		{"no link on", words, "(recipe:children-lock)", "(recipe:unique-lock)", "the last step must link to"},
		{"hole", words, "{ten = wakeups-by-arrival}", "{= wakeups-by-surprise}", "unknown measure"},
		{"brace", words, "{ten = wakeups-by-arrival}", "{wakeups}", "a brace must belong to"},
		{"other lesson", words, "{ten = wakeups-by-arrival}", "{= wakeups@99-none}", "there is no lesson 99-none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := shelf(t)
			replace(t, m, c.file, c.old, c.new)
			_, err := lessons.Load(m)
			if err == nil || !strings.HasPrefix(worded(err), "the-herd/") || !strings.Contains(worded(err), c.want) {
				t.Errorf("the error is %v; it should say %q", err, c.want)
			}
		})
	}
}

// A word that the run contradicts is found before anybody reads it.
func TestUntrueNumbersAreRefused(t *testing.T) {
	m := shelf(t)
	replace(t, m, "the-herd/en.md", "{Four = wasted-by-release/1}", "{Five = wasted-by-release/1}")
	_, err := lessons.OpenFS(context.Background(), m)
	if err == nil || !strings.Contains(worded(err), "the words say Five, but the run says 4") {
		t.Errorf("the error is %v", err)
	}
}

// A condition that never holds is found when the program starts.
func TestUnreachedStepsAreRefused(t *testing.T) {
	m := shelf(t)
	replace(t, m, "the-herd/facts.json", `{"kind": "recipe.phase", "client": 2, "text": "holding"`, `{"kind": "recipe.phase", "client": 2, "text": "held"`)
	if _, err := lessons.OpenFS(context.Background(), m); err == nil ||
		!strings.Contains(worded(err), "the-herd: step look") {
		t.Errorf("the error is %v", err)
	}
}
